"""What the API says of guards and letters: rows from the tables, and a letter whole from Kafka."""

from collections import Counter
from datetime import timedelta
from typing import Any, Final

from confluent_kafka import Message
from django.db.models import Count, Max, Q, QuerySet, Sum
from django.utils import timezone

from jobs.formats.dead_letters import original_headers, parse_headers
from jobs.formats.decoding import decode
from jobs.formats.records import Malformed
from jobs.messages import dead_topic
from weir.guards.edits import read_edit
from weir.guards.models import CountedRange, DeadLetter, Guard, Redrive
from weir.guards.services.dead_topic import dead_topic_of
from weir.guards.services.reading import letter_messages
from weir.guards.services.switching import needed_by
from weir.runs.api.selectors import jobs_json
from weir.runs.models import NEVER_STARTED, Desired
from weir.streams.decoding import shown_text
from weir.streams.models import Stream
from weir.streams.record_json import key_json_text, value_json_text
from weir.streams.topic_ref import stream_ref
from weir.workspaces.errors import NotFoundError

SAMPLES: Final = 3
_HISTORY: Final = timedelta(hours=24)
_State = DeadLetter.State


def find_guard(stream: Stream) -> Guard:
    """The stream's guard.

    Raises:
        NotFoundError: it never had one.
    """
    guard = Guard.objects.select_related("stream__cluster", "job__workspace", "workspace").filter(stream=stream).first()
    if guard is None:
        raise NotFoundError("NO_GUARD", f"Contract validation was never on for {stream.name}. Turn it on first.")
    return guard


def guard_row(stream: Stream) -> dict[str, Any]:
    """What a stream's guard does and what it counted; all of it empty where there never was one."""
    guard = Guard.objects.select_related("job__workspace").filter(stream=stream).first()
    jobs = needed_by(stream)
    row: dict[str, Any] = {
        "wanted": guard is not None and guard.wanted,
        "needed_by": jobs,
        "on": guard is not None and guard.job.desired == Desired.RUNNING,
        "trouble": guard.trouble if guard is not None else "",
        "dead_topic": dead_topic(guard.job_id) if guard is not None else "",
        "reading": guard is not None and guard.unread,
        **_run_part(guard),
    }
    ranges = CountedRange.objects.filter(guard=guard) if guard is not None else CountedRange.objects.none()
    return {**row, "counts": _counts(ranges), "history": _history(ranges), "letters": _letter_counts(guard)}


def _run_part(guard: Guard | None) -> dict[str, Any]:
    if guard is None:
        nothing = {"observed": NEVER_STARTED, "observed_since": None, "last_seen_at": None, "failure": None, "retry_at": None}
        return {**nothing, "lag_records": None, "records_per_second": None, "engine": None}
    (job,) = jobs_json([guard.job])
    told = {name: job[name] for name in ("observed", "observed_since", "last_seen_at", "failure", "retry_at")}
    lag, engine = job["lag"] or {}, job["engine"] or {}
    return {**told, "lag_records": lag.get("records"), "records_per_second": job["rows_per_second"], "engine": engine.get("id")}


def _counts(ranges: QuerySet[CountedRange]) -> dict[str, Any]:
    total = ranges.aggregate(valid=Sum("valid"), skipped=Sum("skipped"), malformed=Sum("malformed"))
    reasons: Counter[str] = Counter()
    for found in ranges.filter(malformed__gt=0).values_list("reasons", flat=True):
        reasons.update(found)
    named = {name: value or 0 for name, value in total.items()}
    by_reason = [{"reason": reason, "records": records} for reason, records in reasons.most_common()]
    return {**named, "records": sum(named.values()), "by_reason": by_reason}


def _history(ranges: QuerySet[CountedRange]) -> list[dict[str, Any]]:
    """By hour, for a day."""
    since = timezone.now() - _HISTORY
    rows = (
        ranges.filter(hour__gte=since)
        .values("hour")
        .annotate(records=Sum("valid") + Sum("skipped") + Sum("malformed"), bad=Sum("malformed"))
    )
    return [{"hour": row["hour"], "records": row["records"], "malformed": row["bad"]} for row in rows.order_by("hour")]


