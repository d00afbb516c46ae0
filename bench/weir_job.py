"""The measured job in Weir: the same windowed count as the peers', through REST and WebSocket."""

import json
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from bench.clients import SocketClient
from bench.ledger import KEYS, Differences, Ledger, Window, WindowId, differences
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


def create_job(rest: Rest, name: str, stream: str, **settings: str | int) -> str:
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
    assert client.ready.wait(180), "the subscription was not answered"
    return client


def stop_and_delete(rest: Rest, job_id: str) -> None:
    """Stop a job, wait until it is stopped, delete it."""
    rest.post(f"jobs/{job_id}/stop")
    wait_until(lambda: rest.get(f"jobs/{job_id}")["observed"] == "stopped", 180, f"job {job_id} is stopped")
    rest.delete(f"jobs/{job_id}")


def await_warm_engine(rest: Rest, seconds: float = 1_200) -> None:
    """Wait until the shared engine is ready."""
    wait_until(
        lambda: any(engine["ready"] for engine in rest.get("engines")["results"]),
        seconds,
        "the shared engine is warm",
    )


def await_standby(rest: Rest, seconds: float = 1_200) -> str:
    """Wait until a standby engine is ready; its id."""

    def ready() -> str | None:
        engines = rest.get("engines")["results"]
        return next((each["id"] for each in engines if each["standby"] and each["ready"]), None)

    wait_until(ready, seconds, "a standby engine is ready")
    return ready() or ""


def is_correct(row: dict[str, Any], ledger: Ledger) -> bool:
    """True when a row counts exactly the events of its key and window between its minimum and its maximum.

    A row of a job that began in the middle of the topic, before its window's end: `await_windows` judges the
    whole of a job's results.
    """
    lo, hi = row["lo"], row["hi"]
    expected = ledger.count_in(lo, hi, _window_start_us(row), WINDOW_US)
    return bool(lo % KEYS == hi % KEYS == int(row["k"][1:]) and row["n"] == expected == (hi - lo) // KEYS + 1)


def await_windows(rest: Rest, job_id: str, ledger: Ledger, seconds: float) -> Differences:
    """Wait until a job that reads its topic from the beginning has stored a result of every window and key,
    which counts the events sent and no others.

    Args:
        rest: a client of the running system.
        job_id: of a job of `create_job`.
        ledger: of all events of its topic; no more come.
        seconds: how long the results may take.

    Returns:
        What is still wrong when the time is up; nothing as soon as nothing is.
    """
    expected = ledger.windows(WINDOW_US)
    until = time.monotonic() + seconds
    while True:
        found = differences(expected, [_window(row) for row in _results(rest, job_id)])
        if not found.total or time.monotonic() > until:
            return found
        time.sleep(1)


def _results(rest: Rest, job_id: str) -> Iterator[dict[str, Any]]:
    after = None
    while True:
        page = rest.get(f"jobs/{job_id}/results", limit=1000, **({"after": after} if after else {}))
        yield from (row["value"] for row in page["rows"])
        after = page.get("next")
        if not after:
            return


def _window(row: dict[str, Any]) -> tuple[WindowId, Window]:
    return (_window_start_us(row), int(row["k"][1:])), Window(row["lo"], row["hi"], row["n"])


def _window_start_us(row: dict[str, Any]) -> int:
    start = datetime.fromisoformat(row["window_start"])
    return int(start.timestamp()) * 1_000_000 + start.microsecond
