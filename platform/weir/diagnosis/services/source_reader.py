"""Reads what brokers say of the sources of a job, and their newest records."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from jobs.base.instants import datetime_of, nearest_instant
from jobs.kafka_messages import StartPosition
from jobs.plan import Plan
from jobs.plan.model import SourceBound
from jobs.plan.queries import Sink
from weir.clusters.services.offsets import watermarks
from weir.clusters.services.topics import describe_topics
from weir.diagnosis.services.key_columns import key_columns
from weir.diagnosis.services.key_scan import KEY_RECORDS, scan_for_key
from weir.diagnosis.services.source_facts import (
    ALMOST_ALL,
    KeyScan,
    MalformedReason,
    PartitionFacts,
    Sample,
    SourceFacts,
    TopicState,
    sampled_row,
)
from weir.streams.models import Stream
from weir.streams.services.row_sample import RowSample, SampledRecord, row_sample
from weir.streams.services.topic_ref import TopicRef
from weir.workspaces.errors import ServiceError, UnreachableError

SAMPLE_RECORDS: Final = 500
MAX_SAMPLED: Final = 12
"""Sources of which records are read; those of a larger document behind them are unknown."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a diagnosis is about.

    Attributes:
        key: of one output row; empty: all rows.
        sink: the output; None where the document has none that could be planned.
    """

    key: str = ""
    sink: Sink | None = None


class SourceReader:
    """Reads what brokers say of the sources of one plan. It uses no database, so threads may share it.

    Args:
        plan: of the document.
        bound: by source, how the generation reads it (`jobs.kafka_messages.BoundSource`); empty before the
            first start.
        payload: the current lag, as the relay stored it.
        asked: what is asked about.
    """

    def __init__(
        self, plan: Plan, bound: dict[str, Any], payload: dict[str, Any], asked: Asked = Asked()
    ) -> None:
        self._key = asked.key
        by_key = asked.key and asked.sink is not None and plan.ok
        self._key_columns = key_columns(plan, asked.sink.reference) if by_key and asked.sink else {}
        self._plan = plan
        self._static = plan.copied
        self._sampled = frozenset(list(plan.document.sources)[:MAX_SAMPLED]) if plan.document else frozenset()
        self._bound = bound
        self._cells: dict[str, Any] = payload.get("sources") or {}
        self._counted: dict[str, Any] = (payload.get("counts") or {}).get("sources") or {}

    def facts(self, name: str, stream: Stream, ref: TopicRef) -> SourceFacts:
        """Facts of one source.

        Args:
            name: of the source.
            stream: which it reads.
            ref: topic of the stream.
        """
        bound = self._bound.get(name)
        start = StartPosition.model_validate(bound["start"]) if bound else None
        counted = self._counted.get(name)
        state, detail = _topic_state(ref, bound["topic_id"] if bound else stream.topic_id)
        partitions: tuple[PartitionFacts, ...] = ()
        sample = key_scan = key_sample = None
        if state == "there":
            with suppress(ServiceError):
                partitions = self._partitions(name, ref, start)
                if name in self._sampled:
                    found = row_sample(ref, SAMPLE_RECORDS)
                    newest = found.newest_by_partition
                    partitions = tuple(
                        replace(part, newest_us=newest.get(part.number)) for part in partitions
                    )
                    sample = _sample(name, found, self._delay_us(name))
                    key_scan, key_sample = self._of_key(name, ref, sample)
        return SourceFacts(
            name=name,
            topic=stream.topic,
            state=state,
            detail=detail,
            static=name in self._static,
            start=start,
            partitions=partitions,
            records=counted["records"] if counted else None,
            malformed=counted["malformed"] if counted else 0,
            reasons=tuple(map(_reason, counted["reasons"])) if counted else (),
            sample=sample,
            is_table=stream.kind == "table",
            key_scan=key_scan,
            key_sample=key_sample,
        )

    def _of_key(self, name: str, ref: TopicRef, sample: Sample) -> tuple[KeyScan | None, Sample | None]:
        """What was found of the key in a source that may have it."""
        columns = self._key_columns.get(name)
        if columns is None:
            return None, None
        share = KEY_RECORDS // len(self._key_columns)
        try:
            rows, scan = scan_for_key(ref, self._key, columns.fields, share)
        except ServiceError:
            return None, replace(sample, rows=(), complete=False, whole_from_us=None)
        of_key = replace(
            sample,
            read=scan.read,
            rows=tuple(sampled_row(record.row, _system(name, record)) for record in rows),
            complete=scan.complete,
            whole_from_us=None,
        )
        return replace(scan, partners=columns.partners), of_key

    def _delay_us(self, name: str) -> int:
        """How far records of a source are expected to be out of order."""
        bound = self._plan.node(name).bound
        return bound.contract.delay_duration.us if isinstance(bound, SourceBound) else 0

    def _partitions(
        self, name: str, ref: TopicRef, start: StartPosition | None
    ) -> tuple[PartitionFacts, ...]:
        cells = {cell["partition"]: cell for cell in self._cells.get(name, {}).get("partitions", ())}
        found = watermarks(ref.profile, {ref.topic: ref.partitions}, committed=True)
        return tuple(
            PartitionFacts(
                low, end, _start_offset(start, partition, low), _reached(cells.get(partition)), partition
            )
            for (_, partition), (low, end) in sorted(found.items())
        )


def _start_offset(start: StartPosition | None, partition: int, low: int) -> int | None:
    if start is None:
        return None
    if start.kind == "earliest":
        return low
    return start.offsets.get(partition) if start.kind == "offsets" else None


def _reached(cell: dict[str, Any] | None) -> int | None:
    """The furthest known position of a partition."""
    known = [cell[name] for name in ("committed", "fetched") if cell[name] is not None] if cell else []
    return max(known, default=None)


def _topic_state(ref: TopicRef, topic_id: str) -> tuple[TopicState, str]:
    """Whether the topic is there and the one that is read; and the error of a cluster that doesn't answer."""
    try:
        found = describe_topics(ref.profile, [ref.topic]).get(ref.topic)
    except UnreachableError as error:
        return "unreachable", error.detail
    if found is None:
        return "deleted", ""
    return ("there" if found.topic_id == topic_id else "recreated"), ""


