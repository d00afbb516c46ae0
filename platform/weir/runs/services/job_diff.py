"""What an edit of a job would do to its state, before it is saved or started."""

from dataclasses import dataclass
from typing import Any, Literal

from django.conf import settings

from jobs.base.problems import Problem, has_errors
from jobs.plan import EmptyMeasure, Plan, PlanningContext, diff, empty_measures_text
from weir.runs.models import Job
from weir.runs.services.kept_state import starts_empty
from weir.runs.services.planning import current_generation, current_version, plan_in, streams_of

Outcome = Literal["same_state", "new_generation", "invalid", "no_change"]


@dataclass(frozen=True)
class JobDiff:
    """What an edit would do.

    Attributes:
        outcome: the job keeps its state, needs a new generation, has an invalid document, or does not change.
        changes: sentences, each with whether it breaks the state.
        problems: of the new document.
        plan: of the new document.
        note: which measures start empty where the state is kept; empty: none does.
    """

    outcome: Outcome
    changes: tuple[dict[str, Any], ...]
    problems: tuple[Problem, ...]
    plan: Plan
    note: str = ""


def diff_job(job: Job, document: str, base: int | None = None) -> JobDiff:
    """The outcome of a document for a job's state, before it is saved or started.

    Args:
        job: whose state, of its current generation.
        document: as text.
        base: number of the version that it is compared with; None: the newest.

    Raises:
        ServiceError: there is no such version.
    """
    generation = current_generation(job)
    context = PlanningContext(
        shuffle_partitions=generation.shuffle_partitions if generation else settings.SHUFFLE_PARTITIONS
    )
    new = plan_in(job.workspace, document, context)
    if has_errors(list(new.problems)):
        return JobDiff("invalid", (), new.problems, new)
    version = current_version(job, base)
    old = plan_in(job.workspace, version.document, context)
    compared = diff(old, new)
    changes = tuple(
        {"path": list(c.path), "sentence": c.sentence, "breaks_state": c.breaks_state}
        for c in compared.changes
    )
    empty: tuple[EmptyMeasure, ...] | None
    if generation is None:  # nothing is kept yet: no measure has a past that it could lack
        saved = (
            old if version.number == job.version else plan_in(job.workspace, current_version(job).document)
        )
        empty = () if diff(saved, new).same_state else None
    else:
        empty = starts_empty(new, streams_of(job.workspace, new), generation)
    if empty is None:
        return JobDiff("new_generation", changes, new.problems, new)
    note = empty_measures_text(new, empty)
    return JobDiff("same_state" if changes else "no_change", changes, new.problems, new, note)
