"""Sending letters again, a slice at a time: each once, also when a worker dies in between.

A letter is marked before it is handed to the broker, and the end of the target's topic is noted with it. Whoever takes over
after a crash looks behind that end for the redrive's own header: letters found there were sent, the others were not.
"""

import time
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from confluent_kafka import Message
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from jobs.connections import ClusterProfile
from jobs.formats.dead_letters import REDRIVEN_BY, REDRIVEN_FROM, original_headers, parse_headers, redriven_headers
from jobs.formats.dead_letters import DeadLetter as ToldLetter
from jobs.formats.malformed_reasons import MAX_BYTES
from weir.clusters.services import profile_of
from weir.clusters.topics import watermarks
from weir.guards.edits import EditError, read_edit
from weir.guards.models import DeadLetter, Redrive
from weir.guards.replacing import restored
from weir.guards.services.dead_topic import dead_topic_of
from weir.guards.services.mending import LetterRecord, mended
from weir.guards.services.reading import letter_messages
from weir.runs.models import new_id
from weir.streams.models import Stream
from weir.streams.producer import send
from weir.streams.record_input import NewRecord
from weir.streams.scan import OffsetRange, scan
from weir.streams.services import confirm_topics
from weir.streams.topic_ref import TopicRef, stream_ref
from weir.workspaces.errors import ConflictError, ServiceError
from weir.workspaces.services import record_event

SLICE_S: Final = 5.0
AT_ONCE: Final = 100
_LEASE: Final = timedelta(seconds=40)  # longer than the broker may take to answer: nothing is on its way when it ends
_ROOM: Final = 8 * 1024  # of a message, for headers
_State = DeadLetter.State


def send_slice(redrive_id: str) -> bool:
    """Send for some seconds; True when more is left and it may go on at once. Another worker's redrive is left alone."""
    token = new_id()
    if not _lease(redrive_id, token):
        return False
    redrive = Redrive.objects.select_related("guard__stream__cluster", "guard__workspace", "target__cluster").get(pk=redrive_id)
    try:
        left = _Slice(redrive, token).run()
        trouble = ""
    except ServiceError as error:
        left, trouble = False, error.detail[:500]
    if trouble != redrive.trouble:
        Redrive.objects.filter(pk=redrive_id).update(trouble=trouble)
    if not trouble:  # with trouble the lease runs out by itself: what is on its way must have arrived before anybody looks for it
        Redrive.objects.filter(pk=redrive_id, lease=token).update(leased_until=None)
    return left


def _lease(redrive_id: str, token: str) -> bool:
    now = timezone.now()
    free = Q(leased_until__isnull=True) | Q(leased_until__lt=now)
    return bool(Redrive.objects.filter(free, pk=redrive_id).update(lease=token, leased_until=now + _LEASE))


