"""Steps without state in a rendered script: filter, projections, split, explode, union."""

from functools import reduce
from typing import Final

from jobs.base.types import Array
from jobs.expressions.spark_types import quoted, schema_sql
from jobs.expressions.write_spark import string_sql
from jobs.operators.explode import ExplodeBound
from jobs.operators.filter import FilterBound
from jobs.operators.projection import ProjectionBound
from jobs.operators.relation import Relation
from jobs.operators.split import SplitBound
from jobs.operators.union import UnionBound
from jobs.plan.model import Node
from jobs.plan.script_names import Unwritable, kept, rows_of, selected

WORD: Final = r"[\p{L}\p{M}\p{N}_]+"
_TOMBSTONES: Final = "over a changelog sends tombstones, which a plain script cannot."


def write_filter(node: Node, bound: FilterBound, inputs: tuple[Relation, ...]) -> list[str]:  # noqa: ARG001
    """Rows for which the condition holds."""
    if node.output.kind == "upsert":
        raise Unwritable(f"a filter {_TOMBSTONES}")
    return [f"{rows_of(node.name)} = {rows_of(node.inputs[0])}.where({bound.where.sql!r})"]


def write_projection(node: Node, bound: ProjectionBound, inputs: tuple[Relation, ...]) -> list[str]:
    """The step's columns."""
    columns = [f"{expression.sql} AS {quoted(name)}" for name, expression in bound.columns]
    return selected(rows_of(node.name), rows_of(node.inputs[0]), [*columns, *kept(inputs[0])])


def write_split(node: Node, bound: SplitBound, inputs: tuple[Relation, ...]) -> list[str]:
    """One row per piece."""
    field = quoted(bound.field)
    if bound.by == "words":
        pieces = f"regexp_extract_all({field}, {string_sql(WORD)}, 0)"
    else:
        pattern = "".join(c if c.isalnum() and c.isascii() else f"\\x{{{ord(c):x}}}" for c in bound.by)
        pieces = f"filter(split({field}, {string_sql(pattern)}, -1), p -> p != '')"
    if bound.lower:
        pieces = f"transform({pieces}, p -> lower(p))"
    place = f"_index{inputs[0].index_depth}"
    rest = [quoted(name) for name in node.output.schema.names if name != bound.as_]
    made = f"posexplode({pieces}) AS ({place}, {quoted(bound.as_)})"
    return selected(rows_of(node.name), rows_of(node.inputs[0]), [*rest, *kept(inputs[0]), made])


def write_explode(node: Node, bound: ExplodeBound, inputs: tuple[Relation, ...]) -> list[str]:
    """One row per element; entries of a map in the order of their keys."""
    field, place = quoted(bound.field), f"_index{inputs[0].index_depth}"
    if isinstance(bound.type, Array):
        elements, element, parts = field, schema_sql(bound.type.element), ["_element"]
    else:
        elements = f"transform(array_sort(map_keys({field})), k -> struct(k AS key, {field}[k] AS value))"
        element, parts = f"STRUCT<key: STRING, value: {schema_sql(bound.type.value)}>", ["_element.key", "_element.value"]
    if bound.keep_empty:
        elements = f"if(coalesce(size({field}), 0) > 0, {elements}, array(cast(NULL AS {element})))"
    added = dict(zip(bound.names, parts, strict=True)) | ({bound.position: place} if bound.position is not None else {})
    rest = [quoted(field.name) for field in node.output.schema if field.name not in added]
    system = kept(inputs[0])
    declared = [f"{added[name]} AS {quoted(name)}" if name in added else quoted(name) for name in node.output.schema.names]
    return [
        *selected("spread", rows_of(node.inputs[0]), [*rest, *system, f"posexplode({elements}) AS ({place}, _element)"]),
        *selected(rows_of(node.name), "spread", [*declared, *system, place]),
    ]


def write_union(node: Node, bound: UnionBound, inputs: tuple[Relation, ...]) -> list[str]:
    """The inputs with the same columns, one under the other."""
    if bound.prefixed:
        raise Unwritable("rows of one source that meet again are told apart by the service only.")
    longest = reduce(lambda a, b: a if len(a) >= len(b) else b, (relation.places for relation in inputs))
    lines = []
    for at, relation in enumerate(inputs):
        fields = [
            f"cast({quoted(field.name) if field.name in bound.present[at] else 'NULL'} AS {schema_sql(field.type)}) AS {quoted(field.name)}"
            for field in bound.fields
        ]
        if bound.source_field is not None:
            fields.append(f"{string_sql(bound.names[at])} AS {quoted(bound.source_field)}")
        missing = [f"cast(NULL AS {schema_sql(of)}) AS _index{i}" for i, of in enumerate(longest) if i >= relation.index_depth]
        lines += selected(f"part{at}", rows_of(node.inputs[at]), [*fields, *kept(relation), *missing])
    merged = "".join(f".unionByName(part{at})" for at in range(1, len(inputs)))
    return [*lines, f"{rows_of(node.name)} = part0{merged}.withMetadata('_time', {{'spark.watermarkDelayMs': 0}})"]
