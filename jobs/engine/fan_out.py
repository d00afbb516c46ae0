"""Several outputs that are computed row by row from one node, in one pass over its rows.

A union of their frames would read everything upstream once for each output, state included, and real-time
mode reads a source once. Each input row is therefore packed into one row with a struct column per step
output; the struct is null where a step filtered the row out. One explode at the end turns it into the records
of all outputs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from jobs.engine.columns import column, quoted
from jobs.engine.observed_metrics import count_nulls
from jobs.engine.operators import LOWERINGS, branch
from jobs.engine.operators.row_filter import filter_rows
from jobs.engine.rows import PACKED, PRESENT, Rows
from jobs.engine.taps import Taps
from jobs.expressions.texts_sql import string_sql
from jobs.operators.branch import BranchBound
from jobs.operators.relation import Relation
from jobs.plan import Node, OutputGroup, Plan, Sink

Record = Callable[[Sink, Rows], list[Column]]

_OWN: Final = (PACKED, PRESENT)


@dataclass(frozen=True, slots=True)
class _PackedColumn:
    """The struct column with the rows of a reference: its name, their relation, and their system columns."""

    column: str
    relation: Relation
    system: tuple[str, ...]


class _PackedRows:
    """The frame of packed rows: one struct column per reference."""

    def __init__(self, reference: str, rows: Rows, taps: Taps | None = None) -> None:
        self._taps = taps
        self._packed = {reference: _PackedColumn("_at0", rows.relation, rows.system)}
        self._columns = ["_at0"]
        self.frame = rows.frame.select(column(_struct(rows.frame.columns), "_at0"))

    def rows(self, reference: str) -> Rows:
        """The rows of a reference, all null where a row was filtered out, with the packed row and whether it
        is present.
        """
        packed = self._packed[reference]
        fields = [
            column(f"{packed.column}.{quoted(name)}", name)
            for name in (*packed.relation.schema.names, *packed.system)
        ]
        packed_columns = [
            column(_struct(self._columns), PACKED),
            column(f"{packed.column} IS NOT NULL", PRESENT),
        ]
        return Rows(self.frame.select(*fields, *packed_columns), packed.relation, (*packed.system, *_OWN))

    def add(self, frame: DataFrame, made: Column) -> str:
        """Pack again with one more column; returns its name."""
        kept = [column(f"{PACKED}.{name}", name) for name in self._columns]
        added = f"_at{len(self._columns)}"
        self.frame = frame.select(*kept, made.alias(added))
        self._columns.append(added)
        return added

    def step(self, node: Node) -> None:
        """Apply a step to the packed rows."""
        rows = self.rows(node.inputs[0])
        if self._taps is not None:
            rows = self._taps.given(node, rows)
        if isinstance(node.bound, BranchBound):
            self._branch(node, node.bound, count_nulls(node.name, rows, branch.failures(node.bound)))
            return
        made = LOWERINGS[node.op](node.name, node.bound, (rows,), node.output)
        if not isinstance(made, Rows):
            raise TypeError(
                f"{node.op} has named outputs, which only branch has among the steps that go row by row"
            )
        self._put(node.name, made)

    def _branch(self, node: Node, bound: BranchBound, rows: Rows) -> None:
        for index, (port, condition) in enumerate(bound.conditions.items()):
            # Each output packs the rows again.
            current = rows if index == 0 else self.rows(node.inputs[0])
            kept = filter_rows(current, condition, node.output)
            self._put(f"{node.name}.{port}", kept)

    def tapped(self, root: str) -> None:
        """Show the packed rows of all steps."""
        if self._taps is None:
            return
        columns = {name: packed.column for name, packed in self._packed.items() if name != root}
        self.frame = self._taps.packed(root, self.frame, columns)

    def _put(self, reference: str, made: Rows) -> None:
        if self._taps is not None:
            made = self._taps.made(reference, made)
        system = tuple(name for name in made.system if name not in _OWN)
        struct = column(f"if({PRESENT}, {_struct([*made.relation.schema.names, *system])}, NULL)")
        self._packed[reference] = _PackedColumn(self.add(made.frame, struct), made.relation, system)


def _struct(names: list[str]) -> str:
    return f"named_struct({', '.join(f'{string_sql(name)}, {quoted(name)}' for name in names)})"


def fan_out(
    plan: Plan, group: OutputGroup, root: Rows, record: Record, taps: Taps | None = None
) -> DataFrame:
    """The records of all sinks of a group.

    Args:
        plan: without errors.
        group: its sinks, and the steps between root and sinks.
        root: the rows of its root.
        record: returns the columns of a sink's records.
        taps: see the rows of the group's steps.
    """
    packed_rows = _PackedRows(group.root, root, taps)
    for name in group.steps:
        packed_rows.step(plan.node(name))
    packed_rows.tapped(group.root)
    records = []
    for sink in group.sinks:
        rows = packed_rows.rows(sink.reference)
        records.append(packed_rows.add(rows.frame, F.when(column(PRESENT), F.struct(*record(sink, rows)))))
    some = f"filter(array({', '.join(records)}), r -> r IS NOT NULL)"
    return packed_rows.frame.select(column(f"explode({some})", "_record")).select("_record.*")
