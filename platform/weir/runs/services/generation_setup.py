"""Sets up a generation before its first run: creates its topics, and finds which
windows began before its start.

The generation of a validator gets the dead letter topic instead, on the cluster of the validated topic.
"""

import logging
from typing import Any, Final

from jobs.formats.avro_records import SchemaOf
from jobs.kafka_messages import MAX_EXCHANGE_ROW_BYTES, MAX_RESULT_BYTES
from weir.clusters.services.clients import home_profile
from weir.clusters.services.offsets import watermarks
from weir.clusters.services.topic_settings import change_topic_settings
from weir.clusters.services.topics import create_topic, delete_topics, start_topic_creation
from weir.retention import (
    COMPACTION_LAG_MS,
    EXCHANGE_RETENTION_MS,
    RESULT_TOMBSTONE_RETENTION_MS,
    SEGMENT_BYTES,
    SEGMENT_MS,
)
from weir.runs.models import Generation
from weir.runs.services.dead_letter_topics import ensure_dead_letter_topic, is_validator
from weir.runs.services.given_profiles import given_source
from weir.schemas.services.contract_schemas import writer_schemas
from weir.streams.services.decoding import event_time_us
from weir.streams.services.scan import OffsetRange, scan
from weir.workspaces.errors import ServiceError

_LOG: Final = logging.getLogger(__name__)
_SAMPLE_SIZE: Final = 200  # records before the start, per partition
_EXCHANGE_TOPIC: Final = {
    "cleanup.policy": "delete",
    "retention.ms": str(EXCHANGE_RETENTION_MS),
    "segment.ms": str(SEGMENT_MS),
    "segment.bytes": str(SEGMENT_BYTES),
    "max.message.bytes": str(MAX_EXCHANGE_ROW_BYTES),
}


def prepare_generation(generation: Generation) -> None:
    """Create the topics that the generation writes, and find where partial windows end. Idempotent. Where
    they exist, give the result topic the retention of the version that is started.

    Raises:
        NotFoundError: an input topic does not exist.
        ForeignTopicError: of a validator; there is a topic of its name that it did not make.
        UnreachableError: the cluster does not answer.
    """
    if is_validator(generation.job):
        ensure_dead_letter_topic(generation)
        return
    if generation.topics_ready:
        _apply_retention(generation)
        return
    made = start_topic_creation(
        home_profile(), generation.result_topic, generation.result_partitions, topic_config(generation)
    )
    exchange_id = ""
    if generation.exchange_topic:
        exchange_id = create_topic(home_profile(), generation.exchange_topic, 1, _EXCHANGE_TOPIC).topic_id
    marks = generation.result.get("windowed_outputs", generation.result["windowed"])
    partial = partial_before_us(generation) if marks else None
    facts = made()
    # Another worker may have been first. What it found holds: windows are marked alike in every epoch.
    Generation.objects.filter(pk=generation.pk, topics_ready=False).update(
        partial_before_us=partial,
        result_topic_id=facts.topic_id,
        exchange_topic_id=exchange_id,
        topics_ready=True,
        topic_retention_ms=None,
    )
    try:
        generation.refresh_from_db()
    except Generation.DoesNotExist:  # the job was deleted meanwhile, and its topics before these were made
        delete_topics(home_profile(), generation.topics)


def _apply_retention(generation: Generation) -> None:
    """A topic that cannot be changed now is changed by the next start; the run does not wait for it."""
    if generation.topic_retention_ms is None:
        return
    config = topic_config(generation)
    wanted = config.get("retention.ms")
    # Topics of appended rows that an older Weir took for keyed are compacted, which removes nothing.
    cleanup = "delete" if config["cleanup.policy"] == "delete" else None
    try:
        if wanted is not None:
            change_topic_settings(home_profile(), generation.result_topic, int(wanted), cleanup, None)
    except ServiceError as error:
        _LOG.warning("%s keeps its retention: %s", generation.result_topic, error.detail)
        return
    Generation.objects.filter(pk=generation.pk, retention_ms=generation.retention_ms).update(
        topic_retention_ms=None
    )


def topic_config(generation: Generation) -> dict[str, str]:
    """Windowed results are compacted and forgotten after the job's retention, keyed
    ones kept, rows forgotten.

    See `docs/architecture.md#retention`.
    """
    config = {
        "segment.ms": str(SEGMENT_MS),
        "segment.bytes": str(SEGMENT_BYTES),
        "max.compaction.lag.ms": str(COMPACTION_LAG_MS),
        "min.cleanable.dirty.ratio": "0.2",
        "delete.retention.ms": str(RESULT_TOMBSTONE_RETENTION_MS),
        "max.message.bytes": str(MAX_RESULT_BYTES),
    }
    if generation.result["identity_kind"] == "row":
        return {**config, "cleanup.policy": "delete", "retention.ms": str(generation.retention_ms)}
    if generation.result["windowed"]:
        return {**config, "cleanup.policy": "compact,delete", "retention.ms": str(generation.retention_ms)}
    return {**config, "cleanup.policy": "compact"}


def partial_before_us(generation: Generation) -> int | None:
    """Windows that start before this event time lack rows that lie before the start positions;
    None when nothing lies there.

    It is one past the greatest event time among the last records before the start of
    every source and partition.
    """
    schema_of = writer_schemas(generation.job.workspace)
    found = [time for source in generation.sources.values() for time in _times_before(source, schema_of)]
    return max(found) + 1 if found else None


def _times_before(source: dict[str, Any], schema_of: SchemaOf) -> list[int]:
    bound = given_source(source)
    if bound.contract.kind == "table":
        return []  # entries of a table are in no window
    ends = watermarks(bound.cluster, {bound.topic: bound.partitions}, committed=True)
    ranges: dict[int, OffsetRange] = {}
    for (_, partition), (low, high) in ends.items():
        if bound.start.kind == "earliest":
            # Nothing before can be read; where records were forgotten already, the first ones
            # there stand in for them.
            if low > 0:
                ranges[partition] = OffsetRange(low, min(high, low + _SAMPLE_SIZE), low, high)
            continue
        start = min(bound.start.offsets.get(partition, low), high)
        ranges[partition] = OffsetRange(max(low, start - _SAMPLE_SIZE), start, low, high)
    messages = scan(bound.cluster, bound.topic, ranges, _SAMPLE_SIZE * max(1, len(ranges))).messages
    times = (event_time_us(message, bound.contract, schema_of) for message in messages)
    return [time for time in times if time is not None]
