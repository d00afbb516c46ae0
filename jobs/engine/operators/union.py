"""union in Spark (`docs/semantics/stateless-steps.md#union`): all inputs get the same columns; identities
stay distinct.
"""

from functools import reduce
from typing import Final

from pyspark.sql import Column, DataFrame

from jobs.base.schemas import Field
from jobs.engine.columns import column, quoted
from jobs.engine.rows import TIME, TIMESTAMP, UNION_ID, WATERMARK_COLUMN, Rows, field_column, row_identity
from jobs.expressions.spark_types import schema_sql
from jobs.expressions.texts_sql import string_sql
from jobs.operators.identity_sql import UNION_INPUT
from jobs.operators.relation import Relation
from jobs.operators.union import UnionBound

_OWN: Final = (TIME, TIMESTAMP)


def lower(step: str, bound: UnionBound, inputs: tuple[Rows, ...], output: Relation) -> Rows:  # noqa: ARG001
    """All rows of all inputs."""
    shared = tuple(name for name in output.system if name not in _OWN)
    indexes = (
        {} if bound.prefixed else {f"_index{i}": schema_sql(of) for i, of in enumerate(output.index_types)}
    )
    system = (*_OWN, *shared, *indexes, *((UNION_ID,) if bound.prefixed else ()))
    frames = [_input(bound, inputs, at, shared, indexes) for at in range(len(inputs))]
    merged = reduce(DataFrame.unionByName, frames)
    declared = [column(quoted(name)) for name in output.schema.names]
    own = [
        column(TIME).alias(TIME, metadata=WATERMARK_COLUMN),
        *(column(quoted(name)) for name in system[1:]),
    ]
    return Rows(merged.select(*declared, *own), output, system)


def _input(
    bound: UnionBound, inputs: tuple[Rows, ...], at: int, shared: tuple[str, ...], indexes: dict[str, str]
) -> DataFrame:
    rows = inputs[at]
    fields = [_field(field, bound.present[at]) for field in bound.fields]
    if bound.source_field is not None:
        fields.append(column(string_sql(bound.names[at]), bound.source_field))
    known = set(rows.frame.columns)
    kept = [column(quoted(name)) for name in (*_OWN, *shared)]
    kept += [
        column(quoted(name) if name in known else f"cast(NULL AS {of})", name) for name, of in indexes.items()
    ]
    identity = [_identity(bound, inputs, at)] if bound.prefixed else []
    return rows.frame.select(*fields, *kept, *identity)


def _field(field: Field, present: frozenset[str]) -> Column:
    value = f"cast({quoted(field.name) if field.name in present else 'NULL'} AS {schema_sql(field.type)})"
    return field_column(value, field.name, field.type)


def _identity(bound: UnionBound, inputs: tuple[Rows, ...], at: int) -> Column:
    members = [f"{string_sql(bound.names[at])} AS {UNION_INPUT}"]
    for other, rows in enumerate(inputs):
        parts = row_identity(rows.relation)
        if other == at:
            members.append(f"struct({', '.join(map(quoted, parts))}) AS _from{other}")
            continue
        types = {field.name: field.dataType.simpleString() for field in rows.frame.schema}
        ddl = ", ".join(f"{quoted(part)}: {types[part]}" for part in parts)
        members.append(f"cast(NULL AS STRUCT<{ddl}>) AS _from{other}")
    return column(f"struct({', '.join(members)})", UNION_ID)
