"""JSON of validators, dead letters and redrives for the API."""

from collections import Counter
from datetime import timedelta
from typing import Any, Final

from django.db.models import Count, Max, Q, QuerySet, Sum
from django.utils import timezone

from jobs.base.budget import OverBudget
from jobs.formats.dead_letters import original_headers, parse_headers
from jobs.formats.decoding import decode, too_large
from jobs.formats.records import Malformed
from jobs.kafka_messages import dead_letter_topic
from jobs.run_states import NEVER_STARTED
from weir.clusters.services.message_headers import headers_of
from weir.dead_letters.models import CountedRange, DeadLetter, Redrive, Validator
from weir.dead_letters.services.dead_letter_topic import dead_letter_topic_of
from weir.dead_letters.services.edits import load_edit
from weir.dead_letters.services.indexing import EXPIRED, MAX_WAITING, fetch_message
from weir.dead_letters.services.lifecycle import required_by
from weir.runs.models import Desired
from weir.runs.services.queries import jobs_json
from weir.streams.models import Stream
from weir.streams.services.decoding import not_decoded, page_budget, shown_text
from weir.streams.services.record_json import key_json_text, value_json_text
from weir.streams.services.topic_ref import stream_ref
from weir.workspaces.errors import NotFoundError

MAX_SAMPLES: Final = 3
_HISTORY_PERIOD: Final = timedelta(hours=24)
_State = DeadLetter.State


def get_validator(stream: Stream) -> Validator:
    """The stream's validator.

    Raises:
        NotFoundError: contract validation was never on.
    """
    validator = (
        Validator.objects.select_related("stream__cluster", "job__workspace", "workspace")
        .filter(stream=stream)
        .first()
    )
    if validator is None:
        raise NotFoundError(
            "NO_VALIDATOR", f"Contract validation was never on for {stream.name}. Turn it on first."
        )
    return validator


def validation_json(stream: Stream) -> dict[str, Any]:
    """State and counts of a stream's contract validation; empty if it was never on."""
    validator = Validator.objects.select_related("job__workspace").filter(stream=stream).first()
    jobs = required_by(stream)
    row: dict[str, Any] = {
        "enabled": validator is not None and validator.enabled,
        "required_by": jobs,
        "on": validator is not None and validator.job.desired == Desired.RUNNING,
        "last_error": validator.last_error if validator is not None else "",
        "dead_letter_topic": dead_letter_topic(validator.job_id) if validator is not None else "",
        "index_pending": validator is not None and validator.index_pending,
        "max_waiting": MAX_WAITING,
        **_run_part(validator),
    }
    ranges = (
        CountedRange.objects.filter(validator=validator)
        if validator is not None
        else CountedRange.objects.none()
    )
    return {
        **row,
        "counts": _counts(ranges),
        "history": _history(ranges),
        "dead_letters": _dead_letter_counts(validator),
    }


def _run_part(validator: Validator | None) -> dict[str, Any]:
    if validator is None:
        nothing = {
            "observed": NEVER_STARTED,
            "observed_since": None,
            "last_seen_at": None,
            "failure": None,
            "retry_at": None,
        }
        return {**nothing, "lag_records": None, "records_per_second": None, "engine": None}
    (job,) = jobs_json([validator.job])
    state = {
        name: job[name] for name in ("observed", "observed_since", "last_seen_at", "failure", "retry_at")
    }
    lag, engine = job["lag"] or {}, job["engine"] or {}
    return {
        **state,
        "lag_records": lag.get("records"),
        "records_per_second": job["rows_per_second"],
        "engine": engine.get("id"),
    }


def _counts(ranges: QuerySet[CountedRange]) -> dict[str, Any]:
    total = ranges.aggregate(valid=Sum("valid"), skipped=Sum("skipped"), malformed=Sum("malformed"))
    reasons: Counter[str] = Counter()
    for found in ranges.filter(malformed__gt=0).values_list("reasons", flat=True):
        reasons.update(found)
    named = {name: value or 0 for name, value in total.items()}
    by_reason = [{"reason": reason, "records": records} for reason, records in reasons.most_common()]
    return {**named, "records": sum(named.values()), "by_reason": by_reason}


def _history(ranges: QuerySet[CountedRange]) -> list[dict[str, Any]]:
    """Counts of the last day by hour."""
    since = timezone.now() - _HISTORY_PERIOD
    rows = (
        ranges.filter(hour__gte=since)
        .values("hour")
        .annotate(records=Sum("valid") + Sum("skipped") + Sum("malformed"), bad=Sum("malformed"))
    )
    return [
        {"hour": row["hour"], "records": row["records"], "malformed": row["bad"]}
        for row in rows.order_by("hour")
    ]


def _dead_letter_counts(validator: Validator | None) -> dict[str, int]:
    states = (
        DeadLetter.objects.filter(validator=validator).values("state").annotate(n=Count("pk"))
        if validator is not None
        else []
    )
    found = {row["state"]: row["n"] for row in states}
    return {
        "kept": sum(found.values()),
        "waiting": found.get(_State.WAITING, 0),
        "in_flight": found.get(_State.QUEUED, 0) + found.get(_State.SENDING, 0),
        "redriven": found.get(_State.REDRIVEN, 0),
        "discarded": found.get(_State.DISCARDED, 0),
    }


