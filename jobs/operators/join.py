"""join: pairs of rows of two streams, with a limited time difference (`docs/semantics/join.md`)."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Final, Literal

from jobs.base.durations import MAX_SPAN, ZERO, Duration
from jobs.base.problems import DocumentPath, Problem, has_errors, problem, warning
from jobs.base.types import DataType
from jobs.expressions import Expression
from jobs.operators.append_only import require_append_only
from jobs.operators.expression_checks import condition_over
from jobs.operators.field_digests import FieldDigests, digest, over_meanings
from jobs.operators.forecasts import InputRate, one_row, row_bytes
from jobs.operators.join_bound import ONE_SIDED, JoinBound, JoinType, PairTime
from jobs.operators.join_fields import (
    check_keys,
    pair_schema,
    right_names,
    side_meanings,
    sides_read,
)
from jobs.operators.join_script import script
from jobs.operators.lineage import NOTHING, TIME, ColumnSources, columns_of_sides, merged, same_columns
from jobs.operators.operator import Operator, computes_nothing
from jobs.operators.parameters import (
    DurationText,
    ExpressionText,
    NameText,
    Parameters,
    check_duration,
    parameter,
)
from jobs.operators.relation import Relation, StepCheck
from jobs.operators.requirements import (
    APPEND_ONLY,
    BOTH_MODES,
    Needed,
    OutputMode,
    StateBound,
    always,
    never,
    no_reason,
    no_static_inputs,
)
from jobs.operators.script_step import ScriptStep, Setting, deletes_like_input
from jobs.operators.state_copies import RowsRead, StateRead
from jobs.operators.stored_state import StateContext, StoredState

MILLISECOND: Final = Duration(1_000)
_UPDATABLE: Final = ("inner", "semi")
_NO_ORDER: Final = Duration(-MAX_SPAN.us)


class TimeBounds(Parameters):
    """``−before ≤ right time − left time ≤ after``, both ends included; either may be negative, their sum may
    not."""

    before: Annotated[
        DurationText,
        parameter(
            "Right row earlier by at most",
            "How much earlier than the left row the right row may be; negative if it must be later",
            example="5s",
        ),
    ] = "0s"
    after: Annotated[
        DurationText,
        parameter(
            "Right row later by at most",
            "How much later than the left row the right row may be; negative if it must be earlier",
            example="1m",
        ),
    ]


class JoinStep(Parameters):
    """Pairs of rows of two streams whose key fields are equal and whose times lie within `between`.

    `type`: inner gives pairs; left, right and full also the rows of that side that found none; semi gives
    each left row that found one, anti each that found none. `where` reads the fields of both sides. `prefix`
    goes before the names of right fields that the left has too. `time` says which time a pair gets.
    """

    op: Literal["join"]
    left: Annotated[
        NameText,
        parameter("Left", "Source, step or step.port of the left rows", example="searches", input="step"),
    ]
    right: Annotated[
        NameText,
        parameter("Right", "Source, step or step.port of the right rows", example="clicks", input="step"),
    ]
    type: Annotated[
        JoinType,
        parameter(
            "Join type",
            "Which rows without a match are kept too; semi and anti give left rows only",
            choices={
                "inner": "Inner",
                "left": "Left",
                "right": "Right",
                "full": "Full",
                "semi": "Semi (left rows with a match)",
                "anti": "Anti (left rows without a match)",
            },
        ),
    ] = "inner"
    on: Annotated[
        dict[str, NameText],
        parameter(
            "Key fields: left, right",
            "Left field and the right field it must equal; null equals nothing",
            example={"id": "search"},
            input="mapping",
            entry="pair",
            keys="field",
            values="right_field",
        ),
    ]
    between: Annotated[
        TimeBounds | None,
        parameter(
            "Limit time difference",
            "Without a limit, state grows forever",
            example={"before": "0s", "after": "1m"},
            inline=True,
        ),
    ] = None
    where: Annotated[
        ExpressionText | None,
        parameter(
            "Extra condition",
            "Pairs must meet this too; reads the fields of both sides, and null counts as false",
            example="amount > limit",
        ),
    ] = None
    prefix: Annotated[
        NameText,
        parameter(
            "Right field prefix",
            "Required if both inputs share field names",
            example="click_",
            input="right_prefix",
            inline=True,
        ),
    ] = ""
    time: Annotated[
        PairTime,
        parameter(
            "Result event time",
            "Event time of a pair",
            choices={"later": "Later of both", "left": "Left row", "right": "Right row"},
        ),
    ] = "later"

    def inputs(self) -> tuple[tuple[str, str], ...]:
        """Left, then right."""
        return (("left", self.left), ("right", self.right))


def fields_read(bound: JoinBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """Of each side, its fields that are needed of the pair, its key fields, and those that `where` reads."""
    of_pair = needed.get("", frozenset()) | (bound.where.fields if bound.where else frozenset())
    return sides_read(of_pair, dict(bound.names), bound.on)


def realtime(bound: JoinBound) -> str:  # noqa: ARG001
    """Spark joins two streams in micro-batches only."""
    return "joins two streams, which needs micro-batch mode."


def output_modes(bound: JoinBound) -> frozenset[OutputMode]:
    """Append mode only where rows without a match are output: each once, when no match can come any more."""
    return BOTH_MODES if bound.type in _UPDATABLE else APPEND_ONLY


def state(bound: JoinBound, inputs: tuple[Relation, ...]) -> StateBound:  # noqa: ARG001
    """Rows of both sides, until no match can come any more; unbounded without `between`."""
    if bound.before is None:
        return StateBound("unbounded", "all rows of both sides, never dropped, because between is not set")
    return StateBound("bounded", "rows of both sides, dropped when the watermark rules out a later match")


def check(params: JoinStep, inputs: tuple[Relation, ...], path: DocumentPath) -> StepCheck[JoinBound]:
    """Append × append → append. The identity is those of both rows; for semi and anti the left row's."""
    left, right = inputs
    problems = _check_inputs(params, inputs, path)
    on, found = check_keys(params.on, left, right, (*path, "on"))
    problems += found
    before, after, found = _check_bounds(params, path)
    problems += found
    names, found = right_names(left.schema, right.schema, params.prefix, path)
    problems += found if params.type not in ONE_SIDED or params.where is not None else []
    where, found = _check_where(params, left, right, names, path)
    problems += found
    problems += _check_time(params, path)
    slack = max(left.slack, right.slack)
    output = _output(params, left, right, names, before, after)
    if has_errors(problems) or len(on) < len(params.on) or (params.where is not None and where is None):
        return StepCheck(None, output, problems)
    in_pair = _names_in_pair(params, names, where)
    bound = JoinBound(params.type, on, before, after, where, in_pair, params.time, slack)
    return StepCheck(bound, output, problems)


