"""The bound form of an aggregate, which its lowering, its script and `change` read."""

from dataclasses import dataclass
from typing import Literal

from jobs.base.durations import Duration
from jobs.expressions import Expression
from jobs.operators.measures import BoundMeasure
from jobs.operators.windows import AnyWindow


@dataclass(frozen=True, slots=True)
class AggregateBound:
    """What the lowering needs. Without a `window` (None) a group covers all rows ever read.

    `slack` is the input's slack plus `grace`: a window closes when end + slack ≤ the closing watermark.
    With `dead_letters` late rows are also sent to the late output.
    """

    window: AnyWindow | None
    grace: Duration
    by: tuple[tuple[str, Expression], ...]
    measures: tuple[BoundMeasure, ...]
    emit: Literal["update", "final"]
    slack: Duration
    dead_letters: bool = False