def group_json(stream: Stream) -> list[dict[str, Any]]:
    """Dead letters by reason, most waiting first, with samples of the newest."""
    dead_letters = DeadLetter.objects.filter(validator__stream=stream)
    groups = dead_letters.values("reason").annotate(
        kept=Count("pk"),
        waiting=Count("pk", filter=Q(state=_State.WAITING)),
        redriven=Count("pk", filter=Q(state=_State.REDRIVEN)),
        discarded=Count("pk", filter=Q(state=_State.DISCARDED)),
        failed_again=Count("pk", filter=Q(redrive_count__gt=0)),
        newest=Max("timestamp"),
    )
    ordered = sorted(groups, key=lambda group: (-group["waiting"], group["reason"]))
    return [
        {**group, "samples": list(map(dead_letter_json, _samples(dead_letters, group["reason"])))}
        for group in ordered
    ]


def _samples(dead_letters: QuerySet[DeadLetter], reason: str) -> list[DeadLetter]:
    of_reason = dead_letters.filter(reason=reason)
    waiting = of_reason.filter(state=_State.WAITING)
    return list((waiting if waiting.exists() else of_reason).order_by("-pk")[:MAX_SAMPLES])


def dead_letter_json(dead_letter: DeadLetter) -> dict[str, Any]:
    """A dead letter in a list; `preview` is the beginning of its value."""
    names = (
        "partition",
        "offset",
        "timestamp",
        "reason",
        "size",
        "preview",
        "preview_is_text",
        "redrive_count",
        "state",
        "note",
        "resolved_at",
    )
    return {
        "id": dead_letter.pk,
        **{name: getattr(dead_letter, name) for name in names},
        "redrive": dead_letter.redrive_id,
    }


def get_dead_letter(validator: Validator, dead_letter_id: int) -> dict[str, Any]:
    """A dead letter with its complete record from Kafka, checked against the stream's current contract.

    Raises:
        NotFoundError: there is none with this id, or it has expired.
        UnreachableError: the cluster does not answer, or not in time.
    """
    dead_letter = DeadLetter.objects.filter(validator=validator, pk=dead_letter_id).first()
    if dead_letter is None:
        raise NotFoundError("NOT_FOUND", "Dead letter not found, or you don't have access.")
    message = fetch_message(dead_letter_topic_of(validator), dead_letter)
    parsed = parse_headers(headers_of(message)) if message is not None else None
    if message is None or parsed is None:
        raise NotFoundError("DEAD_LETTER_NOT_FOUND", EXPIRED)
    value: Any = message.value()
    value_text, value_is_text = shown_text(value, None)
    key_text, key_is_text = shown_text(parsed.key, None)
    ref = stream_ref(validator.stream)
    contract, headers = validator.stream.stream_contract, original_headers(headers_of(message))
    timestamp_us = max(0, parsed.timestamp_ms) * 1000  # as it was: the row's is one that a datetime can hold
    try:
        with page_budget():
            # What was kept of a truncated value may be a row by itself.
            decoded = (
                decode(value, parsed.key, contract, timestamp_us, ref.schema_of, headers=headers)
                if parsed.original_size is None
                else too_large(parsed.original_size)
            )
        error = _malformed_json(decoded) if isinstance(decoded, Malformed) else None
    except OverBudget as over:
        error = not_decoded(over)
    return {
        **dead_letter_json(dead_letter),
        "topic": parsed.topic,
        "rejected_by": parsed.rejected_by,
        "value": value_text,
        "value_is_text": value_is_text,
        "key": key_text,
        "key_is_text": key_is_text,
        "value_json": value_json_text(value, contract, ref.schema_of),
        "key_json": key_json_text(parsed.key, contract, ref.schema_of),
        "truncated": parsed.original_size is not None,
        "headers": [_header(name, text) for name, text in headers],
        "current_error": error,
    }


def _malformed_json(malformed: Malformed) -> dict[str, Any]:
    return {"reason": malformed.reason, "detail": malformed.detail, "field": malformed.field}


def _header(name: str, content: bytes | None) -> dict[str, Any]:
    text, is_text = shown_text(content, None)
    return {"name": name, "value": text, "value_is_text": is_text}


def redrive_json(redrive: Redrive) -> dict[str, Any]:
    """A redrive and its progress."""
    names = ("created_by", "created_at", "ended_at", "state", "rate", "total", "sent", "failed", "last_error")
    target = redrive.target.name if redrive.target is not None else None
    edit = list(map(str, load_edit(redrive.edit)))
    edited = redrive.value is not None or redrive.record is not None or bool(edit)
    return {
        "id": redrive.pk,
        "to": target,
        "edited": edited,
        "edit": edit,
        **{name: getattr(redrive, name) for name in names},
    }
