"""What Spark's progress says of a play's batch."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from jobs.base.instants import instant_of
from jobs.engine.observation import separated
from jobs.engine.observed_metrics import KEYLESS, READ
from jobs.engine.play.taps import FAILED, LEFT_OUT, STEP
from jobs.engine.progress import expression_nulls, malformed
from jobs.engine.read_counts import counted_read
from jobs.engine.run_progress import counts_of
from jobs.engine.step_progress import LateRows
from jobs.operators import OPERATORS
from jobs.plan import Plan
from jobs.play import PlayedBatch, PlayedRecord, PlayedRow, PlayedRows, PlayedSource


@dataclass(frozen=True, slots=True)
class Reading:
    """One batch of one query.

    `watermark_us` is the one by which the batch closed windows, and rows of the next one are late; 0 before
    the first.
    """

    number: int
    watermark_us: int
    late: int
    observed: Mapping[str, Any]

    def rows(self, name: str) -> PlayedRows:
        """The rows that a metric of `jobs.engine.play.taps` kept; none where it was not computed."""
        return played_rows(self.observed.get(name))

    def exchanged(self, name: str) -> tuple[list[bytes], bool]:
        """Values of the records that a query hands to the other one, and whether these are all."""
        found = _named(self.observed.get(name), ("rows", "tombstones", "first"))
        texts = [head["raw"].encode() for head, _ in json.loads(found.get("first") or "[]")]
        return texts, len(texts) == (found.get("rows") or 0)

    def steps(self) -> dict[str, PlayedRows]:
        """By reference."""
        return {
            name[len(STEP) :]: played_rows(value)
            for name, value in self.observed.items()
            if name.startswith(STEP)
        }

    def sources(self) -> dict[str, PlayedSource]:
        """By source."""
        found = {}
        for name, value in self.observed.items():
            if name.startswith(READ):
                source = name[len(READ) :]
                read = counted_read(value).read
                found[source] = PlayedSource(
                    records=read.records, malformed=read.malformed, left_out=self._left_out(source)
                )
        return found

    def nulls_by_expression(self, labels: Mapping[str, list[str]]) -> dict[str, dict[str, int]]:
        """By step and expression; without those that had no error."""
        found: dict[str, dict[str, int]] = {}
        for step, names in labels.items():
            counted = _named(self.observed.get(f"{FAILED}{step}"), [f"f{at}" for at in range(len(names))])
            counts = {name: counted.get(f"f{at}") or 0 for at, name in enumerate(names)}
            if any(counts.values()):
                found[step] = {name: count for name, count in counts.items() if count}
        return found

    def nulls(self) -> dict[str, int]:
        """By step; without those that had no error."""
        return {step: count for step, count in expression_nulls(dict(self.observed)).items() if count}

    def keyless(self) -> dict[str, int]:
        """By step; without those that left none out."""
        steps = [name[len(KEYLESS) :] for name in self.observed if name.startswith(KEYLESS)]
        counted = malformed({name: v for name, v in self.observed.items() if name.startswith(KEYLESS)})
        return {step: counted[step] for step in steps if counted.get(step)}

    def _left_out(self, source: str) -> tuple[PlayedRecord, ...]:
        kept = _named(self.observed.get(f"{LEFT_OUT}{source}"), ("first",)).get("first")
        return tuple(PlayedRecord.model_validate(found) for found in json.loads(kept or "[]"))


def reading_of(progress_json: bytes, plan: Plan) -> Reading:
    """Read the JSON of Spark's progress of a batch of the plan's only query."""
    progress = json.loads(progress_json)
    text = (progress.get("eventTime") or {}).get("watermark")
    watermark = instant_of(datetime.fromisoformat(text.replace("Z", "+00:00"))) if text else 0
    observed = separated(progress)
    return Reading(
        number=progress["batchId"],
        watermark_us=watermark,
        late=LateRows(plan).of_batch(progress.get("stateOperators") or [], observed),
        observed=observed,
    )


def late_step(plan: Plan) -> str | None:
    """The step of a query that dropped its late rows; None where none or several do."""
    dropping = [
        node.name
        for node in plan.live_nodes
        if node.op in OPERATORS and OPERATORS[node.op].drops_late_rows(node.bound)
    ]
    return dropping[0] if len(dropping) == 1 else None


def played_rows(value: Any) -> PlayedRows:
    """The rows of a metric, as `Shown.metrics` and `output_metrics` write it."""
    found = _named(value, ("rows", "tombstones", "first"))
    rows, tombstones = found.get("rows") or 0, found.get("tombstones") or 0
    first = tuple(
        PlayedRow.model_construct(key=head.get("key"), at_us=head.get("at_us"), value=values)
        for head, values in json.loads(found.get("first") or "[]")
    )
    return PlayedRows.model_construct(
        rows=rows, tombstones=tombstones, first=first, truncated=len(first) < rows + tombstones
    )


def merged(batches: Iterable[PlayedBatch], *, restarted: bool) -> PlayedBatch:
    """Batches of Spark's, one after the other and query by query, as one of the script's."""
    total = PlayedBatch(restarted=restarted)
    for batch in batches:
        total = PlayedBatch.model_construct(
            outputs=_rows_after(total.outputs, batch.outputs),
            steps=_rows_after(total.steps, batch.steps),
            sources=_sources_after(total.sources, batch.sources),
            late=total.late + batch.late,
            late_by_step=_sums(total.late_by_step, batch.late_by_step),
            nulls=_sums(total.nulls, batch.nulls),
            nulls_by_expression={
                step: _sums(total.nulls_by_expression.get(step, {}), batch.nulls_by_expression.get(step, {}))
                for step in (*total.nulls_by_expression, *batch.nulls_by_expression)
            },
            keyless=_sums(total.keyless, batch.keyless),
            watermark_us=total.watermark_us | batch.watermark_us,
            restarted=restarted,
        )
    return total


def owned(batch: PlayedBatch, nodes: frozenset[str]) -> PlayedBatch:
    """A query's batch with only what it counts for the whole document (`jobs.engine.run_progress`)."""
    return batch.model_copy(
        update={
            "steps": {name: rows for name, rows in batch.steps.items() if name.partition(".")[0] in nodes},
            "sources": {name: source for name, source in batch.sources.items() if name in nodes},
            "nulls": counts_of(batch.nulls, nodes),
            "nulls_by_expression": {
                step: counts for step, counts in batch.nulls_by_expression.items() if step in nodes
            },
            "keyless": counts_of(batch.keyless, nodes),
        }
    )


