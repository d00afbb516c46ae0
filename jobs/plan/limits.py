"""Pass: what `semantics.md` allows and the engine cannot do yet, in one table. A row goes when its lowering is tested."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from jobs.base.problems import problem
from jobs.operators.aggregate import AggregateBound
from jobs.plan.draft import Draft


@dataclass(frozen=True, slots=True)
class Limit:
    """A shape that is refused.

    Attributes:
        code: of the problem.
        parameter: of the step that the problem points at.
        met: true when the step of that name is such a shape.
        message: what cannot be done.
        hint: what to do instead.
    """

    code: str
    parameter: str
    met: Callable[[Draft, str], bool]
    message: str
    hint: str


def _aggregate_over_aggregate(draft: Draft, name: str) -> bool:
    above = draft.relations[draft.inputs[name][0]]
    return isinstance(draft.bounds[name], AggregateBound) and above.identity_kind == "key"


LIMITS: Final = (
    Limit(
        code="EMIT_UNSUPPORTED",
        parameter="input",
        met=_aggregate_over_aggregate,
        message="An aggregate over the final results of another aggregate comes later.",
        hint="Aggregate the rows themselves, or read the first job's result in a second job.",
    ),
)


def limits(draft: Draft) -> None:
    """Refuses every step of a sound document that meets a row of the table."""
    if not draft.sound:
        return
    for name in draft.document.steps:
        for limit in LIMITS:
            if limit.met(draft, name):
                draft.problems.append(problem(limit.code, ("steps", name, limit.parameter), limit.message, limit.hint))
