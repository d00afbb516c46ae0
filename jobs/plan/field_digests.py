"""What every field means, down to the sources: a digest per field, so that names and places of steps do not matter."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from jobs.base.names import SYSTEM_FIELDS, is_name
from jobs.base.types import type_text
from jobs.expressions import Expression
from jobs.formats.contract import StreamContract
from jobs.operators.aggregate import AggregateBound
from jobs.operators.change import ChangeBound
from jobs.operators.explode import ExplodeBound
from jobs.operators.join import JoinBound
from jobs.operators.projection import ProjectionBound
from jobs.operators.split import SplitBound
from jobs.operators.table_join import TableJoinBound
from jobs.operators.union import UnionBound
from jobs.plan.draft import Draft

_COLUMN: Final = re.compile(r"'(?:[^'\\]|\\.)*'|\.`[^`]*`|`([A-Za-z_][A-Za-z0-9_]*)`")
"""A name of a field in a checked text, or what only looks like one: a part of a literal, or a struct's member."""


def digest(value: Any) -> str:
    """A short stable digest of a JSON value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()[:32]


@dataclass
class FieldDigests:
    """Digests of fields by node, and which digests each was made from."""

    fields: dict[str, dict[str, str]] = field(default_factory=dict)
    parents: dict[str, frozenset[str]] = field(default_factory=dict)

    def of_expression(self, node: str, expression: Expression) -> str:
        """The meaning of an expression over a node's output: its checked form with every field replaced by that field's own meaning."""
        inputs = self.fields[node]
        if expression.canonical.strip("`") in expression.fields:
            return inputs[expression.canonical.strip("`")]
        text = _with_meanings(expression, inputs)
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


def _with_meanings(expression: Expression, meanings: Mapping[str, str]) -> str:
    """The checked form with every field replaced by its meaning; members of structs and literals stay what they are."""
    return _COLUMN.sub(lambda found: f"`{meanings.get(found[1], found[1])}`" if found[1] else found[0], expression.canonical)


def digest_fields(draft: Draft) -> FieldDigests:
    """The digests of a valid draft's live nodes."""
    digests = FieldDigests()
    for name in draft.live_sources():
        paths = read_paths(draft.contracts[name])
        digests.fields[name] = {
            f.name: digest([name, paths.get(f.name, f.name), type_text(f.type)]) for f in draft.relations[name].readable
        }
    for name in draft.live_steps():
        before = digests.fields[draft.inputs[name][0]]
        bound = draft.bounds[name]
        meanings = _MEANINGS.get(type(bound))
        digests.fields[name] = meanings(digests, draft.inputs[name], bound) if meanings is not None else dict(before)
        for port in draft.ports(name):
            made_here = {f.name: digest([name, port, f.name]) for f in draft.relations[port].schema}
            digests.fields[port] = {**made_here, **before}  # branches pass their input's rows, and so do the ports of late rows
    return digests


def read_paths(contract: StreamContract) -> dict[str, Any]:
    """What each declared field is read from, by its name in jobs: that, and not the name, is what a field means.

    A member that could be a field's name stands for itself, so that a field of a member's own name means what it always did.
    """
    found: dict[str, Any] = {}
    for read in contract.read_fields:
        first = read.path[0]
        found[read.name] = first if len(read.path) == 1 and isinstance(first, str) and is_name(first) else list(read.path)
        if contract.kind == "stream" and read.name in contract.key:
            found[read.name] = {"key": found[read.name]}
    return found


def _of_projection(digests: FieldDigests, inputs: tuple[str, ...], bound: ProjectionBound) -> dict[str, str]:
    """Fields mean their expressions; system fields flow on."""
    before = digests.fields[inputs[0]]
    system: dict[str, str] = {field: before[field] for field in SYSTEM_FIELDS if field in before}
    return {**system, **{name: digests.of_expression(inputs[0], expression) for name, expression in bound.columns}}


def _of_split(digests: FieldDigests, inputs: tuple[str, ...], bound: SplitBound) -> dict[str, str]:
    """The piece is made from the text."""
    before = digests.fields[inputs[0]]
    piece = digest(["split", before[bound.field], bound.by, bound.lower])
    digests.parents[piece] = frozenset((before[bound.field],))
    return {**{field: meaning for field, meaning in before.items() if field != bound.field}, bound.as_: piece}


def _of_aggregate(digests: FieldDigests, inputs: tuple[str, ...], bound: AggregateBound) -> dict[str, str]:
    """Fields of an aggregate mean their own part plus window and keys."""
    upstream = inputs[0]
    keys = [digests.of_expression(upstream, e) for _, e in bound.by]
    window = window_json(bound)
    made = {name: digest([name, window, bound.slack.us]) for name in ("window_start", "window_end", "_time")} if window else {}
    for (name, _), key in zip(bound.by, keys, strict=True):
        made[name] = key
    for measure in bound.measures:
        part = measure_json(digests, upstream, measure)
        made[measure.name] = digest([part, window, bound.slack.us, keys])
        digests.parents[made[measure.name]] = frozenset([*keys, *part["arguments"]])
    return made


def _of_explode(digests: FieldDigests, inputs: tuple[str, ...], bound: ExplodeBound) -> dict[str, str]:
    """Element and position are made from the array or map."""
    before = digests.fields[inputs[0]]
    made = {name: digest(["explode", part, before[bound.field], bound.keep_empty]) for part, name in enumerate(bound.names)}
    if bound.position is not None:
        made[bound.position] = digest(["explode", "position", before[bound.field], bound.keep_empty])
    digests.parents.update({meaning: frozenset((before[bound.field],)) for meaning in made.values()})
    return {**{field: meaning for field, meaning in before.items() if field != bound.field}, **made}


