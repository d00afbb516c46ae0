"""What a preview knows of a step: its rows, those of its inputs, and what it left out."""

from dataclasses import dataclass
from functools import cached_property

from jobs.operators import OPERATORS
from jobs.operators.aggregate_bound import AggregateBound
from jobs.operators.change_bound import ChangeBound
from jobs.operators.windows import WindowSpec
from jobs.plan import Node, Plan
from weir.diagnosis.services.source_facts import SampledRow
from weir.preview.services.play_totals import PlayTotals


@dataclass(frozen=True)
class SeenStep:
    """A step in a play.

    Attributes:
        plan: of the document, without errors.
        node: the step.
        reference: the step's rows, or those of one of its named outputs.
        totals: of the play.
    """

    plan: Plan
    node: Node
    reference: str
    totals: PlayTotals

    @property
    def port(self) -> str:
        """The named output; empty for the step's own rows."""
        return self.reference.partition(".")[2]

    @cached_property
    def given(self) -> dict[str, int | None]:
        """By input, rows and deletions that it gave; None: not known."""
        return {name: self._given(name) for name in self.node.inputs}

    def _given(self, name: str) -> int | None:
        rows = self.totals.rows(name)
        return None if rows is None else rows + self.totals.tombstones(name)

    @property
    def rows_in(self) -> int | None:
        """Of all inputs; None: not known."""
        counts = list(self.given.values())
        return None if not counts or None in counts else sum(count or 0 for count in counts)

    @property
    def late(self) -> int:
        """Its count of late rows, a lower bound. With hopping windows a row counts in each one that is
        closed; a change counts what its aggregate reads.
        """
        return self.totals.late_by_step.get(self.node.name, 0)

    @property
    def late_of_input(self) -> int:
        """Rows that came in and were dropped as late, at least: none where its count is not one of these. A
        row may be late in one hopping window and counted in another.
        """
        match self.node.bound:
            case AggregateBound(window=WindowSpec(is_tumbling=False)) | ChangeBound():
                return 0
            case _:
                return self.late

    @property
    def may_have_late(self) -> bool:
        """Whether rows may have been late here without being counted: late rows are counted by query, and
        the count is a lower bound.
        """
        drops = OPERATORS[self.node.op].drops_late_rows(self.node.bound)
        return drops and self.totals.late > 0 and self.late_of_input < (self.rows_in or self.totals.late)

    @property
    def keyless(self) -> int:
        """Rows that it left out because their key has a null."""
        return self.totals.keyless.get(self.node.name, 0)

    def nulls(self, expression: str) -> int:
        """Rows in which an error in this expression became null."""
        return self.totals.nulls_of(self.node.name).get(expression, 0)

    def sample(self, reference: str, fields: tuple[str, ...]) -> tuple[SampledRow, ...] | None:
        """The rows of an input that came with the answer, without deletions; None where it isn't seen, or a
        field isn't among their values.
        """
        if reference not in self.totals.steps:
            return None
        rows = tuple(
            SampledRow(row.value, row.at_us or 0)
            for row in self.totals.kept(reference)
            if row.value is not None
        )
        return rows if all(field in row.values for row in rows for field in fields) else None

    def is_whole(self, reference: str) -> bool:
        """Whether all rows of an input came with the answer."""
        return self.totals.is_whole(reference)
