"""latest: the newest row of each key, as a table (`docs/semantics/latest.md`)."""

from dataclasses import dataclass, replace
from typing import Annotated, Final, Literal

from pydantic import Field

from jobs.base.durations import ZERO, Duration
from jobs.base.problems import Problem, has_errors, problem
from jobs.base.schemas import Field as RowField
from jobs.base.schemas import Schema
from jobs.expressions import Expression
from jobs.operators.expression_checks import condition_over
from jobs.operators.key_fields import check_key_fields
from jobs.operators.parameters import DurationText, ExpressionText, NameText, Parameters, check_duration
from jobs.operators.relation import Relation, StepCheck
from jobs.operators.requirements import UPDATE_ONLY, Needed, OutputMode, StateBound

Path = tuple[str, ...]

MIN_TTL: Final = Duration(1_000)


class LatestStep(Parameters):
    """The newest row of each key (`by`), with all its fields.

    `order` event_time takes the greatest event time, then the row's identity; offset the greatest offset, for one source
    whose records are keyed by `by`. When `delete_when` holds for the newest row, its key is taken away. `ttl` takes a key
    away when the watermark is that far past its newest row (micro-batches only).
    """

    op: Literal["latest"]
    input: NameText
    by: Annotated[list[NameText], Field(min_length=1, max_length=16)]
    order: Literal["event_time", "offset"] = "event_time"
    delete_when: ExpressionText | None = None
    ttl: DurationText | None = None


@dataclass(frozen=True, slots=True)
class LatestBound:
    """What the lowering needs.

    Attributes:
        by: key fields.
        by_offset: the greatest offset is the newest, not the greatest time.
        delete_when: condition that takes a key away, or None.
        ttl: after which time without a newer row a key is taken away; None: never.
        slack: of the input: keys stay that much longer.
    """

    by: tuple[str, ...]
    by_offset: bool
    delete_when: Expression | None
    ttl: Duration | None = None
    slack: Duration = ZERO


def fields_read(bound: LatestBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """What is read below, the key and the condition."""
    condition = bound.delete_when.fields if bound.delete_when else frozenset[str]()
    return (needed.get("", frozenset()) | frozenset(bound.by) | condition,)


def realtime(bound: LatestBound) -> str:
    """Time takes keys away in Python workers, which real-time mode has not."""
    return "" if bound.ttl is None else "has a ttl, which needs micro-batch mode."


def output_modes(bound: LatestBound) -> frozenset[OutputMode]:  # noqa: ARG001
    """The newest row may always be replaced."""
    return UPDATE_ONLY


def state(bound: LatestBound, inputs: tuple[Relation, ...]) -> StateBound:  # noqa: ARG001
    """One row per key; with a time to live its key and time only."""
    if bound.ttl is not None:
        return StateBound("bounded", f"one entry per key, dropped when the watermark is {bound.ttl} past its latest row")
    return StateBound("unbounded", "one row per key, never dropped")


def check(params: LatestStep, inputs: tuple[Relation, ...], path: Path) -> StepCheck[LatestBound]:
    """Append → upsert keyed by `by`, whose fields are not null: rows without a key are left out and counted."""
    source = inputs[0]
    problems, complete = check_key_fields(source, params.by, (*path, "by"))
    condition, found = None, list[Problem]()
    if params.delete_when is not None:
        condition, found = condition_over(source, params.delete_when, (*path, "delete_when"))
        complete = complete and condition is not None
    problems += found
    problems += _check_input(params, source, path)
    ttl = None
    if params.ttl is not None:
        ttl, found = check_duration(params.ttl, (*path, "ttl"), min=MIN_TTL)
        problems += found
    fields = tuple(RowField(f.name, f.type, f.nullable and f.name not in params.by) for f in source.schema)
    output = replace(
        source,
        schema=Schema(fields),
        kind="upsert",
        identity=tuple(params.by),
        identity_kind="key",
        index_types=(),
        windowed=False,
        system=("_time",),
        aggregate_ref=None,
    )
    bound = LatestBound(tuple(params.by), params.order == "offset", condition, ttl, source.slack)
    return StepCheck(bound if complete and not has_errors(problems) else None, output, problems)


def _check_input(params: LatestStep, source: Relation, path: Path) -> list[Problem]:
    found: list[Problem] = []
    if source.kind != "append":
        message = "The input of latest is already a table with one row per key."
        found.append(problem("KIND_MISMATCH", (*path, "input"), message, "Remove this step."))
    elif params.order == "offset" and not source.has_unknown_fields and (source.identity_kind != "row" or len(source.sources) > 1):
        message = "order: offset needs rows of a single source; this input has others."
        found.append(problem("PARAMETER_RANGE", (*path, "order"), message, "Use order: event_time."))
    return found
