"""An example from the request to its rows.

Topics, feed and job are created, and the join runs in an engine.
"""

import json
from collections import Counter
from typing import Any
from uuid import uuid4

import pytest
from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

from examples.clicks.expected import expected
from examples.feed import Due
from tests.support.processes import wait_until
from tests.support.rest import Rest
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.whole_system, pytest.mark.long, pytest.mark.timeout(600)]

TOPICS = {"page_views": 2, "searches": 2, "profiles": 2}
ENOUGH = 60


def test_clicks_from_request_to_rows(system: System) -> None:
    rest = system.rest("clicks", f"clicks-{uuid4().hex[:6]}")
    (example,) = [each for each in rest.get("/examples")["results"] if each["id"] == "clicks"]
    assert example["auto_feed"]
    job = str(rest.post("examples/clicks")["id"])
    wait_until(lambda: system.supervisor.runs("feed-clicks"), 30, "the feed runs")
    rest.post(f"jobs/{job}/start", {"from": "earliest"})
    wait_until(lambda: _running(rest, job) and _total(rest, job) >= ENOUGH, 240, f"{ENOUGH} pairs are there")

    system.feed("clicks", on=False)
    records = _records(system.bootstrap)
    wait_until(lambda: _committed(rest, job) == len(records), 120, "every record is committed")
    expected_pairs = expected(records)
    wait_until(lambda: _total(rest, job) == sum(expected_pairs.values()), 60, "every pair is in the database")

    found = Counter(
        (row["user"], row["page"], row["words"], row["region"], row["plan"]) for row in _rows(rest, job)
    )
    # A pair with a profile that changed during the feed has the profile of its time; all others are equal.
    changed = _changed(records)
    assert _pairs(found) == _pairs(expected_pairs)
    assert _of_others(found, changed) == _of_others(expected_pairs, changed)
    assert _of_others(expected_pairs, changed)
    rest.post(f"jobs/{job}/stop")


def test_a_feed_ends_with_the_last_job_that_uses_it(system: System) -> None:
    rest = system.rest("pages", f"pages-{uuid4().hex[:6]}")
    job = str(rest.post("examples/pages")["id"])
    wait_until(lambda: system.supervisor.runs("feed-pages"), 30, "the feed runs")
    rest.delete(f"jobs/{job}")
    wait_until(lambda: not system.supervisor.runs("feed-pages"), 60, "the feed has ended")


def _running(rest: Rest, job: str) -> bool:
    state = rest.get(f"jobs/{job}")
    assert state["observed"] != "failed", state["failure"]
    return bool(state["observed"] == "running")


def _total(rest: Rest, job: str) -> int:
    return int(rest.get(f"jobs/{job}/results", limit=1)["total"])


def _committed(rest: Rest, job: str) -> int:
    sources: dict[str, Any] = rest.get(f"jobs/{job}/lag")["sources"]
    return sum(each["committed"] or 0 for source in sources.values() for each in source["partitions"])


def _rows(rest: Rest, job: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    after = None
    while True:
        page = rest.get(f"jobs/{job}/results", limit=1000, **({"after": after} if after else {}))
        found += [row["value"] for row in page["rows"]]
        after = page["next"]
        if after is None:
            return found


def _records(bootstrap: str) -> list[Due]:
    """All records of the template's topics, each partition in its order."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "none",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        }
    )
    assigned = [
        TopicPartition(topic, partition, OFFSET_BEGINNING)
        for topic, count in TOPICS.items()
        for partition in range(count)
    ]
    consumer.assign(assigned)
    found: list[Due] = []
    ended = 0
    while ended < len(assigned):
        message = consumer.poll(20)
        assert message is not None, "the topics do not answer"
        if message.error() is not None:
            ended += 1
        else:
            found.append(Due(0.0, message.key(), message.value(), message.topic()))
    consumer.close()
    return found


def _changed(records: list[Due]) -> set[str]:
    """Users whose profile was changed, or made, during the feed: all others were read before it."""
    changes = {
        record.key
        for record in records
        if record.topic == "profiles" and record.value and json.loads(record.value)["op"] != "r"
    }
    return {(key or b"").decode().split('"')[3] for key in changes}


def _pairs(rows: Counter[Any]) -> Counter[Any]:
    found: Counter[Any] = Counter()
    for (user, page, words, *_), count in rows.items():
        found[user, page, words] += count
    return found


def _of_others(rows: Counter[Any], changed: set[str]) -> Counter[Any]:
    return Counter({row: count for row, count in rows.items() if row[0] not in changed})
