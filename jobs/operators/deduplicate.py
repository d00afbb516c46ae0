"""deduplicate: the first of equal rows (`docs/semantics/deduplicate.md`)."""

from dataclasses import dataclass, replace
from typing import Annotated, Final, Literal

from pydantic import Field

from jobs.base.durations import Duration
from jobs.base.problems import Problem, has_errors, problem, warning
from jobs.operators.key_fields import check_key_fields
from jobs.operators.late_rows import PORT, check_late_port, late_relation, read_for_late_port
from jobs.operators.parameters import DurationText, NameText, Parameters, check_duration
from jobs.operators.relation import Relation, StepCheck
from jobs.operators.requirements import APPEND_ONLY, BOTH_MODES, Needed, OutputMode, StateBound

Path = tuple[str, ...]

MILLISECOND: Final = Duration(1_000)
LONG_HOLD: Final = Duration(7 * 86_400_000_000)


class DeduplicateStep(Parameters):
    """Drop repeats of rows with the same `by` fields; null equals null.

    `within` exact: rows of one event time are one. A duration: after its first row a key is held for that long in event
    time, and its rows are dropped meanwhile; a dropped row does not prolong the hold. `late` rows are counted and dropped, or
    with dead_letter flow out of ``step.late`` too.
    """

    op: Literal["deduplicate"]
    input: NameText
    by: Annotated[list[NameText], Field(min_length=1, max_length=16)]
    within: DurationText
    late: Literal["drop", "dead_letter"] = "drop"


@dataclass(frozen=True, slots=True)
class DeduplicateBound:
    """Key fields; `within` None is exact; `slack` of the input; `dead_letters`: late rows flow out of the late port."""

    by: tuple[str, ...]
    within: Duration | None
    slack: Duration
    dead_letters: bool = False


def fields_read(bound: DeduplicateBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """What is read below, of late rows too, and the key."""
    late_fields = read_for_late_port(needed.get(PORT, frozenset()))
    return (needed.get("", frozenset()) | late_fields | frozenset(bound.by),)


def realtime(bound: DeduplicateBound) -> str:
    """Spark holds keys for a time in micro-batches only, and late rows need the watermark of a batch."""
    if bound.dead_letters:
        return "outputs its late rows, which needs micro-batch mode."
    return "" if bound.within is None else "keeps keys for a limited time, which needs micro-batch mode."


def output_modes(bound: DeduplicateBound) -> frozenset[OutputMode]:
    """Holding keys for a time needs append mode, and so do late rows."""
    return BOTH_MODES if bound.within is None and not bound.dead_letters else APPEND_ONLY


def state(bound: DeduplicateBound, inputs: tuple[Relation, ...]) -> StateBound:  # noqa: ARG001
    """One entry per key and time, or per held key."""
    if bound.within is None:
        return StateBound("bounded", "one entry per key and event time, dropped when the watermark has passed it")
    return StateBound("bounded", f"one entry per key, dropped when the watermark is {bound.within} past its first row")


def check(params: DeduplicateStep, inputs: tuple[Relation, ...], path: Path) -> StepCheck[DeduplicateBound]:
    """Append → append, same schema; identity is the key and the time of the row that stays. KEY_TYPE; warns STATE_LARGE."""
    source = inputs[0]
    problems, complete = check_key_fields(source, params.by, (*path, "by"))
    within, found = _check_within(params.within, (*path, "within"))
    problems += found
    if source.kind != "append":
        message = "The input already has one row per key."
        problems.append(problem("KIND_MISMATCH", (*path, "input"), message, "Remove this step, or deduplicate before the aggregate."))
    output = replace(source, kind="append", identity=(*params.by, "_time"), identity_kind="key", index_types=(), windowed=False)
    dead_letters = params.late == "dead_letter"
    problems += check_late_port(source, (*path, "late")) if dead_letters else []
    bound = DeduplicateBound(tuple(params.by), within, source.slack, dead_letters)
    ports = {PORT: late_relation(source)} if dead_letters else {}
    return StepCheck(bound if complete and not has_errors(problems) else None, output, problems, ports)


def _check_within(text: str, path: Path) -> tuple[Duration | None, list[Problem]]:
    if text.strip() == "exact":
        return None, []
    within, found = check_duration(text, path, min=MILLISECOND)
    if within is not None and within.us % MILLISECOND.us:
        found.append(problem("PARAMETER_RANGE", path, "within must be in whole milliseconds.", "Example: 10s"))
    if within is not None and within > LONG_HOLD:
        message = f"Large state: every key is kept for {within}."
        found.append(warning("STATE_LARGE", path, message, "Fine for few keys. Otherwise use a shorter within, or exact."))
    return within, found
