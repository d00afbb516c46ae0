"""Runs redrives in time slices. Every dead letter is sent once, even if a worker crashes.

A dead letter is set to `sending`, and the end offsets of the target's topic are stored, before the broker
gets it. After a crash the next worker scans from these offsets for the redrive's header: dead letters found
there were sent, the others were not.
"""

import time
from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from confluent_kafka import Message
from django.db import DatabaseError, DataError, transaction
from django.db.models import F, Q
from django.utils import timezone

from jobs.base.storable import without_nul
from jobs.formats.dead_letters import REDRIVEN_BY, REDRIVEN_FROM
from weir.clusters.services.clusters import profile_of
from weir.clusters.services.confirmations import OF_ANOTHER, REFUSED
from weir.clusters.services.message_headers import headers_of
from weir.clusters.services.offsets import watermarks
from weir.dead_letters.models import DeadLetter, Redrive
from weir.dead_letters.services.dead_letter_topic import dead_letter_topic_of
from weir.dead_letters.services.edits import load_edit
from weir.dead_letters.services.indexing import EXPIRED, fetch_messages
from weir.dead_letters.services.redriven_records import CannotSendError, RedrivenRecords
from weir.runs.models import new_id
from weir.streams.models import Stream
from weir.streams.services.producer import send
from weir.streams.services.record_input import NewRecord
from weir.streams.services.scan import OffsetRange, scan
from weir.streams.services.streams import confirm_topics
from weir.workspaces.errors import UNEXPECTED, ConflictError, NotFoundError, ServiceError
from weir.workspaces.models import Action
from weir.workspaces.services.events import record_event

_LOG: Final = structlog.get_logger("weir.dead_letters")
SLICE_S: Final = 1.0  # the longest that a tick of the reconciler may wait for each thread of the worker
BATCH_SIZE: Final = 100
_SHORT_PAUSE_S: Final = 0.05  # to enqueue the next slice costs about as much
_LEASE_TTL: Final = timedelta(
    seconds=40
)  # longer than the producer's delivery timeout: nothing is in flight when it expires
MAY_HAVE_ARRIVED: Final = "May have been sent: the target is gone, so it isn't known whether it arrived."
_State = DeadLetter.State


def due_redrives(now: datetime) -> list[str]:
    """The ids of the redrives with something left to do that no worker holds or paces, and whose clusters
    are not known to be silent.
    """
    undone = Q(state=Redrive.State.RUNNING) | Q(dead_letters__state=_State.SENDING)
    found = Redrive.objects.filter(undone & _is_free(now))
    found = found.exclude(validator__stream__cluster__reachable=False)
    return list(found.exclude(target__cluster__reachable=False).distinct().values_list("pk", flat=True))


def run_slice(redrive_id: str) -> float | None:
    """Run a redrive until its rate wants a pause, for about a second at most, unless another worker holds
    its lease.

    Returns:
        In how many seconds the next slice may begin; nobody else begins one before. None: nothing is left,
        another worker has it, or it has failed, and a later tick tries again.
    """
    token = new_id()
    if not _lease(redrive_id, token):
        return None
    redrive = Redrive.objects.select_related(
        "validator__stream__cluster", "validator__workspace", "target__cluster"
    ).get(pk=redrive_id)
    try:
        pause = _RedriveSlice(redrive, token).run()
        last_error = ""
    except ServiceError as error:
        pause, last_error = None, without_nul(error.detail)[:500]
    except Exception as error:  # people see that it does not go on; a later slice tries again
        if isinstance(error, DatabaseError) and not isinstance(error, DataError):
            raise  # the database is away; a value that it refuses is a defect of this redrive
        _LOG.exception("a redrive failed", redrive=redrive_id)
        pause, last_error = None, UNEXPECTED
    if last_error != redrive.last_error:
        Redrive.objects.filter(pk=redrive_id).update(last_error=last_error)
    if (
        not last_error
    ):  # after an error the lease expires by itself: what is in flight must have arrived before the next scan
        until = timezone.now() + timedelta(seconds=pause) if pause else None
        Redrive.objects.filter(pk=redrive_id, lease_owner=token).update(leased_until=until)
    return pause


def _is_free(now: datetime) -> Q:
    return Q(leased_until__isnull=True) | Q(leased_until__lt=now)


def _lease(redrive_id: str, token: str) -> bool:
    now = timezone.now()
    free = Redrive.objects.filter(_is_free(now), pk=redrive_id)
    return bool(free.update(lease_owner=token, leased_until=now + _LEASE_TTL))


