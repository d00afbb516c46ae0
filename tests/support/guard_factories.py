"""Rows of guards and dead letters for tests."""

from datetime import UTC, datetime
from typing import Any

from jobs.messages import BoundSource, GuardRange, GuardReport, StartPosition, dead_topic
from tests.support.run_factories import now_us, running, trades
from weir.clusters.services import profile_of
from weir.guards.models import DeadLetter, Guard
from weir.guards.services.switching import ensure_guard
from weir.runs.models import Generation, Run
from weir.runs.services.dead_topics import ensure_dead_topic
from weir.streams.models import Stream
from weir.workspaces.models import Workspace


def guarded(workspace: Workspace, **more: Any) -> Guard:
    """The guard of a new stream, never started."""
    return ensure_guard(trades(workspace, **more))


def with_dead_topic(guard: Guard) -> str:
    """Make the topic of the guard's dead letters on the broker, as a start does; its name."""
    job = guard.job
    source = BoundSource(
        stream=guard.stream.name,
        cluster=profile_of(guard.stream.cluster),
        topic=guard.stream.topic,
        topic_id=guard.stream.topic_id,
        partitions=guard.stream.partitions,
        contract=guard.stream.stream_contract,
        start=StartPosition(kind="earliest"),
    )
    generation = Generation.objects.create(
        job=job,
        number=1 + Generation.objects.filter(job=job).count(),
        fingerprint="",
        started_from="earliest",
        sources={"records": source.model_dump(mode="json")},
        checkpoint="file:///nowhere/1",
        shuffle_partitions=1,
        result_topic=dead_topic(job.id),
        retention_ms=1,
    )
    ensure_dead_topic(generation)
    return generation.result_topic


def run_of(guard: Guard, state: str = "running") -> Run:
    """A run of the guard, as an engine has echoed it."""
    run = running(guard.job, state=state)
    guard.job.refresh_from_db()
    return run


def report(run: Run, *ranges: GuardRange, at_us: int | None = None, topic_id: str = "id-1") -> GuardReport:
    """What a batch of the run counted."""
    return GuardReport(
        at_us=at_us or now_us(),
        engine_id=run.engine_id or "",
        incarnation="inc-1",
        run_id=run.pk,
        epoch=run.epoch,
        batch=0,
        topic_id=topic_id,
        ranges=ranges,
    )


def letter(guard: Guard, offset: int, reason: str = "NOT_JSON", **more: Any) -> DeadLetter:
    """A letter that waits."""
    values = {"topic_id": "id-1", "partition": 0, "dead_partition": 0, "dead_offset": offset, "size": 3, "preview": "{ba"}
    return DeadLetter.objects.create(guard=guard, offset=offset, reason=reason, at=datetime.now(UTC), **{**values, **more})


def stream_of(guard: Guard) -> Stream:
    """The guarded stream, read anew."""
    return Stream.objects.get(pk=guard.stream_id)
