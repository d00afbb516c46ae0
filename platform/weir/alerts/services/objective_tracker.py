"""Judges objectives as time passes, and gives rules their budgets and burn rates.

Time that can't be judged (the job is stopped, nothing is known of it) counts neither as good nor as bad. A
relay that begins again has not judged the seconds since it last wrote, ten at most.
"""

from datetime import datetime, timedelta
from typing import Final

from django.db.models import F

from weir.alerts.models import Objective, ObjectiveSlice
from weir.alerts.services.budgets import Budget, budgets_of, store_budgets
from weir.alerts.services.intervals import is_due
from weir.alerts.services.objectives import about
from weir.alerts.services.output_shares import OutputShares
from weir.alerts.services.readings import Subject, Taken
from weir.alerts.services.window_totals import WindowTotals
from weir.measurements import Snapshot

_WRITE_EVERY: Final = timedelta(seconds=10)
_READ_EVERY: Final = timedelta(seconds=30)
_LONGEST_STEP_S: Final = 10.0  # a longer pause is not judged: nobody looked


class ObjectiveTracker:
    """Good and judged seconds of each objective, between two writes."""

    def __init__(self) -> None:
        self._at: datetime | None = None
        self._written: datetime | None = None
        self._read: datetime | None = None
        self._pending: dict[tuple[str, datetime], list[float]] = {}
        self._objectives: list[Objective] = []
        self._budgets: dict[str, Budget] = {}
        self._totals = WindowTotals()
        self._outputs = OutputShares()

    def take(self, taken: Taken, snapshot: Snapshot) -> None:
        """Judge the time since the last look, and add the objectives' own readings."""
        now = snapshot.now
        step_s = 0.0 if self._at is None else (now - self._at).total_seconds()
        self._at = now
        if is_due(self._read, now, _READ_EVERY):
            self._read = now
            self._objectives = list(Objective.objects.select_related("job"))
            self._budgets = budgets_of(self._objectives, now, self._totals)
            store_budgets(self._objectives, self._budgets, now)
        by_job = {subject.job_id: subject for subject in taken.subjects if subject.scope == "job"}
        shares = self._outputs.take([one for one in self._objectives if one.output], snapshot)
        for objective in self._objectives:
            subject = by_job.get(objective.job_id)
            if subject is None:
                continue  # the job is stopped
            share = shares.get(objective.pk)
            if objective.output:
                good = None if share is None else share <= (objective.threshold or 0.0)
            else:
                good = judged(objective, subject, taken)
            if good is not None and 0 < step_s <= _LONGEST_STEP_S:
                seconds = self._pending.setdefault((objective.pk, _slice(now)), [0.0, 0.0])
                seconds[0] += step_s if good else 0.0
                seconds[1] += step_s
            self._put(taken, objective, subject)
        if is_due(self._written, now, _WRITE_EVERY):
            self._written = now
            self._store()

    def _put(self, taken: Taken, objective: Objective, job: Subject) -> None:
        output = (("output", objective.output),) if objective.output else ()
        subject = Subject(
            objective.workspace_id,
            "objective",
            (("job", objective.job_id), ("objective", objective.kind), *output),
            f"{objective.get_kind_display()} of {about(objective)}",
            job.job_id,
        )
        budget = self._budgets.get(objective.pk)
        taken.put("objective.budget_left", subject, None if budget is None else budget.left)
        taken.put("objective.fast_burn", subject, None if budget is None else budget.fast_burn)
        taken.put("objective.slow_burn", subject, None if budget is None else budget.slow_burn)

    def _store(self) -> None:
        pending, self._pending = self._pending, {}
        for (objective_id, began_at), (good_s, judged_s) in pending.items():
            if not any(one.pk == objective_id for one in self._objectives):
                continue
            slices = ObjectiveSlice.objects.filter(objective=objective_id, began_at=began_at)
            added = slices.update(good_s=F("good_s") + good_s, judged_s=F("judged_s") + judged_s)
            if not added and Objective.objects.filter(pk=objective_id).exists():
                ObjectiveSlice.objects.create(
                    objective_id=objective_id, began_at=began_at, good_s=good_s, judged_s=judged_s
                )


def judged(objective: Objective, subject: Subject, taken: Taken) -> bool | None:
    """Whether an objective holds now; None: that can't be said."""
    values = {name: found.get(subject) for name, found in taken.values.items()}
    threshold = objective.threshold or 0.0
    match objective.kind:
        case Objective.Kind.FRESHNESS:
            fresh = values.get("job.freshness_seconds")
            return None if fresh is None else fresh <= threshold
        case Objective.Kind.COMPLETENESS:
            return _is_complete(subject, taken, threshold)
        case _:
            not_running = values.get("job.not_running_seconds")
            return None if not_running is None else not_running == 0


def _is_complete(job: Subject, taken: Taken, threshold: float) -> bool | None:
    """Late rows, failed expressions and malformed records of the last 5 min, as shares of what was read."""
    shares = [
        taken.values.get(name, {}).get(job) for name in ("job.late_share", "job.failed_expressions_share")
    ]
    malformed = [
        value
        for subject, value in taken.values.get("source.malformed_share", {}).items()
        if subject.job_id == job.job_id
    ]
    known = [share for share in [*shares, max(malformed, default=None)] if share is not None]
    return sum(known) <= threshold if known else None


def _slice(now: datetime) -> datetime:
    return now - timedelta(minutes=now.minute % 5, seconds=now.second, microseconds=now.microsecond)
