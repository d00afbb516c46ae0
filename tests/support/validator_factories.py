"""Rows of validators and dead letters for tests."""

from datetime import UTC, datetime
from typing import Any

from jobs.kafka_messages import (
    BoundSource,
    StartPosition,
    ValidatedRange,
    ValidationReport,
    dead_letter_topic,
)
from tests.support.run_factories import now_us, running, trades
from weir.clusters.services.clusters import profile_of
from weir.dead_letters.models import DeadLetter, Validator
from weir.dead_letters.services.lifecycle import ensure_validator
from weir.runs.models import Generation, Run
from weir.runs.services.dead_letter_topics import ensure_dead_letter_topic
from weir.streams.models import Stream
from weir.workspaces.models import Workspace


def create_validator(workspace: Workspace, **more: Any) -> Validator:
    """The validator of a new stream, never started."""
    return ensure_validator(trades(workspace, **more))


def with_dead_letter_topic(validator: Validator) -> str:
    """Make the topic of the validator's dead letters on the broker, as a start does; its name."""
    job = validator.job
    source = BoundSource(
        stream=validator.stream.name,
        cluster=profile_of(validator.stream.cluster),
        topic=validator.stream.topic,
        topic_id=validator.stream.topic_id,
        partitions=validator.stream.partitions,
        contract=validator.stream.stream_contract,
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
        result_topic=dead_letter_topic(job.id),
        retention_ms=1,
    )
    ensure_dead_letter_topic(generation)
    return generation.result_topic


def run_of(validator: Validator, state: str = "running") -> Run:
    """A run of the validator, as an engine has echoed it."""
    run = running(validator.job, state=state)
    validator.job.refresh_from_db()
    return run


def report(
    run: Run, *ranges: ValidatedRange, at_us: int | None = None, topic_id: str = "id-1"
) -> ValidationReport:
    """What a batch of the run counted."""
    return ValidationReport(
        at_us=at_us or now_us(),
        engine_id=run.engine_id or "",
        incarnation="inc-1",
        run_id=run.pk,
        epoch=run.epoch,
        batch=0,
        topic_id=topic_id,
        ranges=ranges,
    )


def create_dead_letter(
    validator: Validator, offset: int, reason: str = "NOT_JSON", **more: Any
) -> DeadLetter:
    """A waiting dead letter."""
    values = {
        "topic_id": "id-1",
        "partition": 0,
        "dead_partition": 0,
        "dead_offset": offset,
        "size": 3,
        "preview": "{ba",
    }
    return DeadLetter.objects.create(
        validator=validator, offset=offset, reason=reason, timestamp=datetime.now(UTC), **{**values, **more}
    )


def stream_of(validator: Validator) -> Stream:
    """The validator's stream, reloaded."""
    return Stream.objects.get(pk=validator.stream_id)
