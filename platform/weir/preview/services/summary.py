"""What a play gave, as the page shows it: totals over its batches, step by step."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from jobs.base.instants import Instant, instant_text
from jobs.kafka_messages import Answer
from jobs.plan import Node, Plan
from jobs.plan.model import SOURCE
from jobs.play import PlayedRows, PlayResult
from weir.preview.services.samples import Sample

MAX_ROWS: Final = 200
MAX_LEFT_OUT: Final = 20
_FILTERING: Final = frozenset({"filter", "sample"})  # one row in, at most one out


def summary(plan: Plan, answer: Answer, samples: Mapping[str, Sample]) -> dict[str, Any]:
    """The API's form of an answer.

    Args:
        plan: of the document.
        answer: the engine's.
        samples: by source.
    """
    result = answer.result
    total = _Totals(result)
    return {
        "problem": result.problem.model_dump() if result.problem is not None else None,
        "engine": answer.engine_id,
        "runs": answer.runs,
        "elapsed_ms": result.elapsed_ms,
        "spans_ms": result.spans_ms,
        "shortened": answer.shortened,
        "late": total.late,
        "uses_processing_time": list(result.uses_processing_time),
        "watermark": _instant(max(total.watermarks, default=None)),
        "sources": [_source(node, total, samples) for node in plan.live_nodes if node.op == SOURCE],
        "steps": [step for node in plan.live_nodes for step in _steps(node, plan, total)],
        "outputs": [
            {"name": sink.name, **_rows(total.outputs.get(sink.name, ()))}
            for sink in plan.sinks
            if sink.exchange is None
        ],
    }


class _Totals:
    """Sums over the batches of a play."""

    def __init__(self, result: PlayResult) -> None:
        batches = result.batches
        self.batches = batches
        self.late = sum(batch.late for batch in batches)
        self.late_by_step = _sums(batch.late_by_step for batch in batches)
        self.nulls = _sums(batch.nulls for batch in batches)
        self.keyless = _sums(batch.keyless for batch in batches)
        self.watermarks = [at for batch in batches for at in batch.watermark_us.values() if at]
        self.steps = _lists(batch.steps for batch in batches)
        self.outputs = _lists(batch.outputs for batch in batches)

    def nulls_of(self, step: str) -> dict[str, int]:
        """By expression."""
        return _sums(batch.nulls_by_expression.get(step, {}) for batch in self.batches)

    def rows(self, reference: str) -> int | None:
        """Rows that a node gave; None: it is not known, because they are read at the start."""
        found = self.steps.get(reference)
        return None if found is None else sum(rows.rows for rows in found)


def _source(node: Node, total: _Totals, samples: Mapping[str, Sample]) -> dict[str, Any]:
    read = [batch.sources[node.name] for batch in total.batches if node.name in batch.sources]
    given = samples.get(node.name, Sample(()))
    return {
        "name": node.name,
        "given": len(given.records),
        "note": given.note,
        "records": sum(source.records for source in read),
        "malformed": [
            {"reason": reason, "records": count}
            for reason, count in _sums(source.malformed for source in read).items()
        ],
        "left_out": [
            {"partition": record.partition, "offset": record.offset, "reason": record.reason}
            for source in read
            for record in source.left_out
        ][:MAX_LEFT_OUT],
    }


def _steps(node: Node, plan: Plan, total: _Totals) -> list[dict[str, Any]]:
    references = [*([] if node.only_ports else [node.name]), *(f"{node.name}.{port}" for port in node.ports)]
    known = [total.rows(reference) for reference in node.inputs]
    rows_in = None if not known or None in known else sum(count or 0 for count in known)
    made = []
    for reference in references:
        if (
            reference not in total.steps
            and node.op != SOURCE
            and reference not in plan.outputs
            and "." in reference
        ):
            continue  # an output that nothing reads
        rows = _rows(total.steps.get(reference, ()))
        filtered = (
            rows_in - rows["rows"]
            if node.op in _FILTERING and rows_in is not None and plan.relation(reference).kind == "append"
            else None
        )
        made.append(
            {
                "reference": reference,
                "node": node.name,
                "op": node.op,
                "fields": list(plan.relation(reference).schema.names),
                "key": list(plan.relation(reference).identity_parts),
                "known": reference in total.steps,
                "rows_in": rows_in,
                "filtered": filtered,
                "late": total.late_by_step.get(node.name, 0),
                "keyless": total.keyless.get(node.name, 0),
                "nulls": total.nulls.get(node.name, 0),
                "nulls_by_expression": [
                    {"expression": name, "rows": count} for name, count in total.nulls_of(node.name).items()
                ],
                **rows,
            }
        )
    return made


def _rows(parts: Iterable[PlayedRows]) -> dict[str, Any]:
    found = list(parts)
    first = [row for rows in found for row in rows.first]
    return {
        "rows": sum(rows.rows for rows in found),
        "tombstones": sum(rows.tombstones for rows in found),
        "first": [
            {"key": row.key, "value": row.value, "at": _instant(row.at_us)} for row in first[:MAX_ROWS]
        ],
        "truncated": len(first) > MAX_ROWS or any(rows.truncated for rows in found),
    }


def _sums(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in counts:
        for name, count in one.items():
            found[name] = found.get(name, 0) + count
    return found


def _lists(rows: Iterable[Mapping[str, PlayedRows]]) -> dict[str, list[PlayedRows]]:
    found: dict[str, list[PlayedRows]] = {}
    for one in rows:
        for name, played in one.items():
            found.setdefault(name, []).append(played)
    return found


def _instant(us: int | None) -> str | None:
    return None if us is None else instant_text(Instant(us))
