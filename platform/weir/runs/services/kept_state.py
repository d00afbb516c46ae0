"""The state that a generation keeps, and with which measures empty a plan can go on with it."""

from collections.abc import Mapping

from jobs.plan import EmptyMeasure, KeptState, Plan, PlanningContext, empty_measures
from weir.runs.models import Generation, JobVersion
from weir.runs.services.planning import plan_in
from weir.streams.models import Stream, find_contract


def kept_by(generation: Generation) -> KeptState:
    """What a generation keeps, according to its last start."""
    return KeptState(generation.fingerprint, generation.base_fingerprint, generation.measures)


def starts_empty(
    plan: Plan, streams: Mapping[str, Stream], generation: Generation
) -> tuple[EmptyMeasure, ...] | None:
    """The measures that start empty where a plan resumes a generation; None where it can't.

    State is adapted to changes of the document. Where it is a contract that gives what was stored another
    meaning, the generation can't be resumed.

    Args:
        plan: without errors.
        streams: that it reads, by source.
        generation: the job's current one.
    """
    empty = empty_measures(kept_by(generation), plan)
    if not empty or not changed_contracts(streams, generation):
        return empty
    return empty if _still_means_the_same(generation) else None


def changed_contracts(streams: Mapping[str, Stream], generation: Generation) -> list[str]:
    """The streams whose contract is another than the one that the generation last started with; so is one
    that this version of Weir can't read.
    """
    held = {
        source["stream"]: find_contract(source["contract"])
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


def _still_means_the_same(generation: Generation) -> bool:
    """Whether the version that was started last would keep the same state with the contracts of today."""
    version = JobVersion.objects.get(job=generation.job, number=generation.run.version)
    context = PlanningContext(shuffle_partitions=generation.shuffle_partitions)
    return plan_in(generation.job.workspace, version.document, context).fingerprint == generation.fingerprint
