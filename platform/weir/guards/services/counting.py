"""What guards count, written down; called by the relay, inside its transaction."""

from collections import Counter
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Count

from jobs.base.instants import Instant, datetime_of
from jobs.messages import GuardRange, GuardReport
from weir.guards.models import CountedRange, Guard
from weir.guards.queueing import READ_LETTERS
from weir.runs.task_queue import enqueue

FOLDED_AFTER: Final = timedelta(days=7)  # the page shows a day by hour


def record_counts(report: GuardReport) -> None:
    """Add a batch's counts, once: a range that is there already (a batch done again, a report read again) changes nothing.

    Ranges of a partition come in the order of their offsets, because a batch is reported before it is committed.
    """
    guard = Guard.objects.select_related("job").filter(job__generations__run=report.run_id).first()
    if guard is None:
        return
    hour = datetime_of(Instant(report.at_us)).replace(minute=0, second=0, microsecond=0)
    fresh = [part for part in report.ranges if _count(guard, report.topic_id, part, hour)]
    if any(part.malformed for part in fresh):
        Guard.objects.filter(pk=guard.pk).update(unread=True)
        transaction.on_commit(lambda: enqueue(READ_LETTERS, guard.pk))


def counted_ends(guard: Guard, topic_id: str) -> dict[int, int]:
    """Next offset that was not counted yet, by partition; partitions of which nothing was are left out."""
    ends: dict[int, int] = {}
    for partition, last in CountedRange.objects.filter(guard=guard, topic_id=topic_id).values_list("partition", "last"):
        ends[partition] = max(ends.get(partition, 0), last + 1)
    return ends


def compact_counts(now: datetime) -> int:
    """Make one row of all that was counted of a partition more than `FOLDED_AFTER` ago; how many rows went. Sums and ends stay the same.

    Args:
        now: the present.
    """
    old = CountedRange.objects.filter(hour__lt=now - FOLDED_AFTER)
    many = old.values("guard", "topic_id", "partition").annotate(rows=Count("pk")).filter(rows__gt=1)
    return sum(_fold(group["guard"], group["topic_id"], group["partition"], now) for group in many)


@transaction.atomic
def _fold(guard: int, topic_id: str, partition: int, now: datetime) -> int:
    rows = CountedRange.objects.select_for_update().filter(guard=guard, topic_id=topic_id, partition=partition)
    first, *rest = rows.filter(hour__lt=now - FOLDED_AFTER).order_by("first")
    reasons = Counter(first.reasons)
    for row in rest:
        first.last, first.hour = row.last, row.hour
        first.valid, first.skipped, first.malformed = first.valid + row.valid, first.skipped + row.skipped, first.malformed + row.malformed
        reasons += Counter(row.reasons)
    first.reasons = dict(reasons)
    CountedRange.objects.filter(pk__in=[row.pk for row in rest]).delete()
    first.save()
    return len(rest)


def _count(guard: Guard, topic_id: str, part: GuardRange, hour: datetime) -> bool:
    """True when the range is new."""
    rows = CountedRange.objects.select_for_update().filter(guard=guard, topic_id=topic_id, partition=part.partition)
    newest = rows.order_by("-first").first()
    if newest is not None and part.first <= newest.last:
        return False
    if newest is None or newest.hour != hour:
        newest = CountedRange(guard=guard, topic_id=topic_id, partition=part.partition, first=part.first, hour=hour)
    newest.last = part.last
    newest.valid += part.valid
    newest.skipped += part.skipped
    newest.malformed += sum(part.malformed.values())
    newest.reasons = dict(Counter(newest.reasons) + Counter(part.malformed))
    newest.save()
    return True
