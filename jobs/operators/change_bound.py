"""The checked form of a change, which its lowering and its script read."""

from dataclasses import dataclass
from typing import Final, Literal

from jobs.base.schemas import Field
from jobs.base.types import DOUBLE
from jobs.expressions import Expression
from jobs.operators.aggregate_bound import AggregateBound
from jobs.operators.measures import BoundMeasure

VALUE: Final = "value"
PREVIOUS: Final = "previous"


@dataclass(frozen=True, slots=True)
class Changed:
    """A measure whose change is computed; `delta` is an expression over ``value`` and ``previous``."""

    measure: BoundMeasure
    delta: Expression

    @property
    def fields(self) -> tuple[Field, Field, Field]:
        """The fields it adds: the window before's value, the difference, and the difference in percent."""
        name = self.measure.name
        return (
            Field(f"{name}_previous", self.measure.type),
            Field(f"{name}_delta", self.delta.type),
            Field(f"{name}_percent", DOUBLE),
        )


@dataclass(frozen=True, slots=True)
class ChangeBound:
    """What the lowering needs: it replaces the aggregate `of` whose results it reads."""

    of: AggregateBound
    changed: tuple[Changed, ...]
    missing: Literal["null", "zero"]
