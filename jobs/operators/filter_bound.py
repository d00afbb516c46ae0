"""The bound form of filter."""

from dataclasses import dataclass

from jobs.expressions import Expression


@dataclass(frozen=True, slots=True)
class FilterBound:
    """What the lowering needs: the condition."""

    where: Expression
