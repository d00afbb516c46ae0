"""What every field means, down to the sources: a digest per field, so that names and places of steps do not matter."""

import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import Any, Final

from jobs.base.types import type_text
from jobs.expressions import Expression
from jobs.operators.aggregate import AggregateBound
from jobs.operators.projection import ProjectionBound
from jobs.operators.split import SplitBound
from jobs.plan.draft import Draft

_COLUMN: Final = re.compile(r"`([A-Za-z_][A-Za-z0-9_]*)`")


def digest(value: Any) -> str:
    """A short stable digest of a JSON value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()[:32]


@dataclass
class Lineage:
    """Digests of fields by node, and which digests each was made from."""

    fields: dict[str, dict[str, str]] = field(default_factory=dict)
    parents: dict[str, frozenset[str]] = field(default_factory=dict)

    def of_expression(self, node: str, expression: Expression) -> str:
        """The meaning of an expression over a node's output: its checked form with every field replaced by that field's own meaning."""
        inputs = self.fields[node]
        if expression.canonical.strip("`") in expression.fields:
            return inputs[expression.canonical.strip("`")]
        text = _COLUMN.sub(lambda found: f"`{inputs.get(found[1], found[1])}`", expression.canonical)
        made = digest([text, type_text(expression.type)])
        self.parents[made] = frozenset(inputs[name] for name in expression.fields)
        return made

    def closure(self, digests: set[str]) -> frozenset[str]:
        """These digests and all that they were made from."""
        reached: set[str] = set()
        rest = list(digests)
        while rest:
            one = rest.pop()
            if one not in reached:
                reached.add(one)
                rest += self.parents.get(one, ())
        return frozenset(reached)


def trace(draft: Draft) -> Lineage:
    """The lineage of a sound draft's live nodes."""
    lineage = Lineage()
    for name in draft.live_sources():
        lineage.fields[name] = {f.name: digest([name, f.name, type_text(f.type)]) for f in draft.relations[name].readable}
    for name in draft.live_steps():
        upstream = draft.inputs[name][0]
        before = lineage.fields[upstream]
        system = {field: before[field] for field in draft.relations[upstream].system}
        match draft.bounds[name]:
            case ProjectionBound(columns):
                lineage.fields[name] = {**system, **{column: lineage.of_expression(upstream, e) for column, e in columns}}
            case SplitBound(cut, as_, by, lower):
                piece = digest(["split", before[cut], by, lower])
                lineage.parents[piece] = frozenset((before[cut],))
                lineage.fields[name] = {**{f: d for f, d in before.items() if f != cut}, as_: piece}
            case AggregateBound() as bound:
                lineage.fields[name] = _of_aggregate(lineage, upstream, bound)
            case _:
                lineage.fields[name] = dict(before)
        for port in draft.ports(name):
            lineage.fields[port] = {**before, **lineage.fields[name]}
    return lineage


def _of_aggregate(lineage: Lineage, upstream: str, bound: AggregateBound) -> dict[str, str]:
    """Fields of an aggregate mean their own part plus window and keys."""
    keys = [lineage.of_expression(upstream, e) for _, e in bound.by]
    window = window_json(bound)
    made = {name: digest([name, window, bound.lag.us]) for name in ("window_start", "window_end", "_time")} if window else {}
    for (name, _), key in zip(bound.by, keys, strict=True):
        made[name] = key
    for measure in bound.measures:
        part = measure_json(lineage, upstream, measure)
        made[measure.name] = digest([part, window, bound.lag.us, keys])
        lineage.parents[made[measure.name]] = frozenset([*keys, *part["arguments"]])
    return made


def window_json(bound: AggregateBound) -> list[int] | None:
    """Size, advance and offset in µs, or None."""
    return [bound.window.size.us, bound.window.advance.us, bound.window.offset.us] if bound.window else None


def measure_json(lineage: Lineage, upstream: str, measure: Any) -> dict[str, Any]:
    """What a measure's state means; not its name."""
    return {
        "function": measure.function,
        "arguments": [lineage.of_expression(upstream, e) for e in measure.arguments],
        "options": {name: list(value) if isinstance(value, tuple) else value for name, value in measure.options.items()},
        "where": lineage.of_expression(upstream, measure.where) if measure.where is not None else None,
        "type": type_text(measure.type),
    }
