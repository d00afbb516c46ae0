"""P2 with a table: from an event to its row, enriched with the table's entry, at the client.

The job is in real-time mode and joins the table as it is now. Beside it Kafka Streams with a KTable.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from confluent_kafka import Producer
from hdrh.histogram import HdrHistogram

from bench import latency_of_weir
from bench.latency_of_peers import measure_peer
from bench.ledger import KEYS
from bench.steady import PARTITIONS, create_topics
from bench.systems import leave_broker, running_system
from bench.trials import Trials
from tests.support.rest import Rest

ENTRIES: Final = 10_000
TABLE: Final = "bench.table"
PEERS_TABLE: Final = "bench.table.peer"
CONTRACT: Final[dict[str, Any]] = {
    "format": "json",
    "kind": "table",
    "key": ["code"],
    "fields": [
        {"name": "code", "type": "string", "nullable": False},
        {"name": "rate", "type": "double"},
        {"name": "name", "type": "string"},
    ],
}


class Joined:
    """Counts rows, and those without their entry."""

    def __init__(self) -> None:
        self.rows = self.without_entry = 0

    def row(self, row: dict[str, Any]) -> int:
        """A row came; the number of its event."""
        self.rows += 1
        self.without_entry += row.get("name") != entry(int(row["k"][1:]))["name"]
        return int(row["g"])


def entry(number: int) -> dict[str, Any]:
    """An entry of the table."""
    return {"code": f"k{number}", "rate": number / 2, "name": f"name {number}"}


def measure(
    folder: Path, rate: float, warm_seconds: float, seconds: float
) -> tuple[dict[str, Any], dict[str, HdrHistogram]]:
    """Measure both, one after the other, on one broker.

    Args:
        folder: new.
        rate: events per second, in ten keys.
        warm_seconds: from the first row to the first event that counts.
        seconds: how long to measure.

    Returns:
        rate, entries, warm_seconds, seconds, failed, and by side (weir, streams): as
        `bench.latency_of_weir.measure`, and without_entry (rows, of all since its start); and the histograms.
    """
    parts, numbers, histograms = Trials(), {}, {}
    with running_system(folder / "system", settings={"WEIR_STANDBY": "false"}) as system:
        data = system.layout.data

        def ours(joined: Joined) -> tuple[dict[str, Any], HdrHistogram]:
            rest = system.rest("bench", "bench")
            table = _register(rest)
            _fill(system.bootstrap, TABLE, lambda code: json.dumps({"code": code}))

            def create(rest: Rest, name: str, stream: str, **settings: str) -> str:
                made = document(name, stream, table, settings)
                return str(rest.post("jobs", {"document": json.dumps(made)})["id"])

            return latency_of_weir.measure(
                system, folder / "weir", rate, warm_seconds, seconds, create=create, on_row=joined.row
            )

        def theirs(joined: Joined) -> tuple[dict[str, Any], HdrHistogram]:
            leave_broker(system)
            create_topics(system.bootstrap, PEERS_TABLE)
            _fill(system.bootstrap, PEERS_TABLE, lambda code: code)
            return measure_peer(
                system.bootstrap, data, "join", folder / "streams", rate, warm_seconds, seconds,
                table=PEERS_TABLE, on_row=joined.row,
            )  # fmt: skip

        for name, side in (("weir", ours), ("streams", theirs)):
            joined = Joined()
            found = parts.run(name, lambda side=side, joined=joined: side(joined))  # type: ignore[misc]
            if found is not None:
                numbers[name] = {**found[0], "without_entry": joined.without_entry}
                histograms[name] = found[1]
                print(f"P2 with a table, {name}: {numbers[name]}", flush=True)
    return {
        "rate": rate,
        "entries": ENTRIES,
        "warm_seconds": warm_seconds,
        "seconds": seconds,
        **numbers,
        "failed": parts.end(),
    }, histograms


def _register(rest: Rest) -> str:
    name = TABLE.replace(".", "_")
    create = {"partitions": PARTITIONS, "retention_ms": None}
    contract = {"name": name, "description": "", "topic": TABLE, "create": create, "contract": CONTRACT}
    rest.post("streams", contract)
    return name


def document(name: str, stream: str, table: str, settings: dict[str, str]) -> dict[str, Any]:
    """The job: each event with the entry of its key."""
    return {
        "format": 1,
        "name": f"{name}-table",
        "sources": {"events": {"stream": stream}, "rates": {"table": table}},
        "steps": {
            "enriched": {
                "op": "table_join",
                "input": "events",
                "table": "rates",
                "type": "left",
                "on": {"k": "code"},
            }
        },
        "outputs": {"live": {"input": "enriched", "to": "result"}},
        "settings": settings,
    }


def _fill(bootstrap: str, topic: str, key: Callable[[str], str]) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 20})
    for number in range(ENTRIES):
        value = entry(number)
        partition = number % KEYS % PARTITIONS  # that of the events of its key
        producer.produce(topic, json.dumps(value), key(value["code"]), partition=partition)
    assert producer.flush(60) == 0
