"""What the client refuses in the middle of a request: the records before it are written."""

from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException
from django.db import OperationalError, connection

from tests.support.fake_topic import Record
from tests.support.run_factories import trades
from weir.streams.services import producer
from weir.streams.services.producer import produce
from weir.streams.services.record_input import NewRecord
from weir.workspaces.errors import ServiceError, UnreachableError
from weir.workspaces.models import Event, User, Workspace

pytestmark = pytest.mark.django_db

REFUSALS = [KafkaException(KafkaError(KafkaError.MSG_SIZE_TOO_LARGE)), BufferError("Local: Queue full")]


class _Client:
    """Refuses a record as the client does by itself; all others are written."""

    def __init__(self, refusal: Exception) -> None:
        self._refusal = refusal
        self._waiting: list[Callable[[Any, Any], None]] = []

    def produce(self, topic: str, value: bytes, key: Any, partition: int, done: Any, **_: Any) -> None:
        if value == b"refused":
            raise self._refusal
        self._waiting.append(done)

    def poll(self, timeout: float) -> None:
        for number, done in enumerate(self._waiting):
            done(None, Record(0, number, None, None))
        self._waiting = []


def made(workspace: Workspace, owner: User, *values: bytes) -> Any:
    return produce(trades(workspace), owner, [NewRecord(value) for value in values])


@pytest.mark.parametrize("refusal", REFUSALS, ids=["too large", "queue full"])
def test_the_answer_says_what_was_written_before_a_refusal(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch, refusal: Exception
) -> None:
    monkeypatch.setattr(producer, "shared_producer", lambda profile: _Client(refusal))
    with pytest.raises(UnreachableError, match="confirmed only 2 of 4 records: ") as told:
        made(workspace, owner, b"a", b"b", b"refused", b"c")
    assert told.value.code == "PARTLY_WRITTEN"
    assert told.value.more["written"] == [
        {"partition": 0, "offset": 0},
        {"partition": 0, "offset": 1},
        None,
        None,
    ]
    assert told.value.more["unsure"] == []
    assert Event.objects.filter(text="2 records produced to trades").exists()


@pytest.mark.parametrize(
    ("values", "confirmed", "unsure"),
    [
        ([b"not written", b"written", b"no answer", b"timed out"], [1], [2, 3]),
        ([b"not written", b"timed out"], [], [1]),
    ],
)
def test_the_answer_says_what_may_have_been_written_all_the_same(
    workspace: Workspace,
    owner: User,
    monkeypatch: pytest.MonkeyPatch,
    values: list[bytes],
    confirmed: list[int],
    unsure: list[int],
) -> None:
    answers: dict[bytes, KafkaError | None] = {
        b"written": None,
        b"not written": KafkaError(KafkaError.MSG_SIZE_TOO_LARGE),
        b"timed out": KafkaError(KafkaError._MSG_TIMED_OUT),
    }

    class Slow(_Client):
        def produce(self, topic: str, value: bytes, *given: Any, **_: Any) -> None:
            if value in answers:
                error = answers[value]
                given[2](error, None if error else Record(0, 5, None, None))

    monkeypatch.setattr(producer, "shared_producer", lambda profile: Slow(BufferError()))
    monkeypatch.setattr(producer, "PRODUCE_TIMEOUT_S", 0.1)
    with pytest.raises(UnreachableError, match=f"confirmed only {len(confirmed)} of {len(values)} ") as told:
        made(workspace, owner, *values)
    written = [{"partition": 0, "offset": 5} if at in confirmed else None for at, _ in enumerate(values)]
    assert told.value.more == {"written": written, "unsure": unsure}


@pytest.mark.parametrize("refusal", REFUSALS, ids=["too large", "queue full"])
def test_nothing_was_written_before_the_first(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch, refusal: Exception
) -> None:
    monkeypatch.setattr(producer, "shared_producer", lambda profile: _Client(refusal))
    with pytest.raises(ServiceError) as told:
        made(workspace, owner, b"refused", b"a")
    assert told.value.code in ("BROKER_REJECTED", "BROKER_UNREACHABLE")
    assert not Event.objects.filter(text__contains="produced").exists()


def test_what_was_written_is_told_although_the_audit_trail_cannot_be_written(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: Any, **__: Any) -> None:
        raise OperationalError("database is locked")

    refusal = KafkaException(KafkaError(KafkaError.MSG_SIZE_TOO_LARGE))
    monkeypatch.setattr(producer, "shared_producer", lambda profile: _Client(refusal))
    monkeypatch.setattr(producer, "record_event", locked)
    stream = trades(workspace)
    assert produce(stream, owner, [NewRecord(b"a"), NewRecord(b"b")]) == [(0, 0), (0, 1)]
    with pytest.raises(UnreachableError) as told:
        produce(stream, owner, [NewRecord(b"a"), NewRecord(b"refused")])
    assert told.value.code == "PARTLY_WRITTEN"


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
def test_who_waits_for_kafka_holds_no_connection_to_the_database(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile = []

    class Noting(_Client):
        def poll(self, timeout: float) -> None:
            meanwhile.append(connection.connection)
            super().poll(timeout)

    monkeypatch.setattr(producer, "shared_producer", lambda profile: Noting(BufferError()))
    made(workspace, owner, b"a")
    assert set(meanwhile) == {None}
