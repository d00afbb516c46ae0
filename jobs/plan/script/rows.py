"""Steps without state in a rendered script: filter, branch, sample, projections, split, explode, union."""

from functools import reduce
from typing import Final

from jobs.base.types import TIMESTAMP, Array, DataType
from jobs.expressions.spark_types import quoted, schema_sql
from jobs.expressions.texts_sql import string_sql
from jobs.operators.branch import BranchBound
from jobs.operators.explode import ExplodeBound
from jobs.operators.filter import FilterBound
from jobs.operators.identity_sql import UNION_INPUT, identity_sql
from jobs.operators.projection import ProjectionBound
from jobs.operators.sample import SampleBound
from jobs.operators.split import SplitBound
from jobs.operators.union import UnionBound
from jobs.plan.script.common import NO_WATERMARK, Step, deletes, identity, identity_struct, marked, selected

WORD: Final = r"[\p{L}\p{M}\p{N}_]+"
_HASHES: Final = 2**32


def write_filter(step: Step, bound: FilterBound) -> list[str]:
    """Rows for which the condition holds."""
    return _passing(step, "", bound.where.sql)


def write_branch(step: Step, bound: BranchBound) -> list[str]:
    """One filter per named output."""
    return [line for name, condition in bound.conditions.items() for line in _passing(step, name, condition)]


def _passing(step: Step, port: str, condition: str) -> list[str]:
    if step.relation().kind == "append":
        return [f"{step.port(port)} = {step.input()}.where({condition!r})"]
    gone = f"NOT coalesce({condition}, false)"
    if deletes(step.plan, step.node.inputs[0]):
        gone = f"_deleted OR {gone}"
    return [
        "# an earlier row of the key may have passed, so one that does not pass takes its key away",
        f"{step.port(port)} = {step.input()}.withColumn('_deleted', F.expr({gone!r}))",
    ]


def write_sample(step: Step, bound: SampleBound) -> list[str]:
    """Rows whose identity has a small hash."""
    chosen = f"cast(crc32(cast({identity_sql(_quoted(step.parts()))} AS BINARY)) AS DOUBLE) < {bound.fraction * _HASHES!r}D"
    return [
        "# by the row's identity, so that the same rows are chosen whenever they are read",
        f"{step.rows} = {step.input()}.where({chosen!r})",
    ]


def _quoted(parts: list[tuple[str, DataType]]) -> list[tuple[str, DataType]]:
    return [(quoted(name), of) for name, of in parts]


def write_projection(step: Step, bound: ProjectionBound) -> list[str]:
    """The step's columns."""
    columns = [f"{expression.sql} AS {quoted(name)}" for name, expression in bound.columns]
    # A time that is read as it is would carry the watermark's mark with it, and Spark lets one column have it.
    times = [name for name, expression in bound.columns if expression.type == TIMESTAMP]
    return [
        *selected(step.rows, step.input(), [*columns, *step.kept()]),
        *(f"{step.rows} = {step.rows}.withMetadata({name!r}, {NO_WATERMARK})" for name in times),
    ]


def write_split(step: Step, bound: SplitBound) -> list[str]:
    """One row per piece."""
    field = quoted(bound.field)
    if bound.by == "words":
        pieces = f"regexp_extract_all({field}, {string_sql(WORD)}, 0)"
    else:
        pattern = "".join(c if c.isalnum() and c.isascii() else f"\\x{{{ord(c):x}}}" for c in bound.by)
        pieces = f"filter(split({field}, {string_sql(pattern)}, -1), p -> p != '')"
    if bound.lower:
        pieces = f"transform({pieces}, p -> lower(p))"
    index = f"_index{step.relation().index_depth}"
    rest = [quoted(name) for name in step.node.output.schema.names if name != bound.as_]
    made = f"posexplode({pieces}) AS ({index}, {quoted(bound.as_)})"
    return selected(step.rows, step.input(), [*rest, *step.kept(), made])


def write_explode(step: Step, bound: ExplodeBound) -> list[str]:
    """One row per element; entries of a map in the order of their keys."""
    field, index, output = quoted(bound.field), f"_index{step.relation().index_depth}", step.node.output.schema
    if isinstance(bound.type, Array):
        elements, element, parts = field, schema_sql(bound.type.element), ["_element"]
    else:
        elements = f"transform(array_sort(map_keys({field})), k -> struct(k AS key, {field}[k] AS value))"
        element, parts = f"STRUCT<key: STRING, value: {schema_sql(bound.type.value)}>", ["_element.key", "_element.value"]
    if bound.keep_empty:
        elements = f"if(coalesce(size({field}), 0) > 0, {elements}, array(cast(NULL AS {element})))"
    added = dict(zip(bound.names, parts, strict=True)) | ({bound.position: index} if bound.position is not None else {})
    rest = [quoted(field.name) for field in output if field.name not in added]
    system = step.kept()
    declared = [f"{added[name]} AS {quoted(name)}" if name in added else quoted(name) for name in output.names]
    return [
        *selected("spread", step.input(), [*rest, *system, f"posexplode({elements}) AS ({index}, _element)"]),
        *selected(step.rows, "spread", [*declared, *system, index]),
    ]


def write_union(step: Step, bound: UnionBound) -> list[str]:
    """The inputs with the same columns, one under the other."""
    relations = [step.relation(at) for at in range(len(step.node.inputs))]
    longest = reduce(lambda a, b: a if len(a) >= len(b) else b, (relation.index_types for relation in relations))
    lines = []
    for at, relation in enumerate(relations):
        fields = [
            f"cast({quoted(field.name) if field.name in bound.present[at] else 'NULL'} AS {schema_sql(field.type)}) AS {quoted(field.name)}"
            for field in bound.fields
        ]
        if bound.source_field is not None:
            fields.append(f"{string_sql(bound.names[at])} AS {quoted(bound.source_field)}")
        if bound.prefixed:
            own = [*step.node.output.system, f"{_identity_of_union(step, bound, at)} AS _union_id"]
        else:
            missing = [f"cast(NULL AS {schema_sql(of)}) AS _index{i}" for i, of in enumerate(longest) if i >= relation.index_depth]
            own = [*dict.fromkeys([*step.node.output.system, *identity(relation)]), *missing]
        lines += selected(f"part{at}", step.input(at), [*fields, *own])
    merged = "".join(f".unionByName(part{at})" for at in range(1, len(relations)))
    return [*lines, f"{step.rows} = part0{merged}", marked(step.rows)]


def _identity_of_union(step: Step, bound: UnionBound, at: int) -> str:
    """Inputs may hold rows of one source, which only the input's name tells apart."""
    members = [f"{string_sql(bound.names[at])} AS {UNION_INPUT}"]
    for other, reference in enumerate(step.node.inputs):
        own = f"struct({', '.join(identity(step.relation(other)))})"
        members.append(f"{own if other == at else f'cast(NULL AS {schema_sql(identity_struct(step.plan, reference))})'} AS _from{other}")
    return f"struct({', '.join(members)})"
