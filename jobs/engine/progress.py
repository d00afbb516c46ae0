"""Converts Spark's progress of a batch into the numbers that are reported to the platform."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from jobs.base.instants import instant_of
from jobs.engine.observation import separated
from jobs.engine.observed_metrics import EXCHANGED, KEYLESS, LIMITS, NULLS, READ
from jobs.engine.read_counts import CountedRead, counted_read
from jobs.engine.step_progress import StepProgress, late_rows, state_bytes
from jobs.engine.subscriptions import parse_repeat_count, repeat_count
from jobs.kafka_messages import (
    DesiredRun,
    PartitionProgress,
    Positions,
    SourceRead,
    StepState,
)


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """One finished batch. Field names and units are those of `jobs.kafka_messages.ProgressReport`.

    `exchange_offset` is the next offset of the exchange topic, None where the
    query does not read it.
    """

    batch: int
    began_us: int
    duration_ms: int
    rows_in: int
    rows_out: int
    sources: dict[str, dict[int, PartitionProgress]]
    watermark_us: int | None
    source_watermarks_us: dict[str, int]
    late: int
    malformed: dict[str, int]
    read: dict[str, SourceRead]
    expression_nulls: dict[str, int]
    limit_reached: dict[str, int]
    given: dict[str, int]
    steps: dict[str, StepState]
    state_rows: int | None
    state_bytes: int | None
    state_load_ms: int | None
    durations_ms: dict[str, int]
    exchange_offset: int | None = None

    @property
    def committed(self) -> Positions:
        """The next offset of every partition, by source."""
        return {
            name: {
                partition: seen.committed
                for partition, seen in partitions.items()
                if seen.committed is not None
            }
            for name, partitions in self.sources.items()
        }


def read_progress(text: str, run: DesiredRun, steps: StepProgress | None = None) -> BatchProgress:
    """Parse the JSON that Spark writes after a batch.

    Args:
        text: Spark's JSON.
        run: names the topics of its sources.
        steps: reads what is known of steps; None: nothing, as in a validator.
    """
    raw = json.loads(text)
    observed = separated(raw)
    states: list[dict[str, Any]] = raw.get("stateOperators") or []
    sources: list[dict[str, Any]] = raw.get("sources") or []
    counted_reads = _counted_reads(observed)
    return BatchProgress(
        batch=raw["batchId"],
        began_us=_instant_us(raw["timestamp"]),
        duration_ms=_count(raw, "batchDuration"),
        rows_in=_rows_in(raw, counted_reads),
        rows_out=_rows_out(raw.get("sink") or {}, observed),
        sources=_positions(sources, run),
        watermark_us=_watermark_us(raw.get("eventTime") or {}),
        source_watermarks_us={
            source: max(counted.watermark_us // 1_000 * 1_000, 0)
            for source, counted in counted_reads.items()
            if counted.watermark_us is not None
        },
        late=late_rows(states, times=1) if steps is None else steps.late(states, observed),
        malformed=malformed(observed),
        read={source: counted.read for source, counted in counted_reads.items()},
        expression_nulls=expression_nulls(observed),
        limit_reached=_by_step(observed, LIMITS),
        given={} if steps is None else steps.given(observed, _written(raw.get("sink") or {})),
        steps={} if steps is None else steps.states(states, observed),
        state_rows=_total([_count(state, "numRowsTotal") for state in states]),
        state_bytes=_total([state_bytes(state) for state in states]),
        state_load_ms=_total([_state_load_ms(state) for state in states]),
        durations_ms=_durations_ms(raw.get("durationMs") or {}),
        exchange_offset=_exchange_offset(sources, run),
    )


def _count(values: Mapping[str, Any], name: str) -> int:
    """A number from Spark's progress; 0 where it is missing or null."""
    found: int = values.get(name) or 0
    return found


def _total(counts: list[int]) -> int | None:
    """The sum; None where there is nothing to count."""
    return sum(counts) if counts else None


def _counted_reads(observed: dict[str, Any]) -> dict[str, CountedRead]:
    return {
        name.removeprefix(READ): counted_read(value)
        for name, value in observed.items()
        if name.startswith(READ)
    }


