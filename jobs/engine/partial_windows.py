"""Which windows of an output lack rows, so that their results are marked `partial`
(`docs/decisions/2026-11-21-partial-windows.md`).
"""

from dataclasses import dataclass

from jobs.operators.relation import Relation


@dataclass(frozen=True, slots=True)
class PartialWindows:
    """Event times in µs; None: nothing is lacking.

    Attributes:
        started: records from before it were not read.
        of_state: windows that start before it lack rows in a measure that was added to their state.
    """

    started: int | None
    of_state: int | None

    @property
    def before_us(self) -> int | None:
        """Windows of whose own rows some lack start before it."""
        return max((at for at in (self.started, self.of_state) if at is not None), default=None)

    def of(self, relation: Relation) -> int | None:
        """As `before_us`, for the windows of one output: what decides over one may lie before its start."""
        reached = self.started + relation.before_start.us if self.started is not None else None
        return PartialWindows(reached, self.of_state).before_us
