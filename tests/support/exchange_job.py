"""A job with an exchange, over counted events: final windows go to a topic, and are counted per key."""

from pathlib import Path
from typing import Any

from jobs.kafka_messages import DesiredRun, ExchangeTopic
from tests.support.event_count_job import COUNTS
from tests.support.spark_engine import Bench, Results
from tests.support.two_query_job import CONTRACT, DELAY, counts, events, malformed, shown

__all__ = [
    "CONTRACT",
    "DELAY",
    "DOCUMENT",
    "closed",
    "events",
    "exchange_run",
    "expected",
    "forget_commits",
    "malformed",
    "shown",
    "totals",
]

DOCUMENT: dict[str, Any] = {
    "format": 1,
    "name": "exchange",
    "sources": {"s": {"stream": "events", "delay": f"{DELAY}s"}},
    "steps": {
        "done": {**COUNTS["steps"]["n"], "emit": "final"},
        "all": {
            "op": "aggregate",
            "input": "done",
            "by": ["k"],
            "measures": {"windows": "count()", "rows": "sum(n)"},
        },
    },
    "outputs": {"all": {"input": "all", "to": "result"}, "done": {"input": "done", "to": {"topic": "done"}}},
}


def exchange_run(bench: Bench, topic: str, **more: Any) -> DesiredRun:
    """A run of the document over a topic of events."""
    exchange = bench.topic("weir.exchange")
    exchange_topic = ExchangeTopic(topic=exchange, topic_id=bench.kafka.topic_id(exchange))
    return bench.run(
        DOCUMENT,
        {"s": (topic, CONTRACT)},
        topics={"done": bench.topic("done")},
        exchange=exchange_topic,
        **more,
    )


def closed(last: int) -> dict[str, int]:
    """The final windows after events 0 … last − 1, as `shown` gives them."""
    return counts(last, last - 1 - DELAY)


def expected(last: int) -> dict[str, tuple[int, int]]:
    """By key how many windows are final after events 0 … last − 1, and how many events they hold."""
    windows = closed(last)
    keys = {name.split()[0] for name in windows}
    of_key = {key: [n for name, n in windows.items() if name.split()[0] == key] for key in keys}
    return {key: (len(found), sum(found)) for key, found in of_key.items()}


def totals(results: Results) -> dict[str, tuple[int, int]]:
    """What the result says."""
    return {row["k"]: (row["windows"], row["rows"]) for row in results.read().values()}


def forget_commits(run: DesiredRun, query: str) -> None:
    """Simulate a crash between the last batch's output and its commit, by deleting the commit."""
    commits = Path(run.checkpoint) / query / "commits"
    last = _last(commits)
    if last == _last(commits.with_name("offsets")):
        (commits / str(last)).unlink()
        (commits / f".{last}.crc").unlink(missing_ok=True)


def _last(log: Path) -> int:
    return max(int(file.name) for file in log.iterdir() if file.name.isdigit())
