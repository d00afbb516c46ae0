"""The steps of a plan as a script writes them: variables, identities, and which rows delete their key."""

from jobs.base.types import INT, LONG, STRING, DataType
from jobs.operators import OPERATORS
from jobs.operators.relation import Relation
from jobs.operators.script_step import ScriptInput, ScriptStep, field_types
from jobs.plan.model import SOURCE, Node, Plan


class ScriptSteps:
    """The steps of a plan without errors."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        # Cached: without it, a chain of steps with two inputs each would take exponential time.
        self._flows: dict[tuple[str, bool], ScriptInput] = {}
        self._sorted_batches = any(
            node.op != SOURCE and OPERATORS[node.op].sorts_batches for node in plan.live_nodes
        )

    def step(self, node: Node, *, static: bool = False) -> ScriptStep:
        """The step; `static`: as part of a static input, between a broadcast table and its join."""
        static_inputs = OPERATORS[node.op].static_inputs(node.bound)
        inputs = tuple(
            self.flow(reference, static=static or at in static_inputs)
            for at, reference in enumerate(node.inputs)
        )
        return ScriptStep(node.name, inputs, node.output, node.ports, static, self._sorted_batches)

    def flow(self, reference: str, *, static: bool = False) -> ScriptInput:
        """The rows that ``node`` or ``node.port`` gives, as an input of a step."""
        if (reference, static) not in self._flows:
            self._flows[reference, static] = self._flow(reference, static=static)
        return self._flows[reference, static]

    def _flow(self, reference: str, *, static: bool) -> ScriptInput:
        node, relation = self._plan.node(reference.partition(".")[0]), self._plan.relation(reference)
        if node.op == SOURCE:
            return ScriptInput(
                reference, relation, _source_identity(relation), relation.kind != "append", static
            )
        step, operator = self.step(node, static=static), OPERATORS[node.op]
        row_identity = tuple(operator.row_identity(node.bound, step))
        deletes = relation.kind != "append" and operator.deletes(node.bound, step.inputs[0].deletes)
        return ScriptInput(reference, relation, row_identity, deletes, static, step)


def _source_identity(relation: Relation) -> tuple[DataType, ...]:
    """A table's key, or a record's source, partition and offset."""
    keyed = relation.identity_kind == "key"
    return tuple(field_types(relation, relation.identity)) if keyed else (STRING, INT, LONG)
