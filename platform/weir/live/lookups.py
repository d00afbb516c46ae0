"""Database lookups of the hub: who may see what, and which topic carries it. Plain
functions, run on threads.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from jobs.base.instants import instant_of
from jobs.connections import ClusterProfile
from jobs.formats.avro_records import SchemaOf
from jobs.formats.contract import StreamContract
from jobs.run_states import QUEUED, REPLAYING, STARTING, WAITING
from weir.clusters.services.clusters import get_cluster, profile_of, profiles_of
from weir.dashboards.services.shared_outputs import shared_outputs
from weir.live.run_registry import RunStatus
from weir.runs.models import Generation, Job, Run
from weir.schemas.services.contract_schemas import with_writers, writer_schemas
from weir.streams.models import Stream
from weir.streams.services.ownership import TopicReading
from weir.streams.services.topics import topic_ref
from weir.workspaces.errors import NotFoundError
from weir.workspaces.models import Membership
from weir.workspaces.roles import Right, Role

_LARGE: Final = ("generation__sources", "generation__result", "positions", "avro")  # columns of a run


@dataclass(frozen=True, slots=True)
class JobInfo:
    """A job and the run of its current generation; the run is None before the first start.

    `slack_us` is how far rows of its result may trail the watermark
    (`weir.runs.services.planning.result_of`). `sources` are source name → (cluster id, topic), `clusters` the
    present connections to these; `positions` as `Run.positions`. `topics_ready`: the topic of results exists.
    """

    job_id: str
    desired: str
    run: RunStatus | None
    sources: dict[str, tuple[str, str]]
    clusters: dict[str, ClusterProfile]
    positions: dict[str, Any]
    slack_us: int = 0
    topics_ready: bool = True


@dataclass(frozen=True, slots=True)
class StreamInfo:
    """Where a stream's records are and its contract. `schema_of` looks up writer
    schemas by id in the database.

    `contract` is None for a topic that is not read as a stream. `reading` is what it rests on that the
    workspace reads it.
    """

    reading: TopicReading
    profile: ClusterProfile
    topic: str
    contract: StreamContract | None
    schema_of: SchemaOf


def workspace_of(user_id: int, slug: str) -> int | None:
    """The id of a workspace that this user is a member of; None for any other."""
    return (
        Membership.objects.filter(user=user_id, user__is_active=True, workspace__slug=slug)
        .values_list("workspace_id", flat=True)
        .first()
    )


def shared_workspace(link_id: str, job_id: str) -> int | None:
    """The workspace of a job whose result this link shows now; None for any other job."""
    outputs = shared_outputs([link_id]).get(link_id)
    return outputs.workspace_id if outputs is not None and job_id in outputs.jobs else None


def find_job(workspace_id: int, job_id: str) -> JobInfo | None:
    """A job of this workspace; None when there is none."""
    job: Job | None = Job.objects.user_jobs().filter(workspace=workspace_id, pk=job_id).first()
    if job is None:
        return None
    run = (
        Run.objects.select_related("generation")
        .filter(generation__job=job, generation__number=job.generation or 0)
        .first()
    )
    if run is None:
        return JobInfo(job.pk, job.desired, None, {}, {}, {})
    return _job_info(job, run)


def workspace_runs(workspace_id: int) -> list[tuple[Job, Run | None]]:
    """Every job of a workspace with the run of its current generation."""
    jobs: list[Job] = list(Job.objects.user_jobs().filter(workspace=workspace_id))
    runs = Run.objects.current().filter(generation__job__in=jobs).select_related("generation", "engine")
    of_job = {run.generation.job_id: run for run in runs.defer(*_LARGE)}
    return [(job, of_job.get(job.pk)) for job in jobs]


def find_stream(workspace_id: int, name: str) -> StreamInfo | None:
    """A stream of this workspace; None when there is none."""
    stream: Stream | None = (
        Stream.objects.select_related("cluster", "workspace")
        .filter(workspace=workspace_id, name=name)
        .first()
    )
    if stream is None:
        return None
    contract = with_writers(stream.workspace, stream.stream_contract)
    return StreamInfo(
        TopicReading.of_stream(stream),
        profile_of(stream.cluster),
        stream.topic,
        contract,
        writer_schemas(stream.workspace),
    )


def find_topic(user_id: int, workspace_id: int, cluster_id: str, topic: str) -> StreamInfo | None:
    """A topic to tail without decoding, for editors; None where no such topic is visible to this user.

    Raises:
        UnreachableError: the cluster does not answer.
    """
    member = (
        Membership.objects.select_related("workspace").filter(user=user_id, workspace=workspace_id).first()
    )
    if member is None or not Role(member.role).may(Right.BROWSE_TOPICS):
        return None
    try:
        ref = topic_ref(get_cluster(member.workspace, cluster_id), member.workspace, topic)
    except NotFoundError:
        return None
    reading = TopicReading(workspace_id, cluster_id, topic)
    return StreamInfo(reading, ref.profile, ref.topic, None, writer_schemas(member.workspace))


def _job_info(job: Job, run: Run) -> JobInfo:
    sources = {}
    for name, source in run.generation.sources.items():
        with suppress(KeyError, TypeError):  # what an older version saved has results all the same
            sources[name] = (source["cluster"]["cluster_id"], source["topic"])
    # As clusters are registered now: a stopped job was given a connection that may be outdated long since.
    clusters = profiles_of({cluster_id for cluster_id, _ in sources.values()})
    return JobInfo(
        job.pk,
        job.desired,
        view_of(run, run.generation),
        sources,
        clusters,
        run.positions,
        run.generation.result.get("slack_us", 0),
        run.generation.topics_ready,
    )


def view_of(run: Run, generation: Generation) -> RunStatus:
    """The run as the database knows it."""
    replaying = run.observed == REPLAYING or (
        run.observed in (STARTING, QUEUED, WAITING) and any(run.replay_until.values())
    )
    return RunStatus(
        run_id=run.pk,
        job_id=generation.job_id,
        generation=generation.number,
        topic=generation.result_topic,
        epoch=run.epoch,
        desired=run.desired,
        state=run.observed,
        failure=run.failure,
        seen_us=micros(run.last_seen_at),
        buffering=replaying,
        watermark_us=run.watermark_us,
        placed=run.engine_id is not None,
    )


def micros(moment: datetime | None) -> int | None:
    """An instant in µs, or None."""
    return None if moment is None else instant_of(moment)
