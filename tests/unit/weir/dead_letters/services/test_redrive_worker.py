"""What a redrive makes of dead letters of which a worker that is gone did not say whether they were sent."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka import KafkaError
from django.db import DataError
from django.utils import timezone

from jobs.formats import dead_letters
from tests.support.fake_topic import Record
from tests.support.validator_factories import create_dead_letter, create_validator
from weir.clusters.models import Cluster
from weir.clusters.services.confirmations import Confirmations
from weir.dead_letters import tasks
from weir.dead_letters.models import DeadLetter, Redrive, Validator
from weir.dead_letters.services import redrive_worker
from weir.dead_letters.services.edits import dump_edit, parse_edit
from weir.dead_letters.services.redrive_worker import due_redrives, run_slice
from weir.dead_letters.services.redriven_records import RedrivenRecords
from weir.dead_letters.services.redrives import cancel_redrive
from weir.streams.models import Stream
from weir.streams.services.record_input import NewRecord
from weir.workspaces.errors import UNEXPECTED
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]

HEADERS: list[tuple[str, bytes | None]] = [
    (dead_letters.TOPIC, b"trades"),
    (dead_letters.TOPIC_ID, b"id-1"),
    (dead_letters.PARTITION, b"0"),
    (dead_letters.OFFSET, b"1"),
    (dead_letters.TIMESTAMP, b"1750000000000"),
    (dead_letters.REJECTED_BY, b"decode"),
    (dead_letters.REASON, b"FIELD_TYPE"),
]


@pytest.fixture
def validator(workspace: Workspace) -> Validator:
    return create_validator(workspace)


def unsure(validator: Validator, state: str, **more: Any) -> tuple[Redrive, DeadLetter]:
    """A redrive in a state, and a letter that it was sending."""
    redrive = Redrive.objects.create(validator=validator, rate=1, total=1, state=state, **more)
    letter = DeadLetter.objects.create(
        validator=validator,
        topic_id="id-1",
        partition=0,
        offset=1,
        dead_partition=0,
        dead_offset=1,
        timestamp=timezone.now(),
        reason="NOT_JSON",
        size=1,
        state=DeadLetter.State.SENDING,
        redrive=redrive,
    )
    return redrive, letter


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """What happens while the target's topic is looked through, which has nothing."""
    found: list[Callable[[], object]] = []

    def ask(*_: object) -> dict[tuple[str, int], tuple[int, int]]:
        for each in found:
            each()
        return {}

    monkeypatch.setattr(redrive_worker, "confirm_topics", lambda streams: streams)
    monkeypatch.setattr(redrive_worker, "watermarks", ask)
    return found


def test_letters_of_a_canceled_redrive_whose_target_is_gone_wait_again(validator: Validator) -> None:
    redrive, letter = unsure(validator, Redrive.State.CANCELLED)
    run_slice(redrive.pk)
    letter.refresh_from_db()
    assert (letter.state, letter.redrive) == (DeadLetter.State.WAITING, None)
    assert letter.note == "May have been sent: the target is gone, so it isn't known whether it arrived."


def test_a_redrive_whose_target_is_gone_says_so_until_it_is_canceled(
    validator: Validator, owner: User
) -> None:
    redrive, letter = unsure(validator, Redrive.State.RUNNING)
    run_slice(redrive.pk)
    redrive.refresh_from_db()
    letter.refresh_from_db()
    assert redrive.last_error == "Target stream was unregistered. Cancel and pick another."
    assert letter.state == DeadLetter.State.SENDING
    cancel_redrive(redrive, owner)
    Redrive.objects.update(leased_until=None)
    run_slice(redrive.pk)
    letter.refresh_from_db()
    assert letter.state == DeadLetter.State.WAITING


def test_letters_of_a_redrive_that_is_canceled_meanwhile_wait_again(
    validator: Validator, owner: User, meanwhile: list[Callable[[], object]]
) -> None:
    redrive, letter = unsure(validator, Redrive.State.RUNNING, target=validator.stream)
    meanwhile.append(lambda: cancel_redrive(Redrive.objects.get(pk=redrive.pk), owner))
    run_slice(redrive.pk)
    letter.refresh_from_db()
    assert (letter.state, letter.redrive, letter.note) == (DeadLetter.State.WAITING, None, "")


def test_who_has_lost_the_lease_meanwhile_leaves_letters_to_who_has_it(
    validator: Validator, meanwhile: list[Callable[[], object]]
) -> None:
    """Else what the other is sending now would be sent twice."""
    redrive, letter = unsure(validator, Redrive.State.RUNNING, target=validator.stream)
    meanwhile.append(lambda: Redrive.objects.filter(pk=redrive.pk).update(lease_owner="another"))
    run_slice(redrive.pk)
    letter.refresh_from_db()
    assert letter.state == DeadLetter.State.SENDING


