"""Reading what may have made a row: what is taken, and what is said of the rest."""

import json
from typing import Any

import pytest

from jobs.formats.contract import StreamContract
from jobs.kafka_messages import StartPosition
from jobs.plan import Plan, plan_job
from tests.support.fake_topic import FakeTopic
from tests.support.run_factories import CONTRACT, DOCUMENT
from weir.diagnosis.services import input_reader
from weir.diagnosis.services.input_bounds import InputBounds, input_bounds
from weir.diagnosis.services.input_reader import InputRead, InputWish, read_inputs
from weir.diagnosis.services.trail import RecordPlace
from weir.streams.services import browse

TRADES = StreamContract.model_validate(CONTRACT)
TEN_MS = 1_767_261_600_000  # 2026-01-01T10:00:00Z
WINDOW = ["2026-01-01T10:00:00.000000Z", "2026-01-01T10:00:05.000000Z", "A"]
EARLIEST = StartPosition(kind="earliest")
NEWEST_US = (TEN_MS + 60_000) * 1_000


@pytest.fixture
def plan() -> Plan:
    return plan_job(DOCUMENT, {"trades": TRADES})


@pytest.fixture
def topic(monkeypatch: pytest.MonkeyPatch) -> FakeTopic:
    """Two trades of A in the window, of two partitions; one of A after it, one of B, and one that is none."""
    made = FakeTopic(monkeypatch)
    for module in (browse, input_reader):
        monkeypatch.setattr(module, "watermarks", lambda *_, **__: made.ends())
    monkeypatch.setattr(
        browse,
        "offsets",
        lambda profile, specs: {(at.topic, at.partition): -1 for at in specs},  # nothing is that new
    )
    for at, record in enumerate((("A", 0), ("A", 4_999), ("A", 5_000), ("B", 1), None)):
        value = (
            json.dumps({"symbol": record[0], "price": 1.0, "at": TEN_MS + record[1]}) if record else "none"
        )
        made.write(None, value.encode(), at % 2, TEN_MS + at)
    return made


def read(topic: FakeTopic, plan: Plan, bounds: list[InputBounds], **wish: Any) -> InputRead:
    given = {"start": EARLIEST, "newest_us": NEWEST_US} | wish
    return read_inputs(topic.ref(TRADES), plan.node("trades"), InputWish(bounds, **given))


def places(found: InputRead) -> set[tuple[int, int]]:
    assert found.rows is not None
    return set(found.messages)


def of_window(plan: Plan) -> list[InputBounds]:
    return input_bounds(plan, "stats", WINDOW, {})["trades"]


def test_a_window_bounds_key_and_event_time(plan: Plan) -> None:
    (bounds,) = of_window(plan)
    assert bounds.equal == {"symbol": "A"}
    assert (bounds.from_us, bounds.until_us) == (TEN_MS * 1_000, (TEN_MS + 5_000) * 1_000)


def test_records_within_the_bounds_are_kept(topic: FakeTopic, plan: Plan) -> None:
    found = read(topic, plan, of_window(plan))
    assert places(found) == {(0, 0), (1, 0)}
    assert (found.read, found.complete, found.expired, found.unknown_start) == (5, True, False, False)
    assert found.oldest_us == TEN_MS * 1_000


def test_records_before_the_start_of_the_generation_are_left_out(topic: FakeTopic, plan: Plan) -> None:
    start = StartPosition(kind="offsets", offsets={0: 1, 1: 0})
    assert places(read(topic, plan, of_window(plan), start=start)) == {(1, 0)}
    start = StartPosition(kind="time", at_us=(TEN_MS + 1) * 1_000)
    assert places(read(topic, plan, of_window(plan), start=start)) == {(1, 0)}
    assert read(topic, plan, of_window(plan), start=None).unknown_start


def test_records_after_the_newest_one_inside_the_row_are_left_out(topic: FakeTopic, plan: Plan) -> None:
    assert places(read(topic, plan, of_window(plan), newest_us=TEN_MS * 1_000)) == {(0, 0)}


def test_what_was_not_looked_through_is_said(topic: FakeTopic, plan: Plan) -> None:
    found = read(topic, plan, of_window(plan), records=2)
    assert not found.complete
    assert found.read <= 2


def test_more_than_is_kept_is_said(topic: FakeTopic, plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_reader, "MAX_KEPT", 1)
    found = read(topic, plan, of_window(plan))
    assert (len(places(found)), found.complete) == (1, False)


def test_a_record_whose_place_is_known_is_read_alone(topic: FakeTopic, plan: Plan) -> None:
    found = read(topic, plan, [InputBounds({}, record=RecordPlace("trades", 1, 1))])
    assert (places(found), found.read, found.complete, found.expired) == ({(1, 1)}, 1, True, False)


def test_a_record_that_kafka_no_longer_has_is_said_to_be_gone(topic: FakeTopic, plan: Plan) -> None:
    found = read(topic, plan, [InputBounds({}, record=RecordPlace("trades", 1, 99))])
    assert (places(found), found.expired) == (set(), True)