class _RedriveSlice:
    """One time slice of a redrive."""

    def __init__(self, redrive: Redrive, token: str) -> None:
        self._redrive = redrive
        self._token = token
        self._validator = redrive.validator
        self._topic = dead_letter_topic_of(redrive.validator)
        self._edit = load_edit(redrive.edit)

    def run(self) -> float | None:
        """Recover from a crashed worker, then send. As `run_slice` returns."""
        if not self._recover():
            return None
        until = time.monotonic() + SLICE_S
        while time.monotonic() < until:
            began = time.monotonic()
            dead_letters = self._next()
            if not dead_letters:
                self._finish()
                return None
            tried = self._send(dead_letters)
            pause = max(0.0, tried / self._redrive.rate - (time.monotonic() - began))
            if pause > _SHORT_PAUSE_S:
                return pause
            time.sleep(pause)
        return 0.0

    def _dead_letters(self, state: str) -> Any:
        return DeadLetter.objects.filter(redrive=self._redrive, state=state).order_by(
            "dead_partition", "dead_offset"
        )

    def _next(self) -> list[DeadLetter]:
        return list(self._dead_letters(_State.QUEUED)[: max(1, min(BATCH_SIZE, self._redrive.rate // 2))])

    def _target(self) -> Stream:
        if self._redrive.target is None:
            raise ConflictError(
                "TARGET_NOT_FOUND", "Target stream was unregistered. Cancel and pick another."
            )
        (target,) = confirm_topics([self._redrive.target])
        return target

    def _send(self, dead_letters: list[DeadLetter]) -> int:
        """Send dead letters, as many as can be checked within a slice; the others stay queued. How many had
        their turn.
        """
        messages, expired = fetch_messages(self._topic, dead_letters)
        self._return_to_waiting(
            [dead_letter.pk for dead_letter in dead_letters if dead_letter.pk in expired],
            EXPIRED,
        )
        target = self._target()
        tried, records = self._sendable(dead_letters, messages, target)
        if records and self._set_sending(list(records), target):
            self._write(records, target)
        return tried

    def _sendable(
        self, dead_letters: list[DeadLetter], messages: dict[int, Message], target: Stream
    ) -> tuple[int, dict[int, NewRecord]]:
        """How many were tried, at least one, and the records to send by id of the dead letter; dead letters
        that can't be sent wait again. To check an edited record can take more than a second, and the lease
        does not last for a hundred of them.
        """
        redriven = RedrivenRecords(self._redrive, self._edit, target)
        records: dict[int, NewRecord] = {}
        until = time.monotonic() + SLICE_S  # from now: to fetch them takes its time, too
        for tried, dead_letter in enumerate(dead_letters):
            if tried and time.monotonic() > until:
                return tried, records
            if dead_letter.pk in messages:
                try:
                    records[dead_letter.pk] = redriven.record_of(dead_letter, messages[dead_letter.pk])
                except CannotSendError as error:
                    self._return_to_waiting([dead_letter.pk], str(error))
        return len(dead_letters), records

    def _write(self, records: dict[int, NewRecord], target: Stream) -> None:
        """Send records; those that the broker confirms are redriven.

        Kafka may refuse a whole batch for one of its records, or for its size. So each of those refused is
        sent again alone; one that is refused then waits again, with Kafka's reason as its note.

        Raises:
            ConflictError: some were neither confirmed nor refused; the next slice finds out whether they
                arrived.
        """
        ids = list(records)
        sent = send(profile_of(target.cluster), target.topic, list(records.values()))
        confirmed = [pk for pk, at in zip(ids, sent.coordinates, strict=True) if at is not None]
        self._set_redriven(confirmed)
        codes = REFUSED if len(ids) == 1 else {*REFUSED, OF_ANOTHER}
        failures = dict(sent.failures)  # after a timeout more may come, on another thread
        refused = {ids[number]: error for number, error in failures.items() if error.code() in codes}
        for pk, error in refused.items():
            if len(ids) == 1:
                reason = error.str().removesuffix(".")
                self._return_to_waiting(
                    [pk], f"Kafka refused it: {reason}. Edit it, or redrive it to another stream."
                )
            elif self._renew():
                self._write({pk: records[pk]}, target)
            else:
                return
        unknown = len(ids) - len(confirmed) - len(refused)
        if unknown:
            reason = sent.cause.str() if sent.cause else "the cluster timed out"
            raise ConflictError(
                "PARTLY_WRITTEN",
                f"{unknown} records were not confirmed: {reason}. Retrying automatically.",
            )

    def _set_sending(self, dead_letters: list[int], target: Stream) -> bool:
        """Set dead letters to `sending` and store the target's end offsets. False if cancelled or
        taken over by another worker.
        """
        ends = {
            str(at[1]): high
            for at, (_, high) in watermarks(
                profile_of(target.cluster), {target.topic: target.partitions}
            ).items()
        }
        with transaction.atomic():
            owned = Redrive.objects.select_for_update().filter(
                pk=self._redrive.pk, lease_owner=self._token, state=Redrive.State.RUNNING
            )
            if not owned.update(target_end_offsets=ends, leased_until=timezone.now() + _LEASE_TTL):
                return False
            DeadLetter.objects.filter(pk__in=dead_letters, state=_State.QUEUED).update(state=_State.SENDING)
        return True

    def _set_redriven(self, dead_letters: list[int]) -> None:
        with transaction.atomic():
            done = DeadLetter.objects.filter(pk__in=dead_letters, state=_State.SENDING).update(
                state=_State.REDRIVEN, resolved_at=timezone.now()
            )
            Redrive.objects.filter(pk=self._redrive.pk).update(sent=F("sent") + done)

    def _return_to_waiting(self, dead_letters: list[int], reason: str) -> None:
        """Set dead letters back to `waiting`, with the reason as their note."""
        if not dead_letters:
            return
        with transaction.atomic():
            own = DeadLetter.objects.filter(pk__in=dead_letters, redrive=self._redrive)
            returned = own.update(state=_State.WAITING, redrive=None, note=without_nul(reason)[:500])
            Redrive.objects.filter(pk=self._redrive.pk).update(failed=F("failed") + returned)

    def _recover(self) -> bool:
        """Find out which dead letters arrived that were being sent when a worker crashed. False if it took
        so long that another worker has taken over.

        Where their target is gone this stays unknown. Then they wait again once the redrive is canceled, with
        a note that says so.
        """
        unsure = list(self._dead_letters(_State.SENDING))
        if not unsure:
            return True
        found: list[int] = []
        note: dict[str, str] = {}
        try:
            arrived = self._arrived(self._target())
        except (ConflictError, NotFoundError):
            if self._redrive.state == Redrive.State.RUNNING:
                raise
            note = {"note": MAY_HAVE_ARRIVED}
        else:
            if arrived is None:
                return False
            topic = self._validator.stream.topic
            found = [
                dead_letter.pk
                for dead_letter in unsure
                if f"{topic}/{dead_letter.partition}/{dead_letter.offset}" in arrived
            ]
        with transaction.atomic():
            if not self._renew():
                return False
            self._set_redriven(found)
            state = Redrive.objects.values_list("state", flat=True).get(pk=self._redrive.pk)
            again: dict[str, Any] = (
                {"state": _State.QUEUED}
                if state == Redrive.State.RUNNING
                else {"state": _State.WAITING, "redrive": None, **note}
            )
            DeadLetter.objects.filter(
                pk__in=[dead_letter.pk for dead_letter in unsure], state=_State.SENDING
            ).update(**again)
        return True

    def _renew(self) -> bool:
        """Keep the lease; False if another worker has it."""
        own = Redrive.objects.filter(pk=self._redrive.pk, lease_owner=self._token)
        return bool(own.update(leased_until=timezone.now() + _LEASE_TTL))

    def _arrived(self, target: Stream) -> set[str] | None:
        """Original coordinates of the records that this redrive has written after the stored end offsets;
        None if another worker has taken over.

        They are in no transaction, so those that another program left open are not waited for.
        """
        profile, ends = profile_of(target.cluster), self._redrive.target_end_offsets
        logs = {at[1]: both for at, both in watermarks(profile, {target.topic: target.partitions}).items()}
        ranges = {
            p: OffsetRange(max(low, min(ends.get(str(p), low), high)), high, low, high)
            for p, (low, high) in logs.items()
        }
        arrived: set[str] = set()

        def notice(message: Message) -> bool:
            headers = dict(headers_of(message))
            if headers.get(REDRIVEN_BY) == self._redrive.pk.encode():
                arrived.add((headers.get(REDRIVEN_FROM) or b"").decode())
            return False

        while any(each.start < each.end for each in ranges.values()):
            if not self._renew():
                return None
            found = scan(profile, target.topic, ranges, 1, accepts=notice, committed=False)
            ranges = {p: OffsetRange(found.positions[p], each.end, *logs[p]) for p, each in ranges.items()}
        return arrived

    def _finish(self) -> None:
        running = Redrive.objects.filter(
            pk=self._redrive.pk, lease_owner=self._token, state=Redrive.State.RUNNING
        )
        if running.update(state=Redrive.State.DONE, ended_at=timezone.now()):
            self._redrive.refresh_from_db()
            stream, redrive = self._validator.stream, self._redrive
            text = f"Redrive of {redrive.total} dead letters from {stream.name} done: {redrive.sent} sent"
            record_event(
                self._validator.workspace,
                "stream",
                text,
                actor=redrive.created_by,
                subject=stream.name,
                action=Action.REDRIVEN,
            )
