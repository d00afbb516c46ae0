"""Objectives with a slice that was judged, for tests that need no relay."""

from datetime import timedelta

from django.utils import timezone

from weir.alerts.models import Objective, ObjectiveSlice
from weir.alerts.services.budgets import budgets_of, store_budgets
from weir.runs.models import Job


def judged_objective(job: Job, good_s: float, judged_s: float = 300, target: float = 0.9) -> Objective:
    """An objective of a job's freshness over 28 days, judged in the last five minutes, its budget stored.

    Args:
        job: of the objective.
        good_s: for how many seconds it held.
        judged_s: for how many it was judged.
        target: share of the time that it should hold.
    """
    made: Objective = Objective.objects.create(
        workspace=job.workspace, job=job, kind="freshness", threshold=10, target=target
    )
    began_at = timezone.now() - timedelta(minutes=2)
    ObjectiveSlice.objects.create(objective=made, began_at=began_at, good_s=good_s, judged_s=judged_s)
    now = timezone.now()
    store_budgets([made], budgets_of([made], now), now)
    return made
