"""Pass: refuse what `docs/semantics` allows and the engine can't do yet, as listed in one table. A row is
deleted once its lowering is tested.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from jobs.base.problems import problem
from jobs.operators import OPERATORS
from jobs.plan.draft import Draft


@dataclass(frozen=True, slots=True)
class Limitation:
    """A limit: a form of a step that is refused.

    Attributes:
        code: of the problem.
        parameter: the step's parameter that the problem points at.
        met: whether the step of that name has this form.
        message: what cannot be done.
        hint: what to do instead.
    """

    code: str
    parameter: str
    met: Callable[[Draft, str], bool]
    message: str
    hint: str


def _state_over_late_rows(draft: Draft, name: str) -> bool:
    reads_late = any(draft.relations[reference].late_rows for reference in draft.inputs[name])
    return reads_late and draft.keeps_state(name)


def _late_rows_unread(draft: Draft, name: str) -> bool:
    asked = getattr(draft.document.steps[name], "late", "drop") == "dead_letter"
    return asked and name in draft.live and f"{name}.late" not in draft.live_references()


def _expires_below_others(draft: Draft, name: str) -> bool:
    if not OPERATORS[draft.document.steps[name].op].acts_alone(draft.bounds[name]):
        return False
    upstream = [step for step in draft.reached(draft.inputs[name]) if step in draft.document.steps]
    return any(
        draft.keeps_state(step)
        and OPERATORS[draft.document.steps[step].op].refuses_expiry_below(draft.bounds[step])
        for step in upstream
    )


LIMITS: Final = (
    Limitation(
        code="KIND_MISMATCH",
        parameter="input",
        met=_state_over_late_rows,
        message="Late rows can't go to a stateful step.",
        hint="Write them to a topic and aggregate them in a second job.",
    ),
    Limitation(
        code="PARAMETER_RANGE",
        parameter="on_error",
        met=lambda draft, name: getattr(draft.document.steps[name], "on_error", "null") == "dead_letter",
        message="on_error: dead_letter isn't supported.",
        hint="Remove it. Failing values become null and are counted; filter for null to send such rows "
        "elsewhere.",
    ),
    Limitation(
        code="PARAMETER_RANGE",
        parameter="ttl",
        met=_expires_below_others,
        message="ttl isn't supported after a join, final aggregate or timed deduplicate.",
        hint="Remove ttl, or move this step to a second job that reads those rows from a topic.",
    ),
    Limitation(
        code="PARAMETER_RANGE",
        parameter="late",
        met=_late_rows_unread,
        message="The late rows of this step go nowhere.",
        hint="Set an output's input to <step>.late, or use late: drop.",
    ),
)


def limits(draft: Draft) -> None:
    """Report a problem for each limit that a step of a valid document meets."""
    if not draft.valid:
        return
    for name in draft.document.steps:
        for limit in LIMITS:
            if limit.met(draft, name):
                draft.problems.append(
                    problem(limit.code, ("steps", name, limit.parameter), limit.message, limit.hint)
                )
