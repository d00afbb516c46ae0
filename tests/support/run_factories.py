"""Rows of jobs and runs for tests that need no broker."""

from datetime import UTC, datetime

from django.utils import timezone

from jobs.base.instants import instant_of
from jobs.kafka_messages import (
    Failure,
    HeartbeatReport,
    ProcessHandle,
    RunHeartbeat,
    RunStateReport,
    result_topic,
)
from jobs.plan import kept_state
from weir.clusters.services.clusters import home_cluster
from weir.runs.models import Desired, Engine, Generation, Job, Observed, Run, new_id
from weir.runs.services.epochs import open_execution
from weir.runs.services.placement import place
from weir.runs.services.planning import plan_in
from weir.runs.services.versions import create_job
from weir.streams.models import Stream
from weir.workspaces.models import User, Workspace

CONTRACT = {
    "fields": [
        {"name": "symbol", "type": "string", "nullable": False},
        {"name": "price", "type": "double"},
        {"name": "at", "type": "long"},
    ],
    "event_time": {"kind": "field", "field": "at", "unit": "ms"},
    "delay": "2s",
}
DOCUMENT = """\
format: 1
name: stats
sources:
  trades: {stream: trades}
steps:
  stats:
    op: aggregate
    input: trades
    window: {hopping: {size: 5s, advance: 1s}}
    by: [symbol]
    measures: {n: count(), low: min(price)}
outputs:
  live: {input: stats, to: result}
"""
HANDLE = ProcessHandle(host="elsewhere", pid=1, started_ticks=1, boot_id="x")


def trades(workspace: Workspace, partitions: int = 2, name: str = "trades", topic: str = "trades") -> Stream:
    """The stream that `DOCUMENT` reads, as if its topic were there."""
    return Stream.objects.create(
        workspace=workspace,
        name=name,
        cluster=home_cluster(),
        topic=topic,
        topic_id="id-1",
        partitions=partitions,
        contract=CONTRACT,
    )


def job_of(workspace: Workspace, actor: User, document: str = DOCUMENT) -> Job:
    """A job of `DOCUMENT`, never started; its stream is made where missing."""
    if not Stream.objects.of(workspace).filter(name="trades").exists():
        trades(workspace)
    return create_job(workspace, actor, document)


def running(job: Job, kind: str = "shared", state: str = "running") -> Run:
    """A run of the job's first generation, on a ready engine that has echoed it."""
    engine = place(job, kind, 3)
    Engine.objects.filter(pk=engine.pk).update(state=Engine.State.READY, incarnation="inc-1")
    version = job.versions.get()
    run_id = f"{job.id}.1-{new_id()}"
    kept = kept_state(plan_in(job.workspace, version.document))
    generation = Generation.objects.create(
        job=job,
        number=1,
        fingerprint=version.fingerprint,
        base_fingerprint=kept.base_fingerprint,
        measures=kept.measures,
        started_from="earliest",
        sources={},
        topics_ready=True,
        checkpoint="file:///nowhere/1",
        shuffle_partitions=1,
        result_topic=result_topic(run_id),
        result=version.result,
        retention_ms=1,
    )
    run = Run.objects.create(
        id=run_id,
        generation=generation,
        engine=engine,
        version=1,
        mode="realtime",
        observed=state,
        published_at=timezone.now(),
        applied_epoch=1,
        applied_revision=1,
    )
    open_execution(run)
    Job.objects.filter(pk=job.pk).update(desired=Desired.RUNNING, generation=1)
    job.refresh_from_db()
    return run


def started_anew(run: Run) -> Run:
    """The run of a new generation, which has replaced that of this run, which has stopped."""
    job = run.generation.job
    generation = Generation.objects.get(pk=run.generation_id)
    number = generation.number + 1
    run_id = f"{job.id}.{number}-{new_id()}"
    generation.pk, generation.number, generation.result_topic = None, number, result_topic(run_id)
    generation.save()
    Run.objects.filter(pk=run.pk).update(desired=Desired.STOPPED, observed=Observed.STOPPED)
    Job.objects.filter(pk=job.pk).update(generation=number)
    return Run.objects.create(
        id=run_id, generation=generation, engine=run.engine, version=1, mode=run.mode, observed="running"
    )


def set_result_topic(run: Run, topic: str, topic_id: str = "") -> None:
    """The run's results, without windows and by key, are in this topic. topic_id: Kafka's."""
    Generation.objects.filter(pk=run.generation_id).update(
        result_topic=topic, result_topic_id=topic_id, result={"identity_kind": "key", "windowed": False}
    )


def now_us() -> int:
    """The present in µs."""
    return instant_of(datetime.now(UTC))


def state_report(
    run: Run, state: str, failure: Failure | None = None, epoch: int | None = None
) -> RunStateReport:
    """The run's engine says that it is in this state."""
    return RunStateReport.model_validate(
        {
            "at_us": now_us(),
            "engine_id": run.engine_id,
            "incarnation": "inc-1",
            "run_id": run.id,
            "epoch": epoch or run.epoch,
            "revision": run.revision,
            "state": state,
            "failure": failure,
        }
    )


def heartbeat(
    engine: Engine,
    runs: dict[str, RunHeartbeat] | None = None,
    incarnation: str = "inc-1",
    ready: bool = True,
) -> HeartbeatReport:
    """The engine lives and names these runs."""
    return HeartbeatReport(
        at_us=now_us(),
        engine_id=engine.id,
        incarnation=incarnation,
        ready=ready,
        handle=HANDLE,
        runs=runs or {},
        slots=64,
        slots_used=3,
        memory_bytes=1,
    )