class _Slice:
    """One worker's turn with a redrive."""

    def __init__(self, redrive: Redrive, token: str) -> None:
        self._redrive = redrive
        self._token = token
        self._guard = redrive.guard
        self._topic = dead_topic_of(redrive.guard)
        self._edit = read_edit(redrive.edit)

    def run(self) -> bool:
        """Settle what a dead worker left, then send until the time is up; True when more is left."""
        self._settle()
        until = time.monotonic() + SLICE_S
        while time.monotonic() < until:
            began = time.monotonic()
            letters = self._next()
            if not letters:
                self._finish()
                return False
            self._send(letters)
            time.sleep(max(0.0, len(letters) / self._redrive.rate - (time.monotonic() - began)))
        return True

    def _letters(self, state: str) -> Any:
        return DeadLetter.objects.filter(redrive=self._redrive, state=state).order_by("dead_partition", "dead_offset")

    def _next(self) -> list[DeadLetter]:
        return list(self._letters(_State.QUEUED)[: max(1, min(AT_ONCE, self._redrive.rate // 2))])

    def _target(self) -> Stream:
        if self._redrive.target is None:
            raise ConflictError("TARGET_NOT_FOUND", "Target stream was unregistered. Cancel and pick another.")
        (target,) = confirm_topics([self._redrive.target])
        return target

    def _send(self, letters: list[DeadLetter]) -> None:
        messages, gone = letter_messages(self._topic, letters)
        self._give_up([letter for letter in letters if letter.pk in gone], "This dead letter expired (topic retention).")
        target = self._target()
        ref = stream_ref(target)
        records: dict[int, NewRecord] = {}
        for letter in letters:
            if letter.pk in messages:
                record, why = self._record(letter, messages[letter.pk], target, ref)
                if record is None:
                    self._give_up([letter], why)
                else:
                    records[letter.pk] = record
        if records and self._mark(list(records), target):
            places, failures = send(profile_of(target.cluster), target.topic, list(records.values()))
            confirmed = [pk for pk, place in zip(records, places, strict=True) if place is not None]
            self._sent(confirmed)
            if len(confirmed) < len(records):
                why = failures[0].str() if failures else "the cluster timed out"
                raise ConflictError(
                    "PARTLY_WRITTEN", f"{len(records) - len(confirmed)} records were not confirmed: {why}. Retrying automatically."
                )

    def _record(self, letter: DeadLetter, message: Message, target: Stream, ref: TopicRef) -> tuple[NewRecord | None, str]:
        """The record to send, or why it cannot be."""
        headers: Any = message.headers() or []
        told, own, other = parse_headers(headers), self._redrive.value, self._redrive.record
        if told is None:
            return None, "The topic was recreated; the record is gone."
        if other is not None:
            return self._replaced(told, restored(other), letter, target)
        if told.original_size is not None and own is None:
            return None, f"Only the beginning of its {told.original_size} bytes was kept."
        value: Any = message.value() if own is None else bytes(own)
        try:
            if self._edit:
                value = mended(LetterRecord(value, told.key, letter.at_us, tuple(original_headers(headers))), self._edit, target, ref)
        except EditError as error:
            return None, str(error)
        return self._ready(NewRecord(value, told.key, tuple(redriven_headers(headers, told, self._redrive.pk))), letter, target)

    def _replaced(self, told: ToldLetter, record: NewRecord, letter: DeadLetter, target: Stream) -> tuple[NewRecord | None, str]:
        """What is sent instead of the letter; with another key it goes to that key's partition."""
        sent = tuple(redriven_headers(record.headers, told, self._redrive.pk))
        made = NewRecord(record.value, record.key, sent)
        return self._ready(made, letter, target) if record.key == told.key else self._small(made)

    def _ready(self, record: NewRecord, letter: DeadLetter, target: Stream) -> tuple[NewRecord | None, str]:
        """The record in the partition that it had, where it goes home."""
        is_home = target.pk == self._guard.stream_id and letter.partition < target.partitions
        return self._small(replace(record, partition=letter.partition) if is_home else record)

    def _small(self, record: NewRecord) -> tuple[NewRecord | None, str]:
        size = len(record.value or b"") + len(record.key or b"") + sum(len(name) + len(text or b"") for name, text in record.headers)
        if size > MAX_BYTES - _ROOM:
            return None, f"With its headers, the record has {size} bytes; the limit is {MAX_BYTES - _ROOM}."
        return record, ""

    def _mark(self, letters: list[int], target: Stream) -> bool:
        """Say that these are being sent, from which ends on; False when this turn is over: cancelled, or another's."""
        ends = {str(at[1]): high for at, (_, high) in watermarks(profile_of(target.cluster), {target.topic: target.partitions}).items()}
        with transaction.atomic():
            held = Redrive.objects.select_for_update().filter(pk=self._redrive.pk, lease=self._token, state=Redrive.State.RUNNING)
            if not held.update(ends=ends, leased_until=timezone.now() + _LEASE):
                return False
            DeadLetter.objects.filter(pk__in=letters, state=_State.QUEUED).update(state=_State.SENDING)
        return True

    def _sent(self, letters: list[int]) -> None:
        with transaction.atomic():
            done = DeadLetter.objects.filter(pk__in=letters, state=_State.SENDING).update(state=_State.REDRIVEN, settled_at=timezone.now())
            Redrive.objects.filter(pk=self._redrive.pk).update(sent=F("sent") + done)

    def _give_up(self, letters: list[DeadLetter], why: str) -> None:
        """They wait again, with why they were not sent."""
        if not letters:
            return
        with transaction.atomic():
            own = DeadLetter.objects.filter(pk__in=[letter.pk for letter in letters], redrive=self._redrive)
            kept = own.update(state=_State.WAITING, redrive=None, note=why[:500])
            Redrive.objects.filter(pk=self._redrive.pk).update(refused=F("refused") + kept)

    def _settle(self) -> None:
        """Letters that were being sent when a worker ended: look behind the noted ends which of them arrived."""
        unsure = list(self._letters(_State.SENDING))
        if not unsure:
            return
        target = self._target()
        arrived = _arrived(profile_of(target.cluster), target, self._redrive)
        topic = self._guard.stream.topic
        found = [letter.pk for letter in unsure if f"{topic}/{letter.partition}/{letter.offset}" in arrived]
        self._sent(found)
        is_on = self._redrive.state == Redrive.State.RUNNING
        again = {"state": _State.QUEUED} if is_on else {"state": _State.WAITING, "redrive": None}
        DeadLetter.objects.filter(pk__in=[letter.pk for letter in unsure], state=_State.SENDING).update(**again)

    def _finish(self) -> None:
        running = Redrive.objects.filter(pk=self._redrive.pk, lease=self._token, state=Redrive.State.RUNNING)
        if running.update(state=Redrive.State.DONE, ended_at=timezone.now()):
            self._redrive.refresh_from_db()
            stream, redrive = self._guard.stream, self._redrive
            said = f"Redrive of {redrive.total} dead letters from {stream.name} done: {redrive.sent} sent"
            record_event(self._guard.workspace, "stream", said, actor=redrive.made_by, subject=stream.name)


def _arrived(profile: ClusterProfile, target: Stream, redrive: Redrive) -> set[str]:
    """Where the records came from that this redrive wrote behind its noted ends."""
    logs = {at[1]: both for at, both in watermarks(profile, {target.topic: target.partitions}).items()}
    ranges = {p: OffsetRange(max(low, min(redrive.ends.get(str(p), low), high)), high, low, high) for p, (low, high) in logs.items()}
    arrived: set[str] = set()

    def notice(message: Message) -> bool:
        headers: Any = dict(message.headers() or [])
        if headers.get(REDRIVEN_BY) == redrive.pk.encode():
            arrived.add((headers.get(REDRIVEN_FROM) or b"").decode())
        return False

    while any(span.start < span.end for span in ranges.values()):
        found = scan(profile, target.topic, ranges, 1, accepts=notice)
        ranges = {p: OffsetRange(found.positions[p], span.end, *logs[p]) for p, span in ranges.items()}
    return arrived