def _names_in_pair(
    params: JoinStep, names: dict[str, str], where: Expression | None
) -> tuple[tuple[str, str], ...]:
    """(Right field, its name in the pair) of every right field; for semi and anti, whose rows have no right
    fields, only of those that `where` reads.
    """
    if params.type not in ONE_SIDED:
        return tuple(names.items())
    read = where.fields if where is not None else frozenset[str]()
    return tuple((name, joined) for name, joined in names.items() if joined in read)


def _check_inputs(params: JoinStep, inputs: tuple[Relation, ...], path: DocumentPath) -> list[Problem]:
    found: list[Problem] = []
    if params.left == params.right:
        message = f"Both sides of the join are {params.left}."
        found.append(
            problem(
                "SELF_JOIN",
                (*path, "right"),
                message,
                "To join a stream with itself, define two sources with different names.",
            )
        )
    for side, relation in zip(("left", "right"), inputs, strict=True):
        found += require_append_only(relation, (*path, side), "join", f"its {side} side")
    return found


def _check_bounds(
    params: JoinStep, path: DocumentPath
) -> tuple[Duration | None, Duration | None, list[Problem]]:
    field_path = (*path, "between")
    if params.between is None:
        message = "Without a time limit (between), every row of both sides is kept forever."
        hint = "Example: between: {before: 0s, after: 1m}"
        if params.type == "inner" and params.time == "later":
            return None, None, [warning("JOIN_UNBOUNDED", field_path, message, hint)]
        what = f"A {params.type} join" if params.type != "inner" else f"A join with time: {params.time}"
        return (
            None,
            None,
            [
                problem(
                    "JOIN_UNBOUNDED",
                    field_path,
                    f"{message} {what} needs one to know when a row has no more matches.",
                    hint,
                )
            ],
        )
    before, problems = check_duration(
        params.between.before, (*field_path, "before"), min=_NO_ORDER, code="JOIN_RANGE"
    )
    after, found = check_duration(
        params.between.after, (*field_path, "after"), min=_NO_ORDER, code="JOIN_RANGE"
    )
    problems += found
    if before is not None and after is not None and before.us + after.us < 0:
        message = f"The time range is empty: from {Duration(-before.us)} to {after} after the left row."
        problems.append(
            problem("JOIN_RANGE", field_path, message, "Choose values whose sum is not negative.")
        )
    return before, after, problems


