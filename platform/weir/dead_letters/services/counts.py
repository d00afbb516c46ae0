"""Stores the counts that validators report. The relay calls it inside its transaction."""

from collections import Counter
from datetime import datetime

from django.db import transaction
from django.db.models import Count

from jobs.base.instants import Instant, datetime_of
from jobs.kafka_messages import Report, ValidatedRange, ValidationReport
from weir.dead_letters.models import CountedRange, Validator
from weir.dead_letters.task_names import INDEX_DEAD_LETTERS
from weir.retention import HOURLY_COUNTS_RETENTION
from weir.runs.task_queue import enqueue


def apply_report(report: Report) -> None:
    """Add the counts of a validator's report; other reports change nothing."""
    if isinstance(report, ValidationReport):
        record_counts(report)


def record_counts(report: ValidationReport) -> None:
    """Add the counts of one batch. A range that is stored already (repeated batch or report) changes nothing.

    Ranges of a partition arrive in offset order, because a batch is reported before it is committed.
    """
    validator = Validator.objects.select_related("job").filter(job__generations__run=report.run_id).first()
    if validator is None:
        return
    hour = datetime_of(Instant(report.at_us)).replace(minute=0, second=0, microsecond=0)
    fresh = [part for part in report.ranges if _count(validator, report.topic_id, part, hour)]
    if any(part.malformed for part in fresh):
        Validator.objects.filter(pk=validator.pk).update(index_pending=True)
        transaction.on_commit(lambda: enqueue(INDEX_DEAD_LETTERS, validator.pk))


def counted_ends(validator: Validator, topic_id: str) -> dict[int, int]:
    """Offset after the last counted record, by partition. Partitions without counts are left out."""
    ends: dict[int, int] = {}
    for partition, last in CountedRange.objects.filter(validator=validator, topic_id=topic_id).values_list(
        "partition", "last"
    ):
        ends[partition] = max(ends.get(partition, 0), last + 1)
    return ends


def compact_counts(now: datetime) -> int:
    """Merge the ranges of each partition that are older than `HOURLY_COUNTS_RETENTION` into one row, with the
    same sums and end offset.

    Returns:
        How many rows were deleted.
    """
    old = CountedRange.objects.filter(hour__lt=now - HOURLY_COUNTS_RETENTION)
    many = old.values("validator", "topic_id", "partition").annotate(rows=Count("pk")).filter(rows__gt=1)
    return sum(_compact(group["validator"], group["topic_id"], group["partition"], now) for group in many)


@transaction.atomic
def _compact(validator: int, topic_id: str, partition: int, now: datetime) -> int:
    rows = CountedRange.objects.select_for_update().filter(
        validator=validator, topic_id=topic_id, partition=partition
    )
    first, *rest = rows.filter(hour__lt=now - HOURLY_COUNTS_RETENTION).order_by("first")
    reasons = Counter(first.reasons)
    for row in rest:
        first.last, first.hour = row.last, row.hour
        first.valid, first.skipped, first.malformed = (
            first.valid + row.valid,
            first.skipped + row.skipped,
            first.malformed + row.malformed,
        )
        reasons += Counter(row.reasons)
    first.reasons = dict(reasons)
    CountedRange.objects.filter(pk__in=[row.pk for row in rest]).delete()
    first.save()
    return len(rest)


def _count(validator: Validator, topic_id: str, part: ValidatedRange, hour: datetime) -> bool:
    """Store a range. False if it was counted before."""
    rows = CountedRange.objects.select_for_update().filter(
        validator=validator, topic_id=topic_id, partition=part.partition
    )
    newest = rows.order_by("-first").first()
    if newest is not None and part.first <= newest.last:
        return False
    if newest is None or newest.hour != hour:
        newest = CountedRange(
            validator=validator, topic_id=topic_id, partition=part.partition, first=part.first, hour=hour
        )
    newest.last = part.last
    newest.valid += part.valid
    newest.skipped += part.skipped
    newest.malformed += sum(part.malformed.values())
    newest.reasons = dict(Counter(newest.reasons) + Counter(part.malformed))
    newest.save()
    return True
