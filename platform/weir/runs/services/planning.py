"""Plans a document in a workspace: with its streams, their rates, and the load of its engine."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from django.conf import settings
from django.db.models import Sum

from jobs.document import JobDocument
from jobs.formats.contract import StreamContract
from jobs.plan import Plan, PlanningContext, plan_job
from jobs.run_states import LIVE
from weir.clusters.models import HOME
from weir.clusters.services.clusters import profile_of
from weir.runs.models import Desired, Engine, Generation, Job, JobVersion, Run
from weir.streams.models import Stream
from weir.streams.services.contracts import read_contract
from weir.streams.services.streams import catalog
from weir.streams.services.topic_stats import fetch_traffic
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import Workspace

CHECK_TIMEOUT_S: Final = 5.0
"""CPU time for checking the steps of a document: far more than any realistic document needs."""


def plan_in(
    workspace: Workspace, document: str | Mapping[str, Any], context: PlanningContext | None = None
) -> Plan:
    """Plan a document against the workspace's streams.

    Args:
        workspace: whose streams it may read.
        document: text (YAML or JSON) or plain values.
        context: what was measured around the job; None: only the state partitions are known.
    """
    known = context or PlanningContext(shuffle_partitions=settings.SHUFFLE_PARTITIONS)
    streams = catalog(workspace)  # its contracts are read by the passes, within their bound
    home = home_topics(workspace)
    known = replace(known, topics=_nameable(home), home_topics=home, unreadable=streams.unreadable)
    return plan_job(document, streams, known, seconds=CHECK_TIMEOUT_S)


def carried_contracts(streams: Mapping[str, Any]) -> dict[str, StreamContract]:
    """Contracts that come with a document instead of being registered, from the API's form.

    Raises:
        ServiceError: CONTRACT_INVALID; the problems' paths begin with the stream's name.
    """
    found = {}
    for name, contract in streams.items():
        try:
            found[name] = read_contract(contract)
        except ServiceError as error:
            placed = tuple(replace(each, path=(name, *each.path)) for each in error.problems)
            raise ServiceError(error.code, f"{name}: {error.detail}", placed) from error
    return found


def plan_carried(document: str | Mapping[str, Any], contracts: Mapping[str, StreamContract]) -> Plan:
    """Plan a document over streams that come with it; nothing of a workspace is read."""
    context = PlanningContext(shuffle_partitions=settings.SHUFFLE_PARTITIONS)
    return plan_job(document, contracts, context, seconds=CHECK_TIMEOUT_S)


def home_topics(workspace: Workspace) -> dict[str, str]:
    """The topics of the workspace's streams on the home cluster, by the stream's name."""
    return dict(Stream.objects.of(workspace).filter(cluster_id=HOME).values_list("name", "topic"))


def output_topics(workspace: Workspace) -> dict[str, str]:
    """Topics that outputs may name, by the stream's name and by their own.

    They are the workspace's own streams on the home cluster: the cluster is shared, and
    other topics may be anybody's.
    """
    return _nameable(home_topics(workspace))


def _nameable(home: Mapping[str, str]) -> dict[str, str]:
    return {topic: topic for topic in home.values()} | dict(home)


def written_topics(workspace: Workspace, document: JobDocument) -> dict[str, str]:
    """The topics that a document's outputs go to, by name of the output; without those
    that are not there any more.
    """
    known = output_topics(workspace)
    named = {name: output.topic for name, output in document.outputs.items() if output.topic is not None}
    return {name: known[topic] for name, topic in named.items() if topic in known}


def require_ok(plan: Plan) -> Plan:
    """The plan, when no error stops a submit.

    Raises:
        ServiceError: there are errors; it carries all problems.
    """
    if plan.ok:
        return plan
    count = sum(found.severity == "error" for found in plan.problems)
    raise ServiceError(
        "DOCUMENT_INVALID", f"The document has {count} {'error' if count == 1 else 'errors'}.", plan.problems
    )


def result_of(plan: Plan) -> dict[str, Any]:
    """What the job puts out: kind, identity (fields; empty for row identities), schema,
    whether windows are in it, or in what another output gives.

    Rows have a key of their own only where a later row may be of the same: where they are replaced, or of a
    window. Pairs, unions and what deduplicate lets pass (its key has the row's time) are appended, each once.

    `slack_us` is how far behind the watermark its rows may trail: a window that ended longer before it
    does not change any more.
    """
    relation = plan.relation(plan.outputs[0])
    is_keyed = relation.identity_kind == "key" and (relation.kind == "upsert" or relation.windowed)
    return {
        "kind": relation.kind,
        "identity": list(relation.identity) if is_keyed else [],
        "identity_kind": "key" if is_keyed else "row",
        "schema": relation.schema.as_json(),
        "windowed": relation.windowed,
        "windowed_outputs": any(plan.relation(reference).windowed for reference in plan.outputs),
        "slack_us": relation.slack.us,
    }


def streams_of(workspace: Workspace, plan: Plan) -> dict[str, Stream]:
    """The streams that a valid document reads, by source name."""
    if plan.document is None:
        return {}
    names = {source: ref.registered for source, ref in plan.document.sources.items()}
    rows = {
        stream.name: stream
        for stream in Stream.objects.of(workspace).select_related("cluster").filter(name__in=names.values())
    }
    return {source: rows[name] for source, name in names.items() if name in rows}


def rate_of(stream: Stream) -> float | None:
    """Records per second that were written to a stream's topic over the last minute; None while one of its
    partitions has no leader.

    Raises:
        NotFoundError: the topic does not exist.
        UnreachableError: the cluster does not answer.
    """
    traffic = fetch_traffic(profile_of(stream.cluster), [stream.topic])
    return traffic[stream.topic].rate_per_second


def measure_context(
    streams: Mapping[str, Stream], engine: Engine | None, generation: Generation | None
) -> PlanningContext:
    """What is known when a run starts: rates and partitions of its sources, what its engine already writes.

    Args:
        streams: by source name; their topics exist.
        engine: on which the run would start; None: a new one.
        generation: that would resume; None: a new one, with shuffle partitions from the settings.

    Raises:
        UnreachableError: the cluster does not answer.
    """
    rates = {source: rate_of(stream) for source, stream in streams.items()}
    known = {source: rate for source, rate in rates.items() if rate is not None}
    busy = (
        Run.objects.filter(engine=engine, mode="realtime", observed__in=LIVE)
        if engine
        else Run.objects.none()
    )
    return PlanningContext(
        rates=known,
        partitions={source: stream.partitions for source, stream in streams.items()},
        engine_rate=busy.aggregate(total=Sum("rows_per_second"))["total"] or 0.0,
        shuffle_partitions=generation.shuffle_partitions if generation else settings.SHUFFLE_PARTITIONS,
    )


def current_version(job: Job, number: int | None = None) -> JobVersion:
    """The job's version of that number; None: its newest.

    Raises:
        ServiceError: there is none.
    """
    found = JobVersion.objects.filter(job=job, number=number or job.version).first()
    if found is None:
        raise ServiceError("VERSION_UNKNOWN", f"{job.name} has no version {number}.")
    return found


def versions_in_use(job: Job) -> list[JobVersion]:
    """The job's newest version, and the one that runs where that is another."""
    numbers = {job.version}
    generation = current_generation(job)
    if generation is not None and job.desired == Desired.RUNNING:
        numbers |= set(Run.objects.filter(generation=generation).values_list("version", flat=True))
    return list(JobVersion.objects.filter(job=job, number__in=numbers).order_by("-number"))


def current_generation(job: Job) -> Generation | None:
    """The generation whose results are the job's; None before the first start."""
    return Generation.objects.filter(job=job, number=job.generation).first() if job.generation else None
