"""Pass: what `semantics.md` allows and the engine cannot do yet, in one table. A row goes when its lowering is tested."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from jobs.base.problems import problem
from jobs.operators import OPERATORS
from jobs.operators.execution import APPEND_ONLY, UPDATE_ONLY, OutputMode
from jobs.operators.latest import LatestBound
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


def _state_over_late_rows(draft: Draft, name: str) -> bool:
    reads_late = any(draft.relations[reference].late_rows for reference in draft.inputs[name])
    return reads_late and draft.keeps_state(name)


def _late_rows_unread(draft: Draft, name: str) -> bool:
    asked = getattr(draft.document.steps[name], "late", "drop") == "dead_letter"
    return asked and name in draft.live and f"{name}.late" not in draft.live_references()


def _modes_apart(draft: Draft, name: str) -> bool:
    """The step updates its results, and one that gives final ones only stands above an output with it: no stage can hold both."""
    if _output_modes(draft, name) != UPDATE_ONLY:
        return False
    together = (draft.reached([output.input]) for output in draft.document.outputs.values())
    beside = frozenset[str]().union(*(nodes for nodes in together if name in nodes))
    return any(_output_modes(draft, step) == APPEND_ONLY for step in beside if step in draft.document.steps)


def _taken_away_behind_a_join(draft: Draft, name: str) -> bool:
    bound = draft.bounds[name]
    if not isinstance(bound, LatestBound) or bound.ttl is None:
        return False
    above = [step for step in draft.reached(draft.inputs[name]) if step in draft.document.steps]
    return any(draft.document.steps[step].op != "deduplicate" for step in above if draft.keeps_state(step))


def _output_modes(draft: Draft, name: str) -> frozenset[OutputMode]:
    return OPERATORS[draft.document.steps[name].op].output_modes(draft.bounds[name])


LIMITS: Final = (
    Limit(
        code="EMIT_UNSUPPORTED",
        parameter="op",
        met=_modes_apart,
        message="This step updates its results, and a step that it reads gives each row once, when it is final; one query cannot do both.",
        hint="Give the aggregate a window and emit: final, or let a second job read the final rows from a topic.",
    ),
    Limit(
        code="KIND_MISMATCH",
        parameter="input",
        met=_state_over_late_rows,
        message="Late rows feed steps without state only: the watermark has passed them.",
        hint="Send them to a topic, and aggregate them in a second job.",
    ),
    Limit(
        code="PARAMETER_RANGE",
        parameter="on_error",
        met=lambda draft, name: getattr(draft.document.steps[name], "on_error", "null") == "dead_letter",
        message="Jobs do not write dead letters.",
        hint="Leave on_error out: a value that does not fit becomes null and its row is counted; filter for null to send it on.",
    ),
    Limit(
        code="PARAMETER_RANGE",
        parameter="ttl",
        met=_taken_away_behind_a_join,
        message="Behind a join time does not take keys away yet.",
        hint="Leave ttl out, or let a second job read the pairs from a topic.",
    ),
    Limit(
        code="PARAMETER_RANGE",
        parameter="late",
        met=_late_rows_unread,
        message="late: dead_letter gives the late rows to the step's port late, which nothing reads.",
        hint="Give an output the input <step>.late, or use late: drop.",
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
