"""Flights through the system equal the batch computation: January's, and in `make test-long` the year's."""

import json
import math
from collections.abc import Container
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import uuid4

import pytest
import yaml

from examples.feed import Feed
from examples.flights.expected import expected
from examples.flights.loader import due
from examples.flights.source import COUNT, flights
from jobs.kafka_messages import REPORTS_TOPIC
from tests.support.kafka_topics import records_of
from tests.support.processes import wait_until
from tests.support.rest import Rest
from tests.support.system import System
from weir.embedded.layout import REPOSITORY
from weir.results.services.queries import COUNTED_ROWS

pytestmark = [pytest.mark.integration, pytest.mark.whole_system, pytest.mark.timeout(900)]
EXAMPLE = REPOSITORY / "examples" / "flights"


@pytest.mark.parametrize(
    ("months", "count", "cancelled"),
    [
        pytest.param(range(1, 2), 27_004, 521, id="January", marks=pytest.mark.long),
        pytest.param(range(1, 13), COUNT, 8_255, id="the year", marks=pytest.mark.long),
    ],
)
def test_final_values_equal_the_batch_computation(
    system: System, months: Container[int], count: int, cancelled: int
) -> None:
    rest = system.rest("flights", f"flights-{uuid4().hex[:6]}")
    topic = f"flights-{uuid4().hex[:6]}"
    _register(rest, topic)
    feed = Feed(system.bootstrap, topic)
    assert feed.send(due(islice(flights(passes=1), count), speed_up=0)) == count
    job = _start(rest)
    wait_until(lambda: _processed(rest, job) == count, 600, "every flight is committed")

    expected_windows = expected(months)
    wait_until(
        lambda: (
            int(rest.get(f"jobs/{job}/results", limit=1)["total"]) == min(len(expected_windows), COUNTED_ROWS)
        ),
        60,
        "every window that is counted is in the database",
    )
    wait_until(lambda: _content(rest, job).keys() == expected_windows.keys(), 120, "the others are, too")
    found = _content(rest, job)

    assert {window: departures for window, (departures, _) in found.items()} == {
        window: departures for window, (departures, _) in expected_windows.items()
    }
    different = [
        window
        for window, (_, delay) in found.items()
        if not math.isclose(delay, expected_windows[window][1], rel_tol=1e-9, abs_tol=1e-12)
    ]
    assert different == []
    assert sum(departures for departures, _ in found.values()) == 6 * (count - cancelled)
    assert _malformed(system, job) == cancelled
    rest.post(f"jobs/{job}/stop")


def _register(rest: Rest, topic: str) -> None:
    (stream,) = yaml.safe_load((EXAMPLE / "streams.yaml").read_text())
    create = {"partitions": stream["partitions"], "retention_ms": None}
    rest.post(
        "streams",
        {
            "name": "flights",
            "description": "",
            "topic": topic,
            "create": create,
            "contract": stream["contract"],
        },
    )


def _start(rest: Rest) -> str:
    # Micro-batch folds a pass's 2 million results to 157,000 windows; real time would write every one.
    document = (EXAMPLE / "document.yaml").read_text().replace("mode: auto", "mode: microbatch")
    job = str(rest.post("jobs", {"document": document})["id"])
    rest.post(f"jobs/{job}/start", {"from": "earliest"})
    return job


def _processed(rest: Rest, job: str) -> int:
    state = rest.get(f"jobs/{job}")
    assert state["observed"] != "failed", state["failure"]
    sources: dict[str, Any] = rest.get(f"jobs/{job}/lag")["sources"]
    return sum(each["committed"] or 0 for source in sources.values() for each in source["partitions"])


def _malformed(system: System, job: str) -> int:
    """What the engine reported in all."""
    total = 0
    for message in records_of(system.kafka_options, REPORTS_TOPIC):
        report = json.loads(message.value() or b"{}")
        if report.get("type") == "progress" and str(report["run_id"]).startswith(job):
            total += sum(report["malformed"].values())
    return total


def _content(rest: Rest, job: str) -> dict[tuple[int, str], tuple[int, float]]:
    found: dict[tuple[int, str], tuple[int, float]] = {}
    after = None
    while True:
        page = rest.get(f"jobs/{job}/results", limit=1000, **({"after": after} if after else {}))
        for row in page["rows"]:
            value = row["value"]
            start = int(datetime.fromisoformat(value["window_start"]).timestamp())
            found[start, value["origin"]] = (value["departures"], value["avg_delay"])
        after = page["next"]
        if after is None:
            return found
