"""A stream of events in time and the job that counts them, for tests of engine processes."""

from typing import Any

from jobs.formats.contract import StreamContract
from tests.support.spark_engine import Record, Results

START = 1_767_261_600_000_000
SECOND = 1_000_000
CONTRACT = StreamContract.model_validate(
    {
        "fields": [
            {"name": "at", "type": "long", "nullable": False},
            {"name": "k", "type": "string", "nullable": False},
        ],
        "event_time": {"kind": "field", "field": "at", "unit": "us"},
        "delay": "1h",
    }
)
COUNTS: dict[str, Any] = {
    "format": 1,
    "name": "counts",
    "sources": {"s": {"stream": "events"}},
    "steps": {
        "n": {
            "op": "aggregate",
            "input": "s",
            "window": {"tumbling": {"size": "10s"}},
            "by": ["k"],
            "measures": {"n": "count()"},
        },
    },
    "outputs": {"out": {"input": "n", "to": "result"}},
}


def events_of_one_key(first: int, last: int) -> list[Record]:
    """One event a second."""
    return [(START, {"at": START + number * SECOND, "k": "a"}) for number in range(first, last)]


def counted(results: Results) -> int:
    """How many events the job has counted by now."""
    return sum(row["n"] for row in results.read().values())
