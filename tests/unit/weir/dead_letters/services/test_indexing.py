"""Dead letters that are indexed from their topic, whatever is in it, and whoever indexes it at the time."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError

from jobs.formats import dead_letters as fields
from tests.support.fake_topic import PROFILE, FakeTopic, Record
from tests.support.validator_factories import create_validator
from weir import row_deletion
from weir.dead_letters import tasks
from weir.dead_letters.models import DeadLetter, Validator
from weir.dead_letters.services import indexing
from weir.dead_letters.services.discard import discard
from weir.dead_letters.services.indexing import index_dead_letters
from weir.dead_letters.services.selection import Selection
from weir.workspaces.errors import UnreachableError
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
AT_MS = 1_750_000_000_000


def headers(offset: int, timestamp_ms: int) -> list[tuple[str, bytes | None]]:
    return [
        (fields.TOPIC, b"trades"),
        (fields.TOPIC_ID, b"id-1"),
        (fields.PARTITION, b"0"),
        (fields.OFFSET, str(offset).encode()),
        (fields.TIMESTAMP, str(timestamp_ms).encode()),
        (fields.REJECTED_BY, b"decode"),
        (fields.REASON, b"NOT_JSON"),
    ]


def topic_with(
    monkeypatch: pytest.MonkeyPatch, *times_ms: int, asked: Callable[[], object] = lambda: None
) -> FakeTopic:
    """The dead-letter topic, with letters of these times. asked: what happens while its ends are asked."""
    log = FakeTopic(monkeypatch, 1)
    for number, at_ms in enumerate(times_ms):
        log.records[0].append(Record(0, number, b"{", None, header_list=headers(number, at_ms)))

    def ends(*_: object, **__: object) -> dict[tuple[str, int], tuple[int, int]]:
        found = log.ends()
        asked()
        return found

    topic: Any = SimpleNamespace(
        profile=PROFILE, name="t", describe=lambda: SimpleNamespace(topic_id="id-9", partitions=1)
    )
    monkeypatch.setattr(indexing, "dead_letter_topic_of", lambda _: topic)
    monkeypatch.setattr(indexing, "watermarks", ends)
    return log


@pytest.mark.parametrize(
    ("timestamp_ms", "shown"),
    [
        (AT_MS * 1_000, "9999-12-31T23:59:59.999999+00:00"),  # microseconds for milliseconds
        (2**63 - 1, "9999-12-31T23:59:59.999999+00:00"),
        (-1, "1970-01-01T00:00:00+00:00"),
    ],
)
def test_a_letter_with_a_timestamp_that_no_datetime_can_hold_keeps_none_from_being_listed(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, timestamp_ms: int, shown: str
) -> None:
    validator = create_validator(workspace)
    topic_with(monkeypatch, AT_MS, timestamp_ms, AT_MS)
    assert not index_dead_letters(validator)
    rows = DeadLetter.objects.order_by("offset")
    assert [row.offset for row in rows] == [0, 1, 2]
    assert rows[1].timestamp.isoformat() == shown
    validator.refresh_from_db()
    assert validator.indexed_offsets == {"0": 3}


def test_what_a_redrive_has_queued_is_left_to_it_when_kafka_deletes_it(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    validator = create_validator(workspace)
    topic_with(monkeypatch, AT_MS, AT_MS, AT_MS)
    index_dead_letters(validator)
    for offset, state in ((0, "queued"), (1, "sending")):
        DeadLetter.objects.filter(offset=offset).update(state=state)
    validator.refresh_from_db()
    monkeypatch.setattr(indexing, "watermarks", lambda *_, **__: {("t", 0): (3, 3)})
    index_dead_letters(validator)
    assert sorted(DeadLetter.objects.values_list("offset", flat=True)) == [0, 1]
    DeadLetter.objects.update(state="waiting")
    index_dead_letters(validator)
    assert not DeadLetter.objects.exists()


def test_none_is_discarded_without_a_line_of_who_did_it(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    validator = create_validator(workspace)
    topic_with(monkeypatch, AT_MS, AT_MS)
    index_dead_letters(validator)

    def failing(*_: object, **__: object) -> None:
        raise OperationalError("the database goes away")

    monkeypatch.setattr("weir.dead_letters.services.discard.record_event", failing)
    with pytest.raises(OperationalError):
        discard(validator, owner, Selection(everything=True), "old")
    assert set(DeadLetter.objects.values_list("state", flat=True)) == {"waiting"}


def test_beyond_so_many_that_wait_they_stay_in_the_topic_until_there_is_room(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    validator = create_validator(workspace)
    monkeypatch.setattr(indexing, "MAX_WAITING", 2)
    topic_with(monkeypatch, *[AT_MS] * 5)
    for _ in range(3):
        validator.refresh_from_db()
        index_dead_letters(validator)
    validator.refresh_from_db()
    assert (DeadLetter.objects.count(), validator.index_pending) == (2, True)
    assert discard(validator, owner, Selection(everything=True), "old") == 2
    for _ in range(2):
        validator.refresh_from_db()
        index_dead_letters(validator)
    assert sorted(DeadLetter.objects.values_list("offset", "state")) == [
        (0, "discarded"),
        (1, "discarded"),
        (2, "waiting"),
        (3, "waiting"),
    ]


def test_what_kafka_has_deleted_goes_in_slices(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    validator = create_validator(workspace)
    topic_with(monkeypatch, *[AT_MS] * 5)
    index_dead_letters(validator)
    validator.refresh_from_db()
    monkeypatch.setattr(row_deletion, "SLICE_ROWS", 2)
    monkeypatch.setattr(indexing, "watermarks", lambda *_, **__: {("t", 0): (4, 5)})
    index_dead_letters(validator)
    assert list(DeadLetter.objects.values_list("offset", flat=True)) == [4]


def test_who_loses_to_another_worker_does_not_go_on(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else both ask for the next batch, and each ask makes two of the next."""
    validator = create_validator(workspace)
    others = Validator.objects.filter(pk=validator.pk)
    topic_with(
        monkeypatch,
        AT_MS,
        asked=lambda: others.update(dead_letter_topic_id="id-9", indexed_offsets={"0": 1}),
    )
    assert not index_dead_letters(validator)
    assert not DeadLetter.objects.exists()


def test_letters_that_are_counted_while_others_are_indexed_stay_pending(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ticks look at what is pending only, and whoever counted it found its topic taken."""
    validator = create_validator(workspace)
    pending = Validator.objects.filter(pk=validator.pk)
    topic_with(monkeypatch, asked=lambda: pending.update(index_pending=True))
    assert not index_dead_letters(validator)
    assert pending.get().index_pending
    topic_with(monkeypatch)
    assert not index_dead_letters(validator)
    assert not pending.get().index_pending


def test_letters_stay_pending_while_the_cluster_is_silent(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent() -> None:
        raise UnreachableError("BROKER_UNREACHABLE", "It does not answer.")

    validator = create_validator(workspace)
    Validator.objects.update(index_pending=True)
    topic_with(monkeypatch, AT_MS, asked=silent)
    with pytest.raises(UnreachableError):
        index_dead_letters(validator)
    assert Validator.objects.get().index_pending


def test_a_topic_that_is_being_indexed_is_not_scanned_again_beside_it(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    validator, asks = create_validator(workspace), list[int]()

    def another() -> None:
        asks.append(1)
        tasks.index_dead_letters(validator.pk)

    topic_with(monkeypatch, AT_MS, asked=another)
    tasks.index_dead_letters(validator.pk)
    assert len(asks) == 1
    assert DeadLetter.objects.count() == 1
