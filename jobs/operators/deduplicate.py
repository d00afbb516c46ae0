"""deduplicate: the first of equal rows (`semantics.md` 4.8)."""

from dataclasses import dataclass, replace
from typing import Annotated, Final, Literal

from pydantic import Field

from jobs.base.durations import Duration
from jobs.base.problems import Problem, has_errors, problem, warning
from jobs.operators.execution import APPEND_ONLY, BOTH_MODES, Needed, OutputMode, StateBound
from jobs.operators.key_fields import check_key_fields
from jobs.operators.parameters import DurationText, NameText, Parameters, check_duration
from jobs.operators.relation import Checked, Relation

Path = tuple[str, ...]

MILLISECOND: Final = Duration(1_000)
LONG_HOLD: Final = Duration(7 * 86_400_000_000)


class DeduplicateStep(Parameters):
    """Drop repeats of rows with the same `by` fields; null equals null.

    `within` exact: rows of one event time are one. A duration: after its first row a key is held for that long in event
    time, and its rows are dropped meanwhile; a dropped row does not prolong the hold. Rows that are late are dropped.
    """

    op: Literal["deduplicate"]
    input: NameText
    by: Annotated[list[NameText], Field(min_length=1, max_length=16)]
    within: DurationText


@dataclass(frozen=True, slots=True)
class DeduplicateBound:
    """Key fields; `within` None is exact; `lag` of the input."""

    by: tuple[str, ...]
    within: Duration | None
    lag: Duration


def reads(bound: DeduplicateBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """What is read below, and the key."""
    return (needed.get("", frozenset()) | frozenset(bound.by),)


def realtime(bound: DeduplicateBound) -> str:
    """Spark holds keys for a time in micro-batches only."""
    return "" if bound.within is None else "holds keys for a time, which only micro-batch mode can."


def output_modes(bound: DeduplicateBound) -> frozenset[OutputMode]:
    """Holding keys for a time needs append mode."""
    return BOTH_MODES if bound.within is None else APPEND_ONLY


def state(bound: DeduplicateBound, inputs: tuple[Relation, ...]) -> StateBound:  # noqa: ARG001
    """One entry per key and time, or per held key."""
    if bound.within is None:
        return StateBound("bounded", "one entry per key and event time, dropped when the watermark has passed it")
    return StateBound("bounded", f"one entry per key, dropped when the watermark is {bound.within} past its first row")


def check(params: DeduplicateStep, inputs: tuple[Relation, ...], path: Path) -> Checked[DeduplicateBound]:
    """Append → append, same schema; identity is the key and the time of the row that stays. KEY_TYPE; warns STATE_LARGE."""
    source = inputs[0]
    problems, complete = check_key_fields(source, params.by, (*path, "by"))
    within, found = _check_within(params.within, (*path, "within"))
    problems += found
    if source.kind != "append":
        message = "deduplicate needs facts (append); its input is a changelog, which holds one row per key already."
        problems.append(problem("KIND_MISMATCH", (*path, "input"), message, "Leave the step out, or deduplicate before the aggregate."))
    output = replace(source, kind="append", identity=(*params.by, "_time"), identity_kind="key", index_depth=0, windowed=False)
    bound = DeduplicateBound(tuple(params.by), within, source.lag)
    return Checked(bound if complete and not has_errors(problems) else None, output, problems)


def _check_within(text: str, place: Path) -> tuple[Duration | None, list[Problem]]:
    if text.strip() == "exact":
        return None, []
    within, found = check_duration(text, place, least=MILLISECOND)
    if within is not None and within.us % MILLISECOND.us:
        found.append(problem("PARAMETER_RANGE", place, "A hold is a whole number of milliseconds.", "Example: 10s"))
    if within is not None and within > LONG_HOLD:
        message = f"Every key is held for {within}; state grows with the number of keys in that time."
        found.append(warning("STATE_LARGE", place, message, "Fine for few keys; otherwise a shorter time, or exact."))
    return within, found
