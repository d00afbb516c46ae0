"""Who is looked at: live subscriptions say so, and runs that start at the same time start in that order."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from django.db.models import F, QuerySet
from django.utils import timezone

from weir.runs.models import Job, Run

NOTED_EVERY_S: Final = 10.0
_WATCHED_FOR: Final = timedelta(seconds=3 * NOTED_EVERY_S)
_NEVER_VIEWED: Final = 1_000_000
_MINUTE: Final = timedelta(minutes=1)


def note_viewed(job_ids: Collection[str]) -> None:
    """Note that the results of these jobs are followed now, by a browser or a program."""
    if job_ids:
        Job.objects.filter(pk__in=job_ids).update(viewed_at=timezone.now())


def precedence_of(job: Job, now: datetime) -> int:
    """The place of a job's run among those that start at the same time; lower comes first.

    Jobs that are followed now come first, then those that were last, then those that nobody ever followed;
    validators come last.
    """
    if job.kind == Job.Kind.VALIDATOR:
        return _NEVER_VIEWED + 1
    if job.viewed_at is None:
        return _NEVER_VIEWED
    since = now - job.viewed_at
    return 0 if since < _WATCHED_FOR else min(1 + since // _MINUTE, _NEVER_VIEWED - 1)


def in_order(runs: QuerySet[Run]) -> QuerySet[Run]:
    """The runs as `precedence_of` orders them."""
    viewed = F("generation__job__viewed_at").desc(nulls_last=True)
    return runs.order_by("generation__job__kind", viewed, "id")  # "job" comes before "validator"
