"""explode in Spark (`docs/semantics/stateless-steps.md#explode`): posexplode; map entries in key order."""

from typing import Final

from jobs.base.types import Array, Map
from jobs.engine.columns import column, quoted
from jobs.engine.rows import Rows
from jobs.expressions.spark_types import schema_sql
from jobs.operators.explode import ExplodeBound
from jobs.operators.relation import Relation

_ELEMENT: Final = "_element"


def lower(step: str, bound: ExplodeBound, inputs: tuple[Rows, ...], output: Relation) -> Rows:  # noqa: ARG001
    """One row per element; the element's index is appended to the identity."""
    rows = inputs[0]
    index = f"_index{rows.relation.index_depth}"
    made = _made(bound, index)
    kept = [column(quoted(field.name)) for field in output.schema if field.name not in made]
    system = [column(quoted(name)) for name in rows.system]
    exploded = rows.frame.select(
        *kept, *system, column(f"posexplode({_elements(bound)})").alias(index, _ELEMENT)
    )
    declared = [column(made.get(name, quoted(name)), name) for name in output.schema.names]
    return Rows(exploded, rows.relation, rows.system).project(output, declared, (*rows.system, index))


def _made(bound: ExplodeBound, index: str) -> dict[str, str]:
    """Spark SQL of the fields that the step adds."""
    parts = [_ELEMENT] if isinstance(bound.type, Array) else [f"{_ELEMENT}.key", f"{_ELEMENT}.value"]
    made = dict(zip(bound.names, parts, strict=True))
    return {**made, bound.position: quoted(index)} if bound.position is not None else made


def _elements(bound: ExplodeBound) -> str:
    field = quoted(bound.field)
    element = schema_sql(bound.type.element) if isinstance(bound.type, Array) else _entry(bound.type)
    # Spark keeps map entries in the order in which they were inserted.
    # The variable hides a field of its name, and no field begins with _.
    entries = f"transform(array_sort(map_keys({field})), _k -> struct(_k AS key, {field}[_k] AS value))"
    elements = field if isinstance(bound.type, Array) else entries
    if not bound.keep_empty:
        return elements
    return f"if(coalesce(size({field}), 0) > 0, {elements}, array(cast(NULL AS {element})))"


def _entry(data_type: Map) -> str:
    return f"STRUCT<key: STRING, value: {schema_sql(data_type.value)}>"
