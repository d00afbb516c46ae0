"""The bound form of a change, which its lowering and its script read."""

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
        """The fields added for the measure: previous value, difference, difference in percent."""
        name = self.measure.name
        return (
            Field(f"{name}_previous", self.measure.type),
            Field(f"{name}_delta", self.delta.type),
            Field(f"{name}_percent", DOUBLE),
        )


@dataclass(frozen=True, slots=True)
class ChangeBound:
    """What the lowering needs, which computes the aggregate `of` itself instead of reading its results."""

    of: AggregateBound
    changed: tuple[Changed, ...]
    missing: Literal["null", "zero"]
