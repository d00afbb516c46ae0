"""A scan reports exactly the offsets that it scanned, wherever its budget ends."""

import pytest
from confluent_kafka import KafkaError
from django.db import connection

from tests.support.fake_topic import PROFILE, FakeTopic, Record
from weir.streams.services.scan import Budget, OffsetRange, scan


@pytest.mark.parametrize("records", [1, 7, 30, 99, 100])
def test_records_beyond_the_budget_are_left_for_the_next_scan(
    monkeypatch: pytest.MonkeyPatch, records: int
) -> None:
    """The end of a partition comes with the records before it; it must not count for
    those that were not scanned.
    """
    topic = FakeTopic(monkeypatch, bunch=60)
    for n in range(100):
        topic.write(b"k", str(n).encode(), n % 2)
    seen: list[tuple[int, int]] = []
    positions = {0: 0, 1: 0}
    for _ in range(200):
        ranges = {p: OffsetRange(at, 50, 0, 50) for p, at in positions.items()}

        def accepts(message: object) -> bool:
            seen.append((message.partition(), message.offset()))  # type: ignore[attr-defined]
            return False

        found = scan(PROFILE, "t", ranges, 1, accepts=accepts, budget=Budget(records=records))
        positions = found.positions
        if found.stop_reason == "end":
            break
    assert sorted(seen) == [(p, n) for p in range(2) for n in range(50)]
    assert positions == {0: 50, 1: 50}


def test_holes_of_compaction_are_no_records(monkeypatch: pytest.MonkeyPatch) -> None:
    topic = FakeTopic(monkeypatch, 1)
    topic.write(b"k", b"1")
    topic.ends_at = 9
    found = scan(PROFILE, "t", {0: OffsetRange(0, 9, 0, 9)}, 5)
    assert (len(found.messages), found.positions, found.stop_reason) == (1, {0: 9}, "end")


def test_a_lost_position_is_not_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    topic = FakeTopic(monkeypatch, 1)
    topic.write(b"k", b"1")
    topic.records[0].append(Record(0, 1, None, None, fault=KafkaError(KafkaError._AUTO_OFFSET_RESET)))
    topic.write(b"k", b"2")
    found = scan(PROFILE, "t", {0: OffsetRange(0, 9, 0, 9)}, 5)
    assert (len(found.messages), found.positions, found.stop_reason) == (1, {0: 1}, "timeout")


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
def test_who_waits_for_kafka_holds_no_connection_to_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeTopic(monkeypatch, 1).write(b"k", b"1")
    connection.ensure_connection()
    before = connection.connection
    meanwhile = []

    def accepts(_: object) -> bool:
        meanwhile.append(connection.connection)
        return True

    scan(PROFILE, "t", {0: OffsetRange(0, 1, 0, 1)}, 1, accepts=accepts)
    assert before is not None
    assert meanwhile == [None]
