"""latest: the newest row of each key, as a table (`semantics.md` 4.18)."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from jobs.base.problems import Problem, has_errors, problem
from jobs.base.schemas import Field as RowField
from jobs.base.schemas import Schema
from jobs.expressions import Expression
from jobs.operators.execution import UPDATE_ONLY, Needed, OutputMode, StateBound
from jobs.operators.key_fields import check_key_fields
from jobs.operators.parameters import DurationText, ExpressionText, NameText, Parameters, check_duration
from jobs.operators.relation import Checked, Relation
from jobs.operators.scope import condition_over

Path = tuple[str, ...]


class LatestStep(Parameters):
    """The newest row of each key (`by`), with all its fields.

    `order` event_time takes the greatest event time, then the row's identity; offset the greatest offset, for one source
    whose records are keyed by `by`. When `delete_when` holds for the newest row, its key is taken away. `ttl` takes a key
    away when no newer row came for that long.
    """

    op: Literal["latest"]
    input: NameText
    by: Annotated[list[NameText], Field(min_length=1, max_length=16)]
    order: Literal["event_time", "offset"] = "event_time"
    delete_when: ExpressionText | None = None
    ttl: DurationText | None = None


@dataclass(frozen=True, slots=True)
class LatestBound:
    """Key fields, order, and the condition that takes a key away."""

    by: tuple[str, ...]
    by_offset: bool
    delete_when: Expression | None


def reads(bound: LatestBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """What is read below, the key and the condition."""
    condition = bound.delete_when.fields if bound.delete_when else frozenset[str]()
    return (needed.get("", frozenset()) | frozenset(bound.by) | condition,)


def output_modes(bound: LatestBound) -> frozenset[OutputMode]:  # noqa: ARG001
    """The newest row may always be replaced."""
    return UPDATE_ONLY


def state(bound: LatestBound, inputs: tuple[Relation, ...]) -> StateBound:  # noqa: ARG001
    """One row per key."""
    return StateBound("unbounded", "one row per key, kept for ever")


def check(params: LatestStep, inputs: tuple[Relation, ...], path: Path) -> Checked[LatestBound]:
    """Append → upsert keyed by `by`, whose fields are not null: rows without a key are left out and counted."""
    source = inputs[0]
    problems, complete = check_key_fields(source, params.by, (*path, "by"))
    condition, found = None, list[Problem]()
    if params.delete_when is not None:
        condition, found = condition_over(source, params.delete_when, (*path, "delete_when"))
        complete = complete and condition is not None
    problems += found
    problems += _check_input(params, source, path)
    if params.ttl is not None:
        problems += check_duration(params.ttl, (*path, "ttl"))[1]
    fields = tuple(RowField(f.name, f.type, f.nullable and f.name not in params.by) for f in source.schema)
    output = replace(
        source,
        schema=Schema(fields),
        kind="upsert",
        identity=tuple(params.by),
        identity_kind="key",
        index_depth=0,
        windowed=False,
        system=("_time",),
        made_by=None,
    )
    bound = LatestBound(tuple(params.by), params.order == "offset", condition)
    return Checked(bound if complete and not has_errors(problems) else None, output, problems)


def _check_input(params: LatestStep, source: Relation, path: Path) -> list[Problem]:
    found: list[Problem] = []
    if source.kind != "append":
        message = "latest needs facts (append); its input is a changelog, which is a table already."
        found.append(problem("KIND_MISMATCH", (*path, "input"), message, "Leave the step out."))
    elif params.order == "offset" and not source.open and (source.identity_kind != "row" or len(source.sources) > 1):
        message = "order: offset compares records of one source, and the input is not such."
        found.append(problem("PARAMETER_RANGE", (*path, "order"), message, "Use order: event_time."))
    return found
