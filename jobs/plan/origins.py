"""From which source columns each column of a plan is made: what a change of a stream's field would touch."""

from collections.abc import Mapping

from jobs.expressions import Expression
from jobs.operators import OPERATORS
from jobs.operators.aggregate import WINDOW_FIELDS, AggregateBound
from jobs.operators.projection import ProjectionBound
from jobs.plan.model import SOURCE, Node, Plan

Origins = Mapping[str, frozenset[str]]


def origins(plan: Plan) -> dict[str, Origins]:
    """Source columns, as ``source.field``, by node and column.

    Args:
        plan: without errors.

    Returns:
        For every live node, each declared column and each system field that can be read there. Conditions that only decide
        whether a row is there (filters, join keys) are no origin of its values.
    """
    found: dict[str, Origins] = {}
    for node in plan.live_nodes:
        if node.op == SOURCE:
            found[node.name] = {name: frozenset((f"{node.name}.{name}",)) for name in node.output.readable.names}
        else:
            found[node.name] = _of_step(node, [found[reference.partition(".")[0]] for reference in node.inputs])
    return found


def result_origins(plan: Plan) -> dict[str, list[str]]:
    """Source columns of every column of the result, sorted; empty for a plan with errors."""
    if not plan.ok or not plan.outputs:
        return {}
    name = plan.outputs[0].partition(".")[0]
    made = origins(plan)[name]
    return {field: sorted(made.get(field, ())) for field in plan.relation(plan.outputs[0]).schema.names}


def _of_step(node: Node, inputs: list[Origins]) -> Origins:
    relations = [node.output, *node.ports.values()]
    names = dict.fromkeys(name for relation in relations for name in relation.readable.names)
    return {name: _of_field(node, name, inputs) for name in names}


def _of_field(node: Node, name: str, inputs: list[Origins]) -> frozenset[str]:
    match node.bound:
        case ProjectionBound(columns) if name in dict(columns):
            return _through(dict(columns)[name], inputs[0])
        case AggregateBound() as bound:
            return _of_aggregate(bound, name, inputs[0])
    reads = OPERATORS[node.op].reads
    always = reads(node.bound, {"": frozenset()})
    with_it = reads(node.bound, {"": frozenset((name,))})
    because = [after - before for after, before in zip(with_it, always, strict=True)]
    if not any(because):
        same = [frozenset((name,)) if name in known else frozenset[str]() for known in inputs]
        because = same if any(same) else list(always)
    return frozenset[str]().union(*(_joined(fields, known) for fields, known in zip(because, inputs, strict=True)))


def _of_aggregate(bound: AggregateBound, name: str, known: Origins) -> frozenset[str]:
    if name in WINDOW_FIELDS or name.startswith("_"):
        return known.get("_time", frozenset())
    key = next((expression for field, expression in bound.by if field == name), None)
    if key is not None:
        return _through(key, known)
    made = [measure for measure in bound.measures if measure.name == name]
    parts = [part for measure in made for part in (*measure.arguments, measure.where) if part is not None]
    return frozenset[str]().union(*(_through(part, known) for part in parts))


def _through(expression: Expression, known: Origins) -> frozenset[str]:
    return _joined(expression.fields, known)


def _joined(fields: frozenset[str], known: Origins) -> frozenset[str]:
    return frozenset[str]().union(*(known.get(field, frozenset()) for field in fields))
