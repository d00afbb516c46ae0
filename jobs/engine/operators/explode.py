"""explode in Spark (`docs/semantics/stateless-steps.md#explode`): posexplode; map entries in key order."""

from jobs.engine.columns import column, quoted
from jobs.engine.rows import Rows
from jobs.operators.explode import ExplodeBound
from jobs.operators.relation import Relation


def lower(step: str, bound: ExplodeBound, inputs: tuple[Rows, ...], output: Relation) -> Rows:  # noqa: ARG001
    """One row per element; the element's index is appended to the identity."""
    rows = inputs[0]
    index = f"_index{rows.relation.index_depth}"
    made = _made(bound, index)
    kept = [column(quoted(field.name)) for field in output.schema if field.name not in made]
    system = [column(quoted(name)) for name in rows.system]
    exploded = rows.frame.select(
        *kept, *system, column(f"posexplode({bound.elements})").alias(index, "_element")
    )
    declared = [column(made.get(name, quoted(name)), name) for name in output.schema.names]
    return Rows(exploded, rows.relation, rows.system).project(output, declared, (*rows.system, index))


def _made(bound: ExplodeBound, index: str) -> dict[str, str]:
    """Spark SQL of the fields that the step adds."""
    made = dict(zip(bound.names, bound.parts, strict=True))
    return {**made, bound.position: quoted(index)} if bound.position is not None else made