def _sample(name: str, found: RowSample, delay_us: int) -> Sample:
    """The newest records, without deletions."""
    return Sample(
        read=found.read,
        rows=tuple(
            sampled_row(record.row, _system(name, record)) for record in found.rows if not record.row.deleted
        ),
        malformed=tuple(
            MalformedReason(reason, records, detail, found.examples.get(reason))
            for reason, records, detail in found.malformed
        ),
        malformed_since_us=found.malformed_since_us(ALMOST_ALL),
        newest_us=found.newest_us,
        oldest_us=found.oldest_us,
        heartbeat_us=found.heartbeat_us,
        complete=found.unread == frozenset(),
        whole_from_us=_whole_from_us(found, delay_us),
    )


def _reason(counted: dict[str, Any]) -> MalformedReason:
    """A reason that the run reported, with its example."""
    example = counted.get("example")
    place = (example["partition"], example["offset"]) if example else None
    return MalformedReason(counted["reason"], counted["records"], example=place)


def _whole_from_us(found: RowSample, delay_us: int) -> int | None:
    """Event time from which on the sample has every row; None: unknown."""
    if not found.unread:
        return None
    first: dict[int, int] = {}
    for record in found.rows:
        first.setdefault(record.partition, record.row.event_time)
    if not found.unread <= first.keys():
        return None
    return max(first[partition] for partition in found.unread) + delay_us


def _system(name: str, record: SampledRecord) -> dict[str, Any]:
    return {
        "_time": datetime_of(record.row.event_time),
        "_timestamp": datetime_of(nearest_instant(record.timestamp_us)),
        "_source": name,
        "_partition": record.partition,
        "_offset": record.offset,
    }