def _sums(first: Mapping[str, int], second: Mapping[str, int]) -> dict[str, int]:
    return {name: first.get(name, 0) + second.get(name, 0) for name in (*first, *second)}


def _rows_after(first: Mapping[str, PlayedRows], second: Mapping[str, PlayedRows]) -> dict[str, PlayedRows]:
    found = dict(first)
    for name, rows in second.items():
        before = found.get(name)
        found[name] = (
            rows
            if before is None
            else PlayedRows.model_construct(
                rows=before.rows + rows.rows,
                tombstones=before.tombstones + rows.tombstones,
                first=before.first + rows.first,
                truncated=before.truncated or rows.truncated,
            )
        )
    return found


def _sources_after(
    first: Mapping[str, PlayedSource], second: Mapping[str, PlayedSource]
) -> dict[str, PlayedSource]:
    found = dict(first)
    for name, source in second.items():
        before = found.get(name, PlayedSource())
        found[name] = PlayedSource(
            records=before.records + source.records,
            malformed=_sums(before.malformed, source.malformed),
            left_out=before.left_out + source.left_out,
        )
    return found


def _named(value: Any, names: Iterable[str]) -> dict[str, Any]:
    """The columns of a metric, which Spark writes as a list in their order, or as an object."""
    if value is None:
        return {}
    return dict(zip(names, value, strict=False)) if isinstance(value, list) else dict(value)