def _letter_counts(guard: Guard | None) -> dict[str, int]:
    states = DeadLetter.objects.filter(guard=guard).values("state").annotate(n=Count("pk")) if guard is not None else []
    found = {row["state"]: row["n"] for row in states}
    return {
        "kept": sum(found.values()),
        "waiting": found.get(_State.WAITING, 0),
        "on_their_way": found.get(_State.QUEUED, 0) + found.get(_State.SENDING, 0),
        "redriven": found.get(_State.REDRIVEN, 0),
        "dropped": found.get(_State.DROPPED, 0),
    }


def group_rows(stream: Stream) -> list[dict[str, Any]]:
    """Letters by reason, those with most that wait first, with samples of the newest."""
    letters = DeadLetter.objects.filter(guard__stream=stream)
    groups = letters.values("reason").annotate(
        kept=Count("pk"),
        waiting=Count("pk", filter=Q(state=_State.WAITING)),
        redriven=Count("pk", filter=Q(state=_State.REDRIVEN)),
        dropped=Count("pk", filter=Q(state=_State.DROPPED)),
        failed_again=Count("pk", filter=Q(times__gt=0)),
        newest=Max("at"),
    )
    ordered = sorted(groups, key=lambda group: (-group["waiting"], group["reason"]))
    return [{**group, "samples": [letter_row(letter) for letter in _samples(letters, group["reason"])]} for group in ordered]


def _samples(letters: QuerySet[DeadLetter], reason: str) -> list[DeadLetter]:
    of_reason = letters.filter(reason=reason)
    waiting = of_reason.filter(state=_State.WAITING)
    return list((waiting if waiting.exists() else of_reason).order_by("-pk")[:SAMPLES])


def letter_row(letter: DeadLetter) -> dict[str, Any]:
    """A letter in a list; `preview` is the beginning of its value."""
    names = ("partition", "offset", "at", "reason", "size", "preview", "preview_is_text", "times", "state", "note", "settled_at")
    return {"id": letter.pk, **{name: getattr(letter, name) for name in names}, "redrive": letter.redrive_id}


def whole_letter(guard: Guard, letter_id: int) -> dict[str, Any]:
    """A letter with all of its bytes, and what the stream's present contract says of it.

    Raises:
        NotFoundError: no such letter, or Kafka no longer keeps it.
        UnreachableError: the cluster does not answer.
    """
    letter = DeadLetter.objects.filter(guard=guard, pk=letter_id).first()
    if letter is None:
        raise NotFoundError("NOT_FOUND", "Dead letter not found, or you don't have access.")
    messages, _ = letter_messages(dead_topic_of(guard), [letter])
    told = parse_headers(_headers(messages[letter.pk])) if letter.pk in messages else None
    if told is None:
        raise NotFoundError("DEAD_LETTER_NOT_FOUND", "This dead letter expired (topic retention).")
    message = messages[letter.pk]
    value: Any = message.value()
    value_text, value_is_text = shown_text(value, None)
    key_text, key_is_text = shown_text(told.key, None)
    ref = stream_ref(guard.stream)
    found = decode(value, told.key, guard.stream.stream_contract, letter.at_us, ref.schema_of, headers=original_headers(_headers(message)))
    return {
        **letter_row(letter),
        "topic": told.topic,
        "rejected_by": told.rejected_by,
        "value": value_text,
        "value_is_text": value_is_text,
        "key": key_text,
        "key_is_text": key_is_text,
        "value_json": value_json_text(value, guard.stream.stream_contract, ref.schema_of),
        "key_json": key_json_text(told.key, guard.stream.stream_contract, ref.schema_of),
        "truncated": told.original_size is not None,
        "headers": [_header(name, text) for name, text in original_headers(_headers(message))],
        "now": {"reason": found.reason, "detail": found.detail, "field": found.field} if isinstance(found, Malformed) else None,
    }


def _headers(message: Message) -> Any:
    return message.headers() or []


def _header(name: str, content: bytes | None) -> dict[str, Any]:
    text, is_text = shown_text(content, None)
    return {"name": name, "value": text, "value_is_text": is_text}


def redrive_row(redrive: Redrive) -> dict[str, Any]:
    """How far a redrive is."""
    names = ("made_by", "made_at", "ended_at", "state", "rate", "total", "sent", "refused", "trouble")
    target = redrive.target.name if redrive.target is not None else None
    edit = [str(step) for step in read_edit(redrive.edit)]
    edited = redrive.value is not None or redrive.record is not None or bool(edit)
    return {"id": redrive.pk, "to": target, "edited": edited, "edit": edit, **{name: getattr(redrive, name) for name in names}}