def test_a_redrive_that_fails_for_a_reason_nobody_thought_of_says_so(
    validator: Validator, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise KeyError("headers")

    redrive, letter = unsure(validator, Redrive.State.RUNNING, target=validator.stream)
    DeadLetter.objects.update(state=DeadLetter.State.QUEUED)
    monkeypatch.setattr(redrive_worker, "fetch_messages", fail)
    assert run_slice(redrive.pk) is None
    redrive.refresh_from_db()
    letter.refresh_from_db()
    assert (redrive.state, redrive.last_error) == (Redrive.State.RUNNING, UNEXPECTED)
    assert letter.state == DeadLetter.State.QUEUED


def test_a_letter_whose_keys_a_database_cannot_hold_waits_again_with_a_note(
    validator: Validator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL takes no NUL: the redrive would try this letter again, for ever."""
    fields = [{"name": "m", "type": "map<string,int>"}]
    Stream.objects.filter(pk=validator.stream_id).update(contract={"fields": fields})
    edit = dump_edit(parse_edit([{"op": "set", "field": "n", "value": 1}]))
    redrive = Redrive.objects.create(
        validator=validator, rate=5_000, total=1, target=validator.stream, edit=edit
    )
    create_dead_letter(validator, 1, "FIELD_TYPE", state="queued", redrive=redrive)
    kept = Record(0, 1, b'{"m":{"a\\u0000b":"x"}}', None, header_list=HEADERS)
    monkeypatch.setattr(redrive_worker, "confirm_topics", lambda streams: streams)
    monkeypatch.setattr(
        redrive_worker, "fetch_messages", lambda _, letters: ({each.pk: kept for each in letters}, set())
    )
    assert run_slice(redrive.pk) is None
    redrive.refresh_from_db()
    letter = DeadLetter.objects.get()
    assert (redrive.state, redrive.failed, letter.state) == ("done", 1, "waiting")
    assert "m.a\\x00b" in letter.note
    assert "'x' is not int." in letter.note


def test_a_value_that_the_database_refuses_is_told(
    validator: Validator, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise DataError("value too long")

    redrive, _ = unsure(validator, Redrive.State.RUNNING, target=validator.stream)
    DeadLetter.objects.update(state=DeadLetter.State.QUEUED)
    monkeypatch.setattr(redrive_worker, "fetch_messages", refuse)
    assert run_slice(redrive.pk) is None
    redrive.refresh_from_db()
    assert redrive.last_error == UNEXPECTED


class Target:
    """A topic that refuses each batch with a record "bad", as Kafka does: nothing of it is written. `named`:
    it says of which record the refusal is; else it refuses all.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, refusal: int, *, named: bool = True) -> None:
        self.refusal, self.named = KafkaError(refusal), named
        self.written: list[bytes | None] = []
        self.timeouts = False
        monkeypatch.setattr(redrive_worker, "send", self.send)
        monkeypatch.setattr(redrive_worker, "confirm_topics", lambda streams: streams)
        monkeypatch.setattr(redrive_worker, "watermarks", lambda *_: {("trades", 0): (0, 0)})
        monkeypatch.setattr(
            redrive_worker, "fetch_messages", lambda _, letters: ({each.pk: each for each in letters}, set())
        )
        monkeypatch.setattr(
            RedrivenRecords, "record_of", lambda _, letter, message: NewRecord(letter.preview.encode())
        )

    def send(self, profile: Any, topic: str, records: list[NewRecord]) -> Confirmations:
        found = Confirmations(len(records))
        bad = [number for number, record in enumerate(records) if record.value == b"bad"]
        for number, record in enumerate(records):
            done = found.callback(number)
            if bad:
                of_another = KafkaError(KafkaError._INVALID_DIFFERENT_RECORD)
                done(of_another if self.named and number not in bad else self.refusal, None)
            elif not self.timeouts:
                done(None, Record(0, len(self.written), None, None))
                self.written.append(record.value)
        return found


def queued(validator: Validator, *previews: str) -> Redrive:
    redrive = Redrive.objects.create(
        validator=validator, rate=5_000, total=len(previews), target=validator.stream
    )
    for offset, preview in enumerate(previews):
        create_dead_letter(validator, offset, preview=preview, state="queued", redrive=redrive)
    return redrive


@pytest.mark.parametrize("named", [True, False], ids=["the record is named", "all of its batch"])
@pytest.mark.parametrize(
    "refusal",
    [
        KafkaError.INVALID_RECORD,
        KafkaError.INVALID_TIMESTAMP,
        KafkaError.MSG_SIZE_TOO_LARGE,
        KafkaError.RECORD_LIST_TOO_LARGE,
        KafkaError.POLICY_VIOLATION,
    ],
)
def test_a_letter_that_kafka_refuses_waits_again_and_the_others_go_on(
    validator: Validator, monkeypatch: pytest.MonkeyPatch, refusal: int, named: bool
) -> None:
    target = Target(monkeypatch, refusal, named=named)
    redrive = queued(validator, "bad", "a", "b")
    assert run_slice(redrive.pk) is None
    redrive.refresh_from_db()
    assert (redrive.state, redrive.sent, redrive.failed, redrive.last_error) == ("done", 2, 1, "")
    assert target.written == [b"a", b"b"]
    refused, *others = DeadLetter.objects.order_by("offset")
    reason = KafkaError(refusal).str().removesuffix(".")
    assert refused.note == f"Kafka refused it: {reason}. Edit it, or redrive it to another stream."
    assert (refused.state, refused.redrive) == ("waiting", None)
    assert {letter.state for letter in others} == {"redriven"}


def test_a_letter_of_which_kafka_said_nothing_is_looked_for(
    validator: Validator, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = Target(monkeypatch, KafkaError.INVALID_RECORD)
    target.timeouts = True
    redrive = queued(validator, "bad", "a")
    assert run_slice(redrive.pk) is None
    redrive.refresh_from_db()
    assert redrive.last_error.startswith("1 records were not confirmed: the cluster timed out")
    assert (redrive.sent, redrive.failed) == (0, 1)
    assert list(DeadLetter.objects.order_by("offset").values_list("state", flat=True)) == [
        "waiting",
        "sending",
    ]


def test_a_redrive_that_waits_for_its_rate_holds_no_thread(
    validator: Validator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six of them would hold all threads of the worker, and keep the reconciler from its ticks."""
    target, slept, queued_later = Target(monkeypatch, KafkaError.INVALID_RECORD), [], []
    monkeypatch.setattr(redrive_worker.time, "sleep", slept.append)
    monkeypatch.setattr(
        tasks, "enqueue", lambda task, redrive_id, after_s: queued_later.append((redrive_id, after_s))
    )
    redrive = queued(validator, "a", "b", "c")
    Redrive.objects.update(rate=2)
    now = timezone.now()
    tasks.run_redrive(redrive.pk)
    ((queued_id, pause),) = queued_later
    assert (queued_id, slept, target.written) == (redrive.pk, [], [b"a"])
    assert 0.2 < pause <= 0.5
    assert due_redrives(now) == []  # a tick begins no slice before the rate allows it
    tasks.run_redrive(redrive.pk)
    assert (len(queued_later), target.written) == (1, [b"a"])
    Redrive.objects.update(leased_until=now)
    assert due_redrives(timezone.now()) == [redrive.pk]
    tasks.run_redrive(redrive.pk)
    assert target.written == [b"a", b"b"]


def test_letters_that_take_long_to_check_wait_for_the_next_slice(
    validator: Validator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lease does not last for a hundred of them: the next worker would begin with the same ones."""
    target = Target(monkeypatch, KafkaError.INVALID_RECORD)

    def slow(_: RedrivenRecords, letter: DeadLetter, message: Any) -> NewRecord:
        time.sleep(0.02)
        return NewRecord(letter.preview.encode())

    monkeypatch.setattr(RedrivenRecords, "record_of", slow)
    monkeypatch.setattr(redrive_worker, "SLICE_S", 0.01)
    redrive = queued(validator, "a", "b", "c")
    assert run_slice(redrive.pk) == 0.0
    assert target.written == [b"a"]
    assert DeadLetter.objects.filter(state="queued").count() == 2
    while run_slice(redrive.pk) is not None:
        pass
    redrive.refresh_from_db()
    assert (redrive.state, target.written) == ("done", [b"a", b"b", b"c"])


def test_a_tick_asks_no_silent_cluster_for_its_redrives(
    validator: Validator, monkeypatch: pytest.MonkeyPatch
) -> None:
    redrive = queued(validator, "a")
    Cluster.objects.update(reachable=False)
    assert due_redrives(timezone.now()) == []
    Cluster.objects.update(reachable=None)
    assert due_redrives(timezone.now()) == [redrive.pk]
