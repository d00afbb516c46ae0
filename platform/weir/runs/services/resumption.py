"""Whether a version can resume a job's saved state, and why not: asked before a start, and by the start."""

from collections.abc import Mapping
from dataclasses import dataclass

from jobs.formats.contract import StreamContract
from jobs.plan import Plan, PlanningContext
from weir.runs.models import Generation, Job, JobVersion
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
        resumable_version: the newest version that can; None where there is none.
    """

    version: int
    resumable: bool
    reason: str
    resumable_version: int | None


def resume_error(
    plan: Plan, streams: Mapping[str, Stream], generation: Generation | None
) -> ServiceError | None:
    """Why a plan cannot resume a generation; None where it can.

    Args:
        plan: without errors.
        streams: that it reads, by source.
        generation: the job's current one; None before the first start.
    """
    if generation is None:
        return ServiceError(
            "NEVER_STARTED",
            "This job has no state to resume. Select a start position: now, earliest or a time.",
        )
    if plan.fingerprint != generation.fingerprint:
        changed = _changed_contracts(streams, generation)
        reason = (
            f"The contract of {', '.join(changed)} has changed since the last start, and this version can't "
            "resume the saved state."
            if changed
            else "This version resets state."
        )
        return ConflictError(
            "NEW_GENERATION_NEEDED", f"{reason} Select a start position: now, earliest or a time."
        )
    for name, stream in streams.items():
        if generation.sources[name]["topic_id"] != stream.topic_id:
            return ConflictError(
                "TOPIC_RECREATED", f"Topic {stream.topic} was recreated. Select a start position."
            )
    return None


def _changed_contracts(streams: Mapping[str, Stream], generation: Generation) -> list[str]:
    """The streams whose contract is another than the one that the generation last started with."""
    held = {
        source["stream"]: StreamContract.model_validate(source["contract"])
        for source in generation.sources.values()
        if "contract" in source
    }
    return sorted(
        {
            stream.name
            for stream in streams.values()
            if stream.name in held and held[stream.name] != stream.stream_contract
        }
    )


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
    error = _error(job, version, generation)
    if error is None:
        return StartOptions(version.number, True, "", version.number)
    return StartOptions(version.number, False, error, _resumable(job, version, generation))


def _error(job: Job, version: JobVersion, generation: Generation | None) -> str | None:
    context = PlanningContext(shuffle_partitions=generation.shuffle_partitions) if generation else None
    plan = plan_in(job.workspace, version.document, context)
    if not plan.ok:
        return f"Version {version.number} has problems now. Fix them in a new version."
    found = resume_error(plan, streams_of(job.workspace, plan), generation)
    return None if found is None else found.detail


def _resumable(job: Job, other: JobVersion, generation: Generation | None) -> int | None:
    """The newest other version that can resume: one of the versions that were saved with its fingerprint."""
    if generation is None:
        return None
    saved = JobVersion.objects.filter(job=job, fingerprint=generation.fingerprint)
    newest = saved.exclude(number=other.number).order_by("-number").first()
    return newest.number if newest is not None and _error(job, newest, generation) is None else None