def _check_where(
    params: JoinStep, left: Relation, right: Relation, names: dict[str, str], path: DocumentPath
) -> tuple[Expression | None, list[Problem]]:
    if params.where is None:
        return None, []
    untyped = left.untyped | {names.get(name, name) for name in right.untyped}
    both = Relation(
        pair_schema(left.schema, right.schema, names),
        system=(),
        untyped=untyped,
        has_unknown_fields=left.has_unknown_fields or right.has_unknown_fields,
    )
    where, problems = condition_over(both, params.where, (*path, "where"))
    if where is not None and where.constant:
        message = "The condition is constant: it reads no field."
        problems = [*problems, warning("CONSTANT_CONDITION", (*path, "where"), message)]
    return where, problems


def _check_time(params: JoinStep, path: DocumentPath) -> list[Problem]:
    if params.type in ONE_SIDED and params.time == "right":
        message = f"time doesn't apply to a {params.type} join, whose rows keep the time of the left row."
        return [problem("PARAMETER_RANGE", (*path, "time"), message, "Remove time.")]
    return []


def _output(
    params: JoinStep,
    left: Relation,
    right: Relation,
    names: dict[str, str],
    before: Duration | None,
    after: Duration | None,
) -> Relation:
    held_back = _held_back(params.type, before, after)
    # A row without a match comes one step of the watermark after the last partner that it could have had.
    own = max(before or ZERO, after or ZERO) if params.type in _UPDATABLE else held_back
    slack = Duration(max(left.slack, right.slack).us + own.us)
    spark_slack = Duration(max(left.spark_slack, right.spark_slack).us + held_back.us)
    span = max(abs(bound.us) for bound in (before or ZERO, after or ZERO))
    lookback = Duration(max(left.lookback, right.lookback).us + span)
    less = left.trails_less or right.trails_less
    less |= params.type == "semi" and before is not None and after is not None and before > after
    if params.type in ONE_SIDED:
        return replace(
            left, kind="append", slack=slack, spark_slack=spark_slack, trails_less=less, lookback=lookback
        )
    return Relation(
        schema=pair_schema(
            left.schema,
            right.schema,
            names,
            left_missing=params.type in ("right", "full"),
            right_missing=params.type in ("left", "full"),
        ),
        identity_kind="pair",
        inner_layouts=(left.identity_layout, right.identity_layout),
        unions=(*left.unions, *right.unions),
        slack=slack,
        spark_slack=spark_slack,
        trails_less=less,
        lookback=lookback,
        system=("_time",),
        row_bytes=left.row_bytes + right.row_bytes,
        untyped=left.untyped | {names.get(name, name) for name in right.untyped},
        has_unknown_fields=left.has_unknown_fields or right.has_unknown_fields,
    )


