"""A job that runs and gives nothing says why, in the browser, on a real engine."""

import json
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from confluent_kafka import Producer
from playwright.sync_api import expect

from tests.e2e.conftest import WORKSPACE, SignIn
from tests.support.patience import PATIENCE
from tests.support.processes import wait_until
from tests.support.rest import Rest
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]
SOON = 30_000 * PATIENCE
CONTRACT = {
    "fields": [{"name": "status", "type": "string"}, {"name": "order", "type": "string"}],
    "event_time": {"kind": "kafka_timestamp"},
    "delay": "2s",
}


def write(system: System, topic: str, *orders: str) -> None:
    producer = Producer({"bootstrap.servers": system.bootstrap})
    for order in orders:
        producer.produce(topic, json.dumps({"status": "OK", "order": order}).encode())
    assert producer.flush(20) == 0


def write_values(system: System, topic: str, values: list[dict[str, Any]], key: str = "") -> None:
    producer = Producer({"bootstrap.servers": system.bootstrap})
    for value in values:
        record_key = json.dumps({key: value[key]}).encode() if key else None
        producer.produce(topic, json.dumps(value).encode(), record_key)
    assert producer.flush(20) == 0


def started(
    rest: Rest, name: str, sources: list[str], steps: dict[str, Any], tables: tuple[str, ...] = ()
) -> str:
    document = {
        "format": 1,
        "name": name,
        "sources": {
            **{source: {"stream": source} for source in sources},
            **{table: {"table": table} for table in tables},
        },
        "steps": steps,
        "outputs": {"out": {"input": list(steps)[-1], "to": "result"}},
        "settings": {"commit_interval": "5s"},
    }
    job = rest.post("jobs", {"document": json.dumps(document)})["id"]
    rest.post(f"jobs/{job}/start", {"from": "earliest"})
    wait_until(lambda: rest.get(f"jobs/{job}")["observed"] == "running", 120, "the job runs")
    return str(job)


def cause_of(rest: Rest, job: str) -> str:
    return str(rest.get(f"jobs/{job}/diagnosis")["cause"]["code"])


def test_each_page_without_rows_names_its_cause(system: System, sign_in: SignIn, shots: Path) -> None:
    page, rest = sign_in(), system.rest("browser", WORKSPACE)
    orders, payments = (f"{name}_{uuid4().hex[:6]}" for name in ("orders", "payments"))
    for name in (orders, payments):
        rest.post("streams", {"name": name, "topic": name, "create": {"partitions": 1}, "contract": CONTRACT})
    failed = started(
        rest,
        f"failed_{orders}",
        [orders],
        {"failed": {"op": "filter", "input": orders, "where": "status = 'FAILED'"}},
    )
    joined = started(
        rest,
        f"paid_{orders}",
        [orders, payments],
        {
            "paid": {
                "op": "join",
                "left": orders,
                "right": payments,
                "on": {"order": "order"},
                "prefix": "p_",
                "between": {"before": "1m", "after": "1m"},
            }
        },
    )
    hourly = started(
        rest,
        f"daily_{orders}",
        [orders],
        {
            "n": {
                "op": "aggregate",
                "input": orders,
                "window": {"tumbling": {"size": "1d"}},
                "measures": {"n": "count()"},
                "emit": "final",
            }
        },
    )
    assert cause_of(rest, failed) == "TOPIC_EMPTY"
    write(system, orders, "a-1", "a-2", "a-3")
    write(system, payments, "A-1", "A-2")
    # The open window first: a minute after its last record the stream itself is what stands still.
    for job, code in ((hourly, "WINDOW_OPEN"), (failed, "FILTER_PASSES_NONE"), (joined, "JOIN_KEYS_DIFFER")):
        wait_until(lambda job=job, code=code: cause_of(rest, job) == code, 60, f"{code} is named")  # type: ignore[misc]
        began = time.monotonic()
        cause_of(rest, job)
        assert time.monotonic() - began < 10

    page.goto(f"/w/{WORKSPACE}/jobs/{failed}")
    expect(page.get_by_text("The filter lets nothing through").first).to_be_visible(timeout=SOON)
    expect(page.get_by_text("'OK' (3)")).to_be_visible()
    page.screenshot(path=shots / "diagnosis-filter.png", full_page=True)
    page.goto(f"/w/{WORKSPACE}/jobs/{joined}/problems")
    expect(page.get_by_text("Keys differ in their writing").first).to_be_visible(timeout=SOON)
    page.screenshot(path=shots / "diagnosis-join.png", full_page=True)
    for job in (failed, joined, hourly):
        rest.post(f"jobs/{job}/stop", {})


@pytest.mark.thorough
def test_what_the_engine_counts_overrules_the_newest_records(
    system: System, sign_in: SignIn, shots: Path
) -> None:
    page, rest = sign_in(), system.rest("browser", WORKSPACE)
    orders, names = (f"{name}_{uuid4().hex[:6]}" for name in ("orders", "names"))
    rest.post("streams", {"name": orders, "topic": orders, "create": {"partitions": 1}, "contract": CONTRACT})
    of_names = {
        "kind": "table",
        "key": ["order"],
        "fields": [{"name": "order", "type": "string"}, {"name": "name", "type": "string"}],
        "event_time": {"kind": "kafka_timestamp"},
    }
    rest.post("streams", {"name": names, "topic": names, "create": {"partitions": 1}, "contract": of_names})
    write_values(
        system, names, [{"order": f"o-{number}", "name": "x"} for number in range(1_500)], key="order"
    )
    daily = {
        "op": "aggregate",
        "window": {"tumbling": {"size": "1d"}},
        "measures": {"n": "count()"},
        "emit": "final",
    }
    rare = started(
        rest,
        f"rare_{orders}",
        [orders],
        {
            "failed": {"op": "filter", "input": orders, "where": "status = 'FAILED'"},
            "n": {**daily, "input": "failed"},
        },
    )
    named = started(
        rest,
        f"named_{orders}",
        [orders],
        {
            "named": {
                "op": "table_join",
                "input": orders,
                "table": names,
                "on": {"order": "order"},
                "prefix": "n_",
            },
            "n": {**daily, "input": "named"},
        },
        (names,),
    )
    write_values(system, orders, [{"status": "FAILED", "order": "o-1"}])
    write_values(system, orders, [{"status": "OK", "order": f"x-{number}"} for number in range(1_200)])
    for job in (rare, named):
        wait_until(lambda job=job: cause_of(rest, job) == "WINDOW_OPEN", 90, "the window is open")  # type: ignore[misc]
        page.goto(f"/w/{WORKSPACE}/jobs/{job}/problems")
        expect(page.get_by_text("The window is still open").first).to_be_visible(timeout=SOON)

    page.get_by_label("Only rows of this key").fill("o-9999")
    page.get_by_role("button", name="Look for it").click()
    expect(page.get_by_text("No record has this key").first).to_be_visible(timeout=SOON)
    page.screenshot(path=shots / "diagnosis-key.png", full_page=True)
    for job in (rare, named):
        rest.post(f"jobs/{job}/stop", {})
