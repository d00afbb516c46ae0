"""Deletes old attempts of runs that are tried again as long as it takes (`restart_policy`): a disk that is
full over a weekend makes thousands of each run.
"""

from django.db.models import Count

from weir.retention import REPEATED_ATTEMPTS_PER_RUN
from weir.runs.models import Execution, Observed
from weir.runs.services.restart_policy import RETRIED_EVERY_S


def delete_old_attempts() -> int:
    """Delete all but the newest of each run's attempts that failed of something around it. What ran, was
    stopped, or failed otherwise stays.

    Returns:
        How many were deleted.
    """
    repeated = Execution.objects.filter(
        state=Observed.FAILED, ended_at__isnull=False, failure__code__in=list(RETRIED_EVERY_S)
    )
    many = repeated.order_by().values("run").annotate(rows=Count("pk"))
    deleted = 0
    for run_id in many.filter(rows__gt=REPEATED_ATTEMPTS_PER_RUN).values_list("run", flat=True):
        of_run = repeated.filter(run=run_id)
        oldest_kept = of_run.order_by("-epoch").values_list("epoch", flat=True)[REPEATED_ATTEMPTS_PER_RUN - 1]
        deleted += of_run.filter(epoch__lt=oldest_kept).delete()[0]
    return deleted
