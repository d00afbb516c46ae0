"""Scans of topics with large batches take turns; others do not wait."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.fake_topic import PROFILE, FakeTopic
from weir.streams.services import browse, large_batches, scan
from weir.streams.services.large_batches import LargeBatches
from weir.streams.services.scan import Budget, OffsetRange
from weir.workspaces.errors import BusyError, UnreachableError


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> LargeBatches:
    """What this process knows, without what other tests have seen."""
    fresh = LargeBatches()
    monkeypatch.setattr(scan, "large_batches", fresh)
    monkeypatch.setattr(large_batches, "WAIT_S", 0.01)
    return fresh


def other_waits(known: LargeBatches, first: str, second: str) -> bool:
    """Whether a scan of the second topic waits while one of the first runs."""
    waited: list[bool] = []

    def read() -> None:
        try:
            with known.turn(PROFILE, second):
                waited.append(False)
        except BusyError:
            waited.append(True)

    with known.turn(PROFILE, first):
        thread = threading.Thread(target=read)
        thread.start()
        thread.join()
    return waited[0]


@pytest.mark.parametrize(
    ("large", "first", "second", "waits"),
    [
        ({"a": False}, "a", "a", False),
        ({}, "a", "a", True),
        ({}, "a", "b", False),
        ({"a": True}, "a", "a", True),
        ({"a": True, "b": True}, "a", "b", True),
        ({"a": True, "b": False}, "a", "b", False),
    ],
)
def test_who_waits(known: LargeBatches, large: dict[str, bool], first: str, second: str, waits: bool) -> None:
    for topic, what in large.items():
        known.note(PROFILE, topic, large=what)
    assert other_waits(known, first, second) is waits


def test_what_was_seen_is_not_remembered_for_ever(
    known: LargeBatches, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(large_batches.time, "monotonic", lambda: now)
    known.note(PROFILE, "a", large=True)
    assert known.is_large(PROFILE, "a")
    now = 601.0
    assert not known.is_large(PROFILE, "a")


def test_a_scan_marks_a_topic_of_which_far_more_came_than_is_fetched(
    known: LargeBatches, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = FakeTopic(monkeypatch, 1, bunch=40)
    for _ in range(40):
        topic.write(b"k", b"x" * 900_000)
    scan.scan(PROFILE, "t", {0: OffsetRange(0, 40, 0, 40)}, 1)
    assert known.is_large(PROFILE, "t")


def test_a_scan_of_ordinary_batches_does_not(known: LargeBatches, monkeypatch: pytest.MonkeyPatch) -> None:
    topic = FakeTopic(monkeypatch, 1)
    topic.write(b"k", b"x")
    scan.scan(PROFILE, "t", {0: OffsetRange(0, 1, 0, 1)}, 1)
    assert not known.is_large(PROFILE, "t")
    assert not other_waits(known, "t", "t")


def silent(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A broker that gives nothing; a second passes with each look. Returns how long each scan waited."""
    now = 0.0
    waited: list[float] = []

    class Silent:
        def __init__(self) -> None:
            self.began = now

        def assign(self, partitions: object) -> None:
            """Nothing comes."""

        def consume(self, count: int, timeout: float) -> list[Any]:
            nonlocal now
            now += 1.0
            return []

        def close(self) -> None:
            waited.append(now - self.began)

    clock: Callable[[], float] = lambda: now  # noqa: E731
    monkeypatch.setattr(scan, "consumer", lambda profile, **options: Silent())
    monkeypatch.setattr(scan.time, "monotonic", clock)
    return waited


@pytest.mark.parametrize(("seconds", "large"), [(0.05, False), (1.5, False), (2.0, True), (None, True)])
def test_only_a_scan_with_time_enough_marks_a_topic_of_which_nothing_came(
    known: LargeBatches, monkeypatch: pytest.MonkeyPatch, seconds: float | None, large: bool
) -> None:
    """The last piece of a search has what time is left; that may be less than a consumer takes to connect."""
    silent(monkeypatch)
    budget = None if seconds is None else Budget(seconds=seconds)
    found = scan.scan(PROFILE, "t", {0: OffsetRange(0, 1, 0, 1)}, 1, budget=budget)
    assert found.stop_reason == "timeout"
    assert known.is_large(PROFILE, "t") is large
    assert other_waits(known, "t", "t"), "nor is it known to have ordinary batches"


def test_a_record_that_does_not_come_in_time_is_not_said_to_be_missing(
    known: LargeBatches, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = silent(monkeypatch)
    ref = FakeTopicRef()
    monkeypatch.setattr(browse, "watermarks", lambda *_, **__: {("t", 0): (0, 800)})
    with pytest.raises(UnreachableError, match="offset 799 of partition 0 couldn't be read in time"):
        browse.get_record(ref, 0, 799)
    assert waited == [scan.TIMEOUT_S, large_batches.FIRST_RECORD_S], "the second look waits longer"


class FakeTopicRef:
    profile, topic, partitions, contract, schema_of = PROFILE, "t", 1, None, None
