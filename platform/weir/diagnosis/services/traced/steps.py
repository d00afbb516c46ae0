"""How rows go through each step of a plan.

Nothing is late here and every window is closed: what that may hide is a doubt of the rows' trails. What a
step measures is not computed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from jobs.operators import OPERATORS
from jobs.operators.late_rows import LATE_NAMES, PORT
from jobs.plan import Plan
from jobs.plan.model import Node
from weir.diagnosis.services.step_rows import STATELESS, Compute, StepRows, UnknownRowsError, known_rows
from weir.diagnosis.services.traced.aggregate import grouped_rows
from weir.diagnosis.services.traced.join import joined_rows
from weir.diagnosis.services.traced.rows import NOT_DECIDED, trail_of
from weir.diagnosis.services.traced.single_rows import (
    changed_rows,
    first_rows,
    latest_rows,
    sampled_rows,
    split_rows,
    throttled_rows,
)
from weir.diagnosis.services.traced.table_join import enriched_rows
from weir.diagnosis.services.trail import Doubt

_WithDoubts = Callable[[Plan, Node, list[StepRows], tuple[Doubt, ...]], dict[str, StepRows]]
_MAY_BE_LATE: Final = "rows that came too late for it are not told apart"


@dataclass(frozen=True, slots=True)
class TracedSteps:
    """How rows go through the steps of a plan.

    Attributes:
        late: names of steps that may have dropped rows that came too late.
    """

    late: frozenset[str]

    @property
    def table(self) -> Mapping[str, Compute]:
        """By operator."""
        return {
            **STATELESS,
            "filter": self._selected(STATELESS["filter"]),
            "branch": self._selected(STATELESS["branch"]),
            "split": split_rows,
            "sample": sampled_rows,
            "deduplicate": self._with_late(self._doubted(first_rows)),
            "throttle": self._with_late(throttled_rows),
            "latest": latest_rows,
            "aggregate": self._with_late(self._doubted(grouped_rows)),
            "change": self._with_late(changed_rows),
            "join": self._with_late(self._doubted(joined_rows)),
            "table_join": self._with_late(self._doubted(enriched_rows)),
        }

    def _doubts(self, node: Node) -> tuple[Doubt, ...]:
        return (Doubt(node.name, _MAY_BE_LATE),) if node.name in self.late else ()

    def _doubted(self, compute: _WithDoubts) -> Compute:
        """A step of which the doubts are known that every one of its rows has."""
        return lambda plan, node, inputs: compute(plan, node, inputs, self._doubts(node))

    def _selected(self, compute: Compute) -> Compute:
        """Rows that a condition lets pass; all of them in doubt where it reads what is not known here."""

        def selected(plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:
            given = inputs[0]
            gone = tuple(row for row in known_rows(given) if trail_of(row).deleted)
            alive = replace(given, rows=tuple(row for row in known_rows(given) if not trail_of(row).deleted))
            try:
                passed = compute(plan, node, [alive])
            except UnknownRowsError:
                doubt = Doubt(node.name, NOT_DECIDED)
                rows = tuple(replace(row, trail=trail_of(row).doubted(doubt)) for row in known_rows(alive))
                passed = {
                    name: replace(alive, rows=rows)
                    for name in (node.name, *(f"{node.name}.{port}" for port in node.ports))
                }
            if plan.relation(node.inputs[0]).kind == "append":
                return passed
            # Of a changelog, a row that does not pass deletes its key.
            found = {}
            for name, out in passed.items():
                kept = {id(row.trail) for row in known_rows(out)}
                dropped = tuple(
                    replace(row, trail=replace(trail_of(row), deleted=True))
                    for row in known_rows(alive)
                    if id(row.trail) not in kept
                )
                sure = not any(trail_of(row).existence for row in known_rows(out))
                found[name] = replace(out, rows=(*known_rows(out), *(dropped if sure else ()), *gone))
            return found

        return selected

    def _with_late(self, compute: Compute) -> Compute:
        """With the late output, which any row of the input may have gone to."""

        def computed(plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:
            found = compute(plan, node, inputs)
            if PORT in node.ports and node.ports[PORT].late_rows:
                doubt = Doubt(node.name, _MAY_BE_LATE)
                found[f"{node.name}.{PORT}"] = StepRows(
                    tuple(replace(row, trail=trail_of(row).doubted(doubt)) for row in known_rows(inputs[0])),
                    uncomputed=inputs[0].uncomputed | LATE_NAMES,
                )
            return found

        return computed


def late_steps(plan: Plan) -> frozenset[str]:
    """Names of the steps of a plan that drop rows that come too late."""
    return frozenset(
        node.name
        for node in plan.live_nodes
        if node.op in OPERATORS and OPERATORS[node.op].drops_late_rows(node.bound)
    )
