"""A running engine listens on loopback only, also in real-time mode, where Spark's shuffle has servers."""

import ipaddress
from collections import ChainMap

import psutil
import pytest

from tests.integration.engine.test_engine_process import await_counts, events
from tests.support.event_count_job import CONTRACT, COUNTS, START
from tests.support.process_family import answers_of
from tests.support.spark_engine import Bench, EngineProcess, Reports

# Pattern functions are those of our own classes: they run in real-time mode, too.
MATCHING = {
    "op": "filter",
    "input": "s",
    "where": "k rlike '^[a-c]$' and k like '%' and regexp_replace(k, '(.)', '$1') = k",
}
MATCHED = {
    **COUNTS,
    "steps": {
        "kept": MATCHING,
        **{name: {**step, "input": "kept"} for name, step in COUNTS["steps"].items()},
    },
}

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]


def listened_on(pid: int) -> dict[tuple[str, int], str]:
    """Addresses and ports on which a process and its children listen, with the program's name."""

    def addresses(process: psutil.Process) -> dict[tuple[str, int], str]:
        connections = process.net_connections(kind="inet")
        return {
            (one.laddr.ip, one.laddr.port): process.name()
            for one in connections
            if one.status == psutil.CONN_LISTEN
        }

    return dict(ChainMap(*answers_of(pid, addresses)))


def is_loopback(text: str) -> bool:
    """Java shows IPv4 as part of IPv6."""
    address = ipaddress.ip_address(text)
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def test_an_engine_in_real_time_mode_listens_on_loopback_only(
    bench: Bench, engine: EngineProcess, reports: Reports
) -> None:
    reports.ready(engine)
    topic = bench.topic("in")
    run = bench.run(
        MATCHED, {"s": (topic, CONTRACT)}, "realtime", engine_id=engine.engine_id, partial_before_us=START
    )
    results = bench.results(run)
    before = listened_on(engine.pid)
    bench.publish(run)
    bench.produce(topic, events(0, 25))
    await_counts(results, 25, engine)
    during = listened_on(engine.pid)
    assert during.keys() - before.keys(), "the streaming shuffle has a server"
    assert {address: name for address, name in during.items() if not is_loopback(address[0])} == {}
    bench.publish(run.run_id)
    reports.state(run, "stopped", engine=engine)
    results.close()
