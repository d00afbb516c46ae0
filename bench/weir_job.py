"""The measured job in Weir: the same windowed count as the peers', through REST and WebSocket."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

from bench.clients import SocketClient
from bench.ledger import KEYS, Ledger
from bench.steady import PARTITIONS
from tests.support.processes import wait_until
from tests.support.rest import Rest

WINDOW_US = 10_000_000

CONTRACT = {
    "format": "json",
    "fields": [
        {"name": "k", "type": "string", "nullable": False},
        {"name": "g", "type": "long", "nullable": False},
        {"name": "sent", "type": "long", "nullable": False},
    ],
    "event_time": {"kind": "field", "field": "sent", "unit": "us"},
    "delay": "10s",
}


def register(rest: Rest, topic: str) -> str:
    """Register a stream over a new topic; its name."""
    name = topic.replace(".", "_")
    create = {"partitions": PARTITIONS, "retention_ms": None}
    rest.post(
        "streams", {"name": name, "description": "", "topic": topic, "create": create, "contract": CONTRACT}
    )
    return name


def create_job(rest: Rest, name: str, stream: str, **settings: str) -> str:
    """A windowed count per key over a stream; the job's id."""
    document = {
        "format": 1,
        "name": name,
        "sources": {"events": {"stream": stream}},
        "steps": {
            "counts": {
                "op": "aggregate",
                "input": "events",
                "window": {"tumbling": {"size": "10s"}},
                "by": ["k"],
                "measures": {"n": "count()", "lo": "min(g)", "hi": "max(g)"},
            }
        },
        "outputs": {"live": {"input": "counts", "to": "result"}},
        "settings": {"mode": "realtime", **settings},
    }
    return str(rest.post("jobs", {"document": json.dumps(document)})["id"])


def watch(rest: Rest, job_id: str, on_row: Callable[[dict[str, Any], int], None]) -> SocketClient:
    """A WebSocket client of a job's results at interval 0; it is subscribed when this returns."""
    client = SocketClient(rest.socket, rest.workspace, job_id, on_row)
    client.start()
    assert client.ready.wait(60), "the subscription was not answered"
    return client


def stop_and_delete(rest: Rest, job_id: str) -> None:
    """Stop a job, wait until it is stopped, delete it."""
    rest.post(f"jobs/{job_id}/stop")
    wait_until(lambda: rest.get(f"jobs/{job_id}")["observed"] == "stopped", 60, f"job {job_id} is stopped")
    rest.delete(f"jobs/{job_id}")


def await_warm_engine(rest: Rest, seconds: float = 400) -> None:
    """Wait until the shared engine is ready."""
    wait_until(
        lambda: any(engine["ready"] for engine in rest.get("engines")["results"]),
        seconds,
        "the shared engine is warm",
    )


def is_correct(row: dict[str, Any], ledger: Ledger) -> bool:
    """True when a row counts exactly the events of its key and window between its minimum and its maximum."""
    lo, hi = row["lo"], row["hi"]
    start = datetime.fromisoformat(row["window_start"])
    start_us = int(start.timestamp()) * 1_000_000 + start.microsecond
    expected = ledger.count_in(lo, hi, start_us, WINDOW_US)
    return bool(lo % KEYS == hi % KEYS == int(row["k"][1:]) and row["n"] == expected == (hi - lo) // KEYS + 1)