def _rows_in(raw: dict[str, Any], reads: Mapping[str, CountedRead]) -> int:
    """Records that were read, each once. Spark counts them once for each of several outputs; its number
    serves where nothing else is counted, as in a validator.
    """
    if reads:
        return sum(one.read.records for one in reads.values())
    return max(_count(raw, "numInputRows"), 0)


def _written(sink: dict[str, Any]) -> int:
    """Records that the sink wrote; -1 where it does not say."""
    found: int | None = sink.get("numOutputRows")
    return -1 if found is None else found


def _rows_out(sink: dict[str, Any], observed: dict[str, Any]) -> int:
    return max(_count(sink, "numOutputRows") - _exchanged(observed), 0)


def _durations_ms(durations: dict[str, Any]) -> dict[str, int]:
    return {name: int(ms) for name, ms in durations.items()}


def expression_nulls(observed: dict[str, Any]) -> dict[str, int]:
    """By step, the rows of a batch in which an error in an expression became null.

    Args:
        observed: observed metrics by name, from Spark's progress.
    """
    return _by_step(observed, NULLS)


def _exchanged(observed: dict[str, Any]) -> int:
    """Rows that were handed to the other query, and are no output."""
    return sum(_count(values, "rows") for _, values in _named(observed, EXCHANGED))


def _exchange_offset(sources: list[dict[str, Any]], run: DesiredRun) -> int | None:
    if run.exchange is None:
        return None
    ends = [_offsets(source.get("endOffset")).get(run.exchange.topic) for source in sources]
    return min((offsets.get("0", 0) for offsets in ends if offsets is not None), default=None)


def malformed(observed: dict[str, Any]) -> dict[str, int]:
    """By source, the malformed records of a batch; and by step, the rows that it left out because their key
    has a null.

    Args:
        observed: observed metrics by name, from Spark's progress.
    """
    found = {source: sum(one.read.malformed.values()) for source, one in _counted_reads(observed).items()}
    return found | _by_step(observed, KEYLESS)


def _by_step(observed: dict[str, Any], prefix: str) -> dict[str, int]:
    return {name[len(prefix) :]: _count(values, "rows") for name, values in _named(observed, prefix)}


def _named(observed: dict[str, Any], prefix: str) -> list[tuple[str, dict[str, Any]]]:
    """Observed metrics whose name has this prefix.

    Spark writes values as a list in column order, or as an object.
    """
    found = []
    for name, values in observed.items():
        if name.startswith(prefix):
            found.append((name, {"rows": values[0]} if isinstance(values, list) else dict(values)))
    return found


def _positions(sources: list[dict[str, Any]], run: DesiredRun) -> dict[str, dict[int, PartitionProgress]]:
    """Positions by source of the document. Spark identifies sources by subscription only
    (`jobs.engine.subscriptions`).
    """
    by_topic: dict[tuple[str, int], dict[int, PartitionProgress]] = {}
    for source in sources:
        ends, latest = _offsets(source.get("endOffset")), _offsets(source.get("latestOffset"))
        for topic, partitions in ends.items():
            newest = latest.get(topic, {})
            by_topic[topic, parse_repeat_count(source)] = {
                int(p): PartitionProgress(
                    committed=offset, fetched=offset, end=max(offset, newest[p]) if p in newest else None
                )
                for p, offset in partitions.items()
            }
    return {
        name: by_topic.get((source.topic, repeat_count(run, source)), {})
        for name, source in run.sources.items()
    }


def _offsets(value: Any) -> dict[str, dict[str, int]]:
    if isinstance(value, str):
        value = json.loads(value)
    return value or {}


def _watermark_us(event_time: dict[str, str]) -> int | None:
    text = event_time.get("watermark")
    found = _instant_us(text) if text else 0
    return found or None  # 1970: no row yet


def _state_load_ms(state: dict[str, Any]) -> int:
    return int((state.get("customMetrics") or {}).get("rocksdbLoadLatencyMs") or 0)


def _instant_us(text: str) -> int:
    return instant_of(datetime.fromisoformat(text.replace("Z", "+00:00")))
