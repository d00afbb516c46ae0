"""Whether a version can resume a job's saved state, with which measures empty, and why not: asked before a
start, and by the start.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jobs.plan import EmptyMeasure, Plan, PlanningContext, empty_measures_text
from weir.runs.models import Generation, Job, JobVersion
from weir.runs.services.kept_state import changed_contracts, starts_empty
from weir.runs.services.planning import current_generation, current_version, plan_in, streams_of
from weir.streams.models import Stream
from weir.workspaces.errors import ConflictError, ServiceError


@dataclass(frozen=True)
class StartOptions:
    """What a start of one version can do.

    Attributes:
        version: its number.
        resumable: it can continue the saved state.
        reason: why it can't; empty where it can.
        note: which measures start empty then; empty: none does, or it can't resume.
        resumable_version: the newest version that can, with no measure empty where it is another one; None
            where there is none.
    """

    version: int
    resumable: bool
    reason: str
    note: str
    resumable_version: int | None


def require_resumable(
    plan: Plan, streams: Mapping[str, Stream], generation: Generation | None
) -> tuple[Generation, tuple[EmptyMeasure, ...]]:
    """Check that a plan can resume a generation.

    Args:
        plan: without errors.
        streams: that it reads, by source.
        generation: the job's current one; None before the first start.

    Returns:
        The generation, and the measures that start empty then.

    Raises:
        ServiceError: there is none.
        ConflictError: its state, or a topic that it reads, is another.
    """
    if generation is None:
        raise ServiceError(
            "NEVER_STARTED",
            "This job has no state to resume. Select a start position: now, earliest or a time.",
        )
    empty = starts_empty(plan, streams, generation)
    if empty is None:
        changed = changed_contracts(streams, generation)
        reason = (
            f"The contract of {', '.join(changed)} has changed since the last start, and this version can't "
            "resume the saved state."
            if changed
            else "This version resets state."
        )
        raise ConflictError(
            "NEW_GENERATION_NEEDED", f"{reason} Select a start position: now, earliest or a time."
        )
    for name, stream in streams.items():
        bound = bound_to(generation, name, stream)
        if bound is not None and bound["topic_id"] != stream.topic_id:
            raise ConflictError(
                "TOPIC_RECREATED", f"Topic {stream.topic} was recreated. Select a start position."
            )
    return generation, empty


def bound_to(generation: Generation, source: str, stream: Stream) -> dict[str, Any] | None:
    """What a generation keeps of a source; None where its last start had no such source, or one of another
    stream. Then no state depends on it: it is a broadcast table, which every start reads anew, or unused.

    Args:
        generation: whose state the plan with the source can resume.
        source: its name.
        stream: that it reads now.
    """
    bound: dict[str, Any] | None = generation.sources.get(source)
    return bound if bound is not None and bound.get("stream", stream.name) == stream.name else None


def start_options(job: Job, number: int | None = None) -> StartOptions:
    """What a start of a version can do, as far as the database knows; no broker is asked.

    Args:
        job: which job.
        number: of the version; None: the newest.

    Raises:
        ServiceError: the job has no such version.
    """
    generation = current_generation(job)
    version = current_version(job, number)
    error, note = _checked(job, version, generation)
    if error is None:
        return StartOptions(version.number, True, "", note, version.number)
    return StartOptions(version.number, False, error, "", _resumable(job, version, generation))


def _checked(job: Job, version: JobVersion, generation: Generation | None) -> tuple[str | None, str]:
    """Why a version can't resume, None where it can; and which measures start empty then."""
    context = PlanningContext(shuffle_partitions=generation.shuffle_partitions) if generation else None
    plan = plan_in(job.workspace, version.document, context)
    if not plan.ok:
        return f"Version {version.number} has problems now. Fix them in a new version.", ""
    try:
        _, empty = require_resumable(plan, streams_of(job.workspace, plan), generation)
    except ServiceError as error:
        return error.detail, ""
    return None, empty_measures_text(plan, empty)


def _resumable(job: Job, other: JobVersion, generation: Generation | None) -> int | None:
    """The newest other version that can resume as it is: of those that were saved with its fingerprint."""
    if generation is None:
        return None
    saved = JobVersion.objects.filter(job=job, fingerprint=generation.fingerprint)
    newest = saved.exclude(number=other.number).order_by("-number").first()
    if newest is None:
        return None
    error, _ = _checked(job, newest, generation)
    return newest.number if error is None else None
