"""What a play gave, as the page shows it: totals over its batches, step by step."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from jobs.base.instants import instant_text, nearest_instant
from jobs.kafka_messages import Answer
from jobs.plan import Node, Plan
from jobs.plan.model import SOURCE
from jobs.play import PlayedRows
from weir.preview.services.empty_joins import unmatched
from weir.preview.services.empty_steps import why_empty, why_source_empty
from weir.preview.services.lost_rows import lost_rows
from weir.preview.services.play_totals import PlayTotals, sums
from weir.preview.services.samples import Sample
from weir.preview.services.seen_step import SeenStep

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
    total = PlayTotals(result)
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
        "steps": [step for node in plan.live_nodes for step in _steps(node, plan, total, samples)],
        "outputs": [
            {"name": sink.name, **_rows(total.outputs.get(sink.name, ()))}
            for sink in plan.sinks
            if sink.exchange is None
        ],
    }


def _source(node: Node, total: PlayTotals, samples: Mapping[str, Sample]) -> dict[str, Any]:
    read = [batch.sources[node.name] for batch in total.batches if node.name in batch.sources]
    given = samples.get(node.name, Sample(()))
    return {
        "name": node.name,
        "given": len(given.records),
        "note": given.note,
        "around": _instant(given.around_us),
        "records": sum(source.records for source in read),
        "malformed": [
            {"reason": reason, "records": count}
            for reason, count in sums(source.malformed for source in read).items()
        ],
        "left_out": [
            {
                "partition": record.partition,
                "offset": record.offset,
                "line": record.offset + 1 if given.typed else None,
                "reason": record.reason,
            }
            for source in read
            for record in source.left_out
        ][:MAX_LEFT_OUT],
    }


def _steps(node: Node, plan: Plan, total: PlayTotals, samples: Mapping[str, Sample]) -> list[dict[str, Any]]:
    references = [*([] if node.only_ports else [node.name]), *(f"{node.name}.{port}" for port in node.ports)]
    return [
        _step(SeenStep(plan, node, reference, total), samples)
        for reference in references
        if not _is_unread_port(reference, plan, total)
    ]


def _is_unread_port(reference: str, plan: Plan, total: PlayTotals) -> bool:
    return "." in reference and reference not in total.steps and reference not in plan.outputs


def _step(step: SeenStep, samples: Mapping[str, Sample]) -> dict[str, Any]:
    node, plan, total, reference = step.node, step.plan, step.totals, step.reference
    rows = _rows(total.steps.get(reference, ()))
    read = [total.rows(name) for name in node.inputs]
    rows_in = None if not read or None in read else sum(count or 0 for count in read)
    known = reference in total.steps
    is_append = plan.relation(reference).kind == "append"
    filters = node.op in _FILTERING and rows_in is not None and is_append
    return {
        "reference": reference,
        "node": node.name,
        "op": node.op,
        "fields": list(plan.relation(reference).schema.names),
        "key": list(plan.relation(reference).identity_parts),
        "known": known,
        "inputs": [{"reference": name, "rows": count} for name, count in zip(node.inputs, read, strict=True)],
        "rows_in": rows_in,
        "filtered": (rows_in or 0) - rows["rows"] if filters else None,
        "unmatched": unmatched(step, rows["rows"]) if known else None,
        "late": step.late,
        "keyless": step.keyless,
        "nulls": total.nulls.get(node.name, 0),
        "nulls_by_expression": [
            {"expression": name, "rows": count} for name, count in total.nulls_of(node.name).items()
        ],
        "lost": lost_rows(step),
        "empty": "" if rows["first"] else _why_empty(step, samples, rows["rows"] + rows["tombstones"]),
        **rows,
    }


def _why_empty(step: SeenStep, samples: Mapping[str, Sample], made: int) -> str:
    if made:
        return "The rows are left out to keep the answer small."
    if step.node.op == SOURCE and step.reference in step.totals.steps:
        read, name = samples.get(step.node.name, Sample(())), step.node.name
        return why_source_empty(read, step.totals.records(name), step.totals.malformed(name))
    return why_empty(step.plan, step.node, step.reference, step.totals)


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


def _instant(us: int | None) -> str | None:
    return None if us is None else instant_text(nearest_instant(us))
