"""Create and delete objectives, and read what became of them."""

from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from weir.alerts.models import Objective, ObjectiveSlice
from weir.runs.models import Job, JobVersion
from weir.workspaces.errors import ConflictError, ServiceError
from weir.workspaces.models import Action, Event, User
from weir.workspaces.services.events import record_event
from weir.workspaces.services.quotas import require_room
from weir.workspaces.services.uniqueness import unique_or

MAX_WINDOW_DAYS: Final = 90
MAX_POINTS: Final = 400


def create_objective(
    job: Job,
    actor: User,
    kind: str,
    threshold: float | None,
    target: float,
    window_days: int,
    output: str = "",
) -> Objective:
    """A new objective; it is judged from now on.

    Raises:
        ServiceError: OBJECTIVE_INVALID; QUOTA_REACHED.
        ConflictError: OBJECTIVE_EXISTS, the job or output has one of this kind.
    """
    if not 0.5 <= target <= 0.9999:
        raise ServiceError("OBJECTIVE_INVALID", "The target is from 50 % to 99.99 %.")
    if not 1 <= window_days <= MAX_WINDOW_DAYS:
        raise ServiceError("OBJECTIVE_INVALID", f"The window is from 1 to {MAX_WINDOW_DAYS} days.")
    if kind == Objective.Kind.AVAILABILITY:
        threshold = None
    elif threshold is None or threshold < 0 or (kind == Objective.Kind.COMPLETENESS and threshold > 1):
        raise ServiceError(
            "OBJECTIVE_INVALID",
            "Freshness needs the greatest age in seconds, completeness the greatest share from 0 to 1.",
        )
    if output:
        _check_output(job, kind, output)
    require_room("objectives", Objective.objects.filter(workspace=job.workspace).count())
    taken = ConflictError(
        "OBJECTIVE_EXISTS", f"Job {job.name} has an objective of this kind. Delete it first."
    )
    with unique_or(taken):
        made: Objective = Objective.objects.create(
            workspace=job.workspace,
            job=job,
            kind=kind,
            output=output,
            threshold=threshold,
            target=target,
            window_days=window_days,
        )
        _record(made, actor, Action.CREATED)
    return made


def _check_output(job: Job, kind: str, output: str) -> None:
    if kind != Objective.Kind.COMPLETENESS:
        raise ServiceError(
            "OBJECTIVE_INVALID",
            "Only completeness is known of each output: freshness is that of the live result, availability "
            "that of the job.",
        )
    document = JobVersion.objects.get(job=job, number=job.version).document
    if output not in document["outputs"]:
        raise ServiceError("OBJECTIVE_INVALID", f"Job {job.name} has no output {output[:100]!r}.")


def delete_objective(objective: Objective, actor: User) -> None:
    """Delete an objective with its history."""
    with transaction.atomic():
        _record(objective, actor, Action.DELETED)
        objective.delete()


def part_seconds(objective: Objective) -> int:
    """How long each part of an objective's history is."""
    return max(300, int(objective.window_days * 86_400 // MAX_POINTS))


def history(objective: Objective, now: datetime) -> list[tuple[datetime, float, float]]:
    """Begin, good and judged seconds of equal parts of the window, the oldest first; parts without a judged
    second are left out.
    """
    began = now - timedelta(days=objective.window_days)
    part_s = part_seconds(objective)
    rows = ObjectiveSlice.objects.filter(objective=objective, began_at__gt=began).order_by("began_at")
    parts: dict[int, tuple[float, float]] = {}
    for began_at, good_s, judged_s in rows.values_list("began_at", "good_s", "judged_s"):
        key = int(began_at.timestamp()) // part_s * part_s
        good, judged = parts.get(key, (0.0, 0.0))
        parts[key] = (good + good_s, judged + judged_s)
    zone = now.tzinfo
    return [(datetime.fromtimestamp(key, zone), good, judged) for key, (good, judged) in parts.items()]


def about(objective: Objective) -> str:
    """What an objective is about, in words."""
    job = f"job {objective.job.name}"
    return f"output {objective.output} of {job}" if objective.output else job


def _record(objective: Objective, actor: User, action: Action) -> None:
    record_event(
        objective.workspace,
        Event.Kind.ALERT,
        f"Objective {objective.kind} of {about(objective)} {action}",
        action=action,
        actor=actor.username,
        subject=objective.job_id,
    )