def _held_back(kind: JoinType, before: Duration | None, after: Duration | None) -> Duration:
    """How far Spark holds the watermark back behind the join: by how long a row waits, in whole milliseconds,
    and one more. Of a semi join only the left rows count, which wait for `after`.
    """
    if before is None or after is None:
        return ZERO
    waits = after if kind == "semi" else max(before, after)
    whole = -(-waits.us // MILLISECOND.us) * MILLISECOND.us
    return max(Duration(whole + MILLISECOND.us), ZERO)


def state_entries(bound: JoinBound, given: InputRate) -> int | None:
    """The rows of both sides that may still find a match; without bounds the rows of a day.

    A row waits for the whole of the bound that lies ahead of it, also where the range begins later.
    """
    if bound.before is None or bound.after is None:
        return given.rows_in_a_day
    span = max(bound.before.us + bound.after.us, bound.before.us, bound.after.us)
    return given.rows_in(Duration(span + given.delay.us + bound.slack.us))


def stored_state(bound: JoinBound, context: StateContext) -> StoredState:
    """The meaning of the stored rows of both sides with the fields that are read, of keys, time bounds and
    condition.
    """
    digests, sides = context.digests, context.inputs
    left, right = (relation.identity_layout for relation in context.relations)
    # Of the right rows of semi and anti joins no identity is kept.
    layouts = [left] if bound.type in ONE_SIDED else [left, right]
    pair = (_pair_meanings if bound.type in ONE_SIDED else meanings)(bound, digests, sides)
    between = None
    if bound.before is not None and bound.after is not None:
        between = [bound.before.us, bound.after.us]
    return side_meanings(
        context,
        {"type": bound.type, "slack": bound.slack.us},
        bound.on,
        {
            "between": between,
            "where": bound.where and digest([over_meanings(bound.where, pair)]),
            **({"identities": layouts} if any(layouts) else {}),
            **context.clock(0, 1),
        },
    )


def state_read(bound: JoinBound, read: RowsRead) -> StateRead:
    """The rows of both sides. Keys, and fields of the condition, are left out where nothing reads them of a
    pair, or Spark meets the condition before the join; identities, too.
    """
    names = dict(bound.names)
    of_pair = sides_read(read.fields, names, ())
    spare = sides_read(bound.where.fields if bound.where is not None else frozenset(), names, bound.on)
    sides = fields_read(bound, {"": read.fields})
    identities = (read.identity, read.identity and bound.type not in ONE_SIDED)
    return StateRead(
        tuple(
            RowsRead(fields, identity, read.measures)
            for fields, identity in zip(sides, identities, strict=True)
        ),
        sides,
        spare=spare,
        left_out=tuple(one - needed for one, needed in zip(spare, of_pair, strict=True)),
    )


def _pair_meanings(bound: JoinBound, digests: FieldDigests, sides: tuple[str, ...]) -> dict[str, str]:
    """The meanings of the fields that the join's condition may read."""
    left, right = (digests.fields[side] for side in sides)
    return {**left, **{name: right[field] for field, name in bound.names}}


def meanings(bound: JoinBound, digests: FieldDigests, sides: tuple[str, ...]) -> dict[str, str]:
    """Fields of semi, anti and inner joins keep their meaning; in outer joins, where either row may be
    missing, it includes the join's type. The event time of a pair means both times and `time`.
    """
    left, right = (digests.fields[side] for side in sides)
    if bound.type in ONE_SIDED:
        return dict(left)
    joined = _pair_meanings(bound, digests, sides)
    times = [left["_time"], right["_time"]]
    if bound.type == "inner":
        return {**joined, "_time": _time_of_pairs(bound, digests, times, [*times, bound.time])}
    made = {name: digest([bound.type, meaning]) for name, meaning in joined.items()}
    digests.parents.update({made[name]: frozenset((meaning,)) for name, meaning in joined.items()})
    return {**made, "_time": _time_of_pairs(bound, digests, times, [bound.type, *times, bound.time])}


def _time_of_pairs(bound: JoinBound, digests: FieldDigests, times: list[str], meaning: list[str]) -> str:
    made = digest(meaning)
    digests.parents[made] = frozenset(times)
    if bound.time != "later":
        digests.chosen_times.add(made)
    return made


def lineage(bound: JoinBound, names: Iterable[str], inputs: list[ColumnSources]) -> ColumnSources:
    """A pair's event time comes from the side or sides that `time` names; a row without a match keeps its
    own, so an outer join adds the sides that it preserves.
    """
    left, right = inputs
    if bound.type in ONE_SIDED:
        return same_columns(bound, names, inputs)
    found = columns_of_sides(bound.names, names, left, right)
    if TIME in found:
        sides = {"left": [left], "right": [right], "later": [left, right]}[bound.time]
        outer = [left] if bound.type in ("left", "full") else []
        outer += [right] if bound.type in ("right", "full") else []
        found[TIME] = merged(side.get(TIME, NOTHING) for side in (*sides, *outer))
    return found


def script_settings(bound: JoinBound) -> tuple[Setting, ...]:
    """A semi join needs a setting that stops Spark from pushing it below upstream steps."""
    return ("semi joins",) if bound.type == "semi" else ()


def row_identity(bound: JoinBound, step: ScriptStep) -> list[DataType]:
    """The types of both rows' identities; for semi and anti those of the left row's."""
    if bound.type in ONE_SIDED:
        return list(step.inputs[0].row_identity)
    return [given.identity_struct for given in step.inputs]


OPERATOR: Final = Operator(
    name="join",
    parameters=JoinStep,
    summary="Pairs of rows of two streams with equal keys, within a time limit.",
    example="{op: join, left: searches, right: clicks, on: {id: search}, between: {before: 0s, after: 1m}}",
    check=check,
    fields_read=fields_read,
    computed=computes_nothing,
    row_wise=False,
    keeps_rows=False,
    static_inputs=no_static_inputs,
    computes_input=False,
    realtime=realtime,
    prefers_microbatch=no_reason,
    output_modes=output_modes,
    rows_out=one_row,
    drops_late_rows=always,
    late_row_factor=1,
    acts_alone=never,
    sorts_batches=False,
    refuses_expiry_below=always,
    lowering_revision=2,
    state=state,
    state_entries=state_entries,
    entry_bytes=row_bytes,
    stored_state=stored_state,
    state_read=state_read,
    meanings=meanings,
    lineage=lineage,
    script=script,
    script_settings=script_settings,
    row_identity=row_identity,
    deletes=deletes_like_input,
)