def _of_union(digests: FieldDigests, inputs: tuple[str, ...], bound: UnionBound) -> dict[str, str]:
    """A field means what it means in each input, in order."""
    sides = [digests.fields[name] for name in inputs]
    types = {field.name: type_text(field.type) for field in bound.fields}
    made: dict[str, str] = {}
    for name in (*types, *(name for name in SYSTEM_FIELDS if all(name in side for side in sides))):
        meanings = [
            side.get(name) if name in present or name not in types else None for side, present in zip(sides, bound.present, strict=True)
        ]
        made[name] = digest(["union", meanings, types.get(name)])
        digests.parents[made[name]] = frozenset(meaning for meaning in meanings if meaning is not None)
    if bound.source_field is not None:
        made[bound.source_field] = digest(["union", bound.names])
    return made


def _of_pair(digests: FieldDigests, sides: tuple[str, ...], bound: JoinBound) -> dict[str, str]:
    """What a join's condition reads."""
    left, right = (digests.fields[side] for side in sides)
    return {**left, **{name: right[field] for field, name in bound.names}}


def _of_join(digests: FieldDigests, sides: tuple[str, ...], bound: JoinBound) -> dict[str, str]:
    """Fields of a join keep their meaning; those that may come without a partner mean it together with the join's type."""
    left, right = (digests.fields[side] for side in sides)
    if bound.type in ("semi", "anti"):
        return dict(left)
    joined = _of_pair(digests, sides, bound)
    if bound.type == "inner":
        return {**joined, "_time": digest([left["_time"], right["_time"], bound.time])}
    made = {name: digest([bound.type, meaning]) for name, meaning in joined.items()}
    digests.parents.update({made[name]: frozenset((meaning,)) for name, meaning in joined.items()})
    return {**made, "_time": digest([bound.type, left["_time"], right["_time"], bound.time])}


def _of_table_join(digests: FieldDigests, sides: tuple[str, ...], bound: TableJoinBound) -> dict[str, str]:
    """Fields of the stream keep their meaning; those of the table mean it as of some version."""
    stream, table = (digests.fields[side] for side in sides)
    keys = [stream[pair.left] for pair in bound.on]
    made = {name: digest([bound.type, bound.version, keys, table[field]]) for field, name in bound.names}
    digests.parents.update({made[name]: frozenset([table[field], *keys]) for field, name in bound.names})
    return {**stream, **made}


def join_json(
    digests: FieldDigests, draft: Draft, name: str, bound: JoinBound | TableJoinBound, read: tuple[frozenset[str], ...]
) -> dict[str, Any]:
    """What a join's state means: rows of both sides with the fields that are read, their keys, bounds and versions."""
    sides = draft.inputs[name]
    rows = [
        [[digests.fields[side][field.name], type_text(field.type)] for field in draft.relations[side].schema if field.name in fields]
        for side, fields in zip(sides, read, strict=True)
    ]
    on = [[digests.fields[sides[0]][pair.left], digests.fields[sides[1]][pair.right], type_text(pair.type)] for pair in bound.on]
    shared = {"type": bound.type, "on": on, "slack": bound.slack.us, "rows": rows}
    if isinstance(bound, TableJoinBound):
        # Rows are kept as texts with the names of their fields.
        names = [sorted(fields) for fields in read]
        retention = bound.retention.us if bound.version == "as_of" else None
        return {**shared, "names": names, "version": bound.version, "retention": retention}
    pair = (_of_pair if bound.type in ("semi", "anti") else _of_join)(digests, sides, bound)
    where = bound.where
    condition = where and digest([_with_meanings(where, pair)])
    between = [bound.before.us, bound.after.us] if bound.before is not None and bound.after is not None else None
    return {**shared, "between": between, "where": condition}


def _of_change(digests: FieldDigests, inputs: tuple[str, ...], bound: ChangeBound) -> dict[str, str]:
    """What it adds is made from the measure whose change it is."""
    made = dict(digests.fields[inputs[0]])
    for changed in bound.changed:
        measure = made[changed.measure.name]
        for added in changed.fields:
            part = added.name.removeprefix(changed.measure.name)
            made[added.name] = digest([part, measure, bound.missing])
            digests.parents[made[added.name]] = frozenset((measure,))
    return made


def window_json(bound: AggregateBound) -> Any:
    """What the window means, or None."""
    return bound.window.as_json() if bound.window else None


def measure_json(digests: FieldDigests, upstream: str, measure: Any) -> dict[str, Any]:
    """What a measure's state means; not its name."""
    return {
        "function": measure.function,
        "arguments": [digests.of_expression(upstream, e) for e in measure.arguments],
        "options": {name: list(value) if isinstance(value, tuple) else value for name, value in measure.options.items()},
        "where": digests.of_expression(upstream, measure.where) if measure.where is not None else None,
        "type": type_text(measure.type),
    }


_MEANINGS: Final[Mapping[type, Callable[[FieldDigests, tuple[str, ...], Any], dict[str, str]]]] = {
    ProjectionBound: _of_projection,
    SplitBound: _of_split,
    ExplodeBound: _of_explode,
    UnionBound: _of_union,
    AggregateBound: _of_aggregate,
    ChangeBound: _of_change,
    JoinBound: _of_join,
    TableJoinBound: _of_table_join,
}
"""What the fields of a step mean, by its bound form; other steps pass the rows of their input on."""
