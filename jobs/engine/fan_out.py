"""Several outputs that are made row by row of one node, in one pass over its rows.

A union of their frames would read everything above once for each, state included, and real-time mode reads a source once.
So a row is carried through all steps at once: one column per reference holds the row as it is there, null where a step has
let it go. At the end one explode gives the records of all outputs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from jobs.engine.columns import column, quoted, text_literal
from jobs.engine.counting import count_nulls
from jobs.engine.operators import LOWERINGS, branch
from jobs.engine.operators.selection import passing
from jobs.engine.rows import CARRIED, THERE, Rows
from jobs.operators.branch import BranchBound
from jobs.operators.relation import Relation
from jobs.plan import Node, OutputGroup, Plan, Sink

Record = Callable[[Sink, Rows], list[Column]]

_OWN: Final = (CARRIED, THERE)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the rows at a reference are: their column, what it holds, and the engine's own members of it."""

    column: str
    relation: Relation
    system: tuple[str, ...]


class _Carrier:
    """The frame of carried rows: one struct column per place."""

    def __init__(self, reference: str, rows: Rows) -> None:
        self._places = {reference: _Place("_at0", rows.relation, rows.system)}
        self._columns = ["_at0"]
        self.frame = rows.frame.select(column(_struct(rows.frame.columns), "_at0"))

    def rows(self, reference: str) -> Rows:
        """The rows at a reference, all of null where there is none, with everything else beside them."""
        place = self._places[reference]
        fields = [column(f"{place.column}.{quoted(name)}", name) for name in (*place.relation.schema.names, *place.system)]
        beside = [column(_struct(self._columns), CARRIED), column(f"{place.column} IS NOT NULL", THERE)]
        return Rows(self.frame.select(*fields, *beside), place.relation, (*place.system, *_OWN))

    def add(self, frame: DataFrame, made: Column) -> str:
        """Pack again with one more column, which gets the name that is given back."""
        kept = [column(f"{CARRIED}.{name}", name) for name in self._columns]
        added = f"_at{len(self._columns)}"
        self.frame = frame.select(*kept, made.alias(added))
        self._columns.append(added)
        return added

    def step(self, node: Node) -> None:
        """Carry the rows through a step."""
        rows = self.rows(node.inputs[0])
        if isinstance(node.bound, BranchBound):
            self._branch(node, node.bound, count_nulls(node.name, rows, branch.failures(node.bound)))
            return
        made = LOWERINGS[node.op](node.name, node.bound, (rows,), node.output)
        if not isinstance(made, Rows):
            raise TypeError(f"{node.op} has named outputs, which only branch has among the steps that go row by row")
        self._put(node.name, made)

    def _branch(self, node: Node, bound: BranchBound, rows: Rows) -> None:
        for at, (port, condition) in enumerate(bound.conditions.items()):
            # After the first output the rows have been packed once more.
            here = rows if at == 0 else self.rows(node.inputs[0])
            passed = passing(here, condition, node.output)
            self._put(f"{node.name}.{port}", passed)

    def _put(self, reference: str, made: Rows) -> None:
        system = tuple(name for name in made.system if name not in _OWN)
        struct = column(f"if({THERE}, {_struct([*made.relation.schema.names, *system])}, NULL)")
        self._places[reference] = _Place(self.add(made.frame, struct), made.relation, system)


def _struct(names: list[str]) -> str:
    return f"named_struct({', '.join(f'{text_literal(name)}, {quoted(name)}' for name in names)})"


def fan_out(plan: Plan, group: OutputGroup, root: Rows, record: Record) -> DataFrame:
    """The records of a group's sinks.

    Args:
        plan: without errors.
        group: with the steps between root and sinks.
        root: the rows of its root.
        record: the columns of one sink's record.
    """
    carrier = _Carrier(group.root, root)
    for name in group.steps:
        carrier.step(plan.node(name))
    records = []
    for sink in group.sinks:
        rows = carrier.rows(sink.reference)
        records.append(carrier.add(rows.frame, F.when(column(THERE), F.struct(*record(sink, rows)))))
    some = f"filter(array({', '.join(records)}), r -> r IS NOT NULL)"
    return carrier.frame.select(column(f"explode({some})", "_record")).select("_record.*")
