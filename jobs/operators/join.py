"""join: two streams, row by row within bounds of time (`docs/semantics/join.md`)."""

from dataclasses import dataclass, replace
from typing import Final, Literal

from jobs.base.durations import ZERO, Duration
from jobs.base.problems import Problem, has_errors, problem, warning
from jobs.expressions import Expression
from jobs.expressions.sql_times import interval
from jobs.operators.append_only import require_append_only
from jobs.operators.expression_checks import condition_over
from jobs.operators.join_fields import KeyPair, check_keys, pair_schema, right_names, sides_read
from jobs.operators.parameters import MAX_SPAN, DurationText, ExpressionText, NameText, Parameters, check_duration
from jobs.operators.relation import Relation, StepCheck
from jobs.operators.requirements import APPEND_ONLY, BOTH_MODES, Needed, OutputMode, StateBound

JoinType = Literal["inner", "left", "right", "full", "semi", "anti"]
PairTime = Literal["later", "left", "right"]

MILLISECOND: Final = Duration(1_000)
_ONE_SIDED: Final = ("semi", "anti")
_UPDATABLE: Final = ("inner", "semi")
_NO_ORDER: Final = Duration(-MAX_SPAN.us)

Path = tuple[str, ...]


class TimeBounds(Parameters):
    """``−before ≤ right time − left time ≤ after``, both ends included; either may be negative, their sum may not."""

    before: DurationText = "0s"
    after: DurationText


class JoinStep(Parameters):
    """Pairs of rows of two streams whose key fields are equal and whose times lie within `between`.

    `type`: inner gives pairs; left, right and full also the rows of that side that found none; semi gives each left row
    that found one, anti each that found none. `where` reads the fields of both sides. `prefix` goes before the names of
    right fields that the left has too. `time` says which time a pair gets.
    """

    op: Literal["join"]
    left: NameText
    right: NameText
    type: JoinType = "inner"
    on: dict[str, NameText]
    between: TimeBounds | None = None
    where: ExpressionText | None = None
    prefix: NameText = ""
    time: PairTime = "later"

    def inputs(self) -> tuple[tuple[str, str], ...]:
        """Left, then right."""
        return (("left", self.left), ("right", self.right))


@dataclass(frozen=True, slots=True)
class JoinBound:
    """What the lowering needs.

    Attributes:
        type: of the join.
        on: at least one pair of key fields.
        before: how much earlier the right row may be; None without bounds.
        after: how much later; None without bounds.
        where: over the pair's fields, or None.
        names: (right field, its name in the pair) of every right field that a pair has, in order; the rows of semi and anti are left rows,
            so there only of those that `where` reads.
        time: of a pair.
        slack: of the inputs: rows are late by it, and null rows due after it.
    """

    type: JoinType
    on: tuple[KeyPair, ...]
    before: Duration | None
    after: Duration | None
    where: Expression | None
    names: tuple[tuple[str, str], ...]
    time: PairTime
    slack: Duration

    @property
    def keys_meet(self) -> list[str]:
        """What holds for the keys of a pair, in Spark's SQL over the columns `_l_key0`, `_r_key0` and so on; null meets nobody."""
        indexes = range(len(self.on))
        equal = [f"_l_key{i} = _r_key{i}" for i in indexes]
        # Spark 4.3 looks a full join's partners up by the bytes of the key, where null equals null; from all other joins it keeps null
        # keys away by itself. Said of both sides at once, because a row that fails a condition of its own side appears before its time.
        present = [f"coalesce(_l_key{i}, _r_key{i}) IS NOT NULL" for i in indexes] if self.type == "full" else []
        return [*equal, *present]

    def condition(self, time: str) -> str:
        """When two rows are a pair, in Spark's SQL over the columns of `keys_meet`, and their times: ``_l`` or ``_r`` and this name."""
        left, right, parts = f"_l{time}", f"_r{time}", self.keys_meet
        if self.before is None:
            # Always true. Spark refuses late rows by a time that something reads; without bounds, and where nothing reads the pairs' time,
            # it would leave the times out.
            parts.append(f"NOT (unix_micros(least({left}, {right})) <=> -9000000000000000000L)")
        if self.before is not None and self.after is not None:
            parts += [f"{right} >= {left} + {interval(Duration(-self.before.us))}", f"{right} <= {left} + {interval(self.after)}"]
        if self.where is not None:
            # Of a row that may stay alone Spark would ask at once what it can tell without a partner, and give it out before it is due.
            of_pairs = "" if self._lets_go(self.where.fields) else " <=> (_l_key0 <=> _r_key0)"
            parts.append(f"(({self.where.sql}){of_pairs})")
        return " AND ".join(parts)

    def _lets_go(self, fields: frozenset[str]) -> bool:
        """A condition on these fields may take rows away before they are joined: those of sides that give no row alone."""
        of_right = fields & {name for _, name in self.names}
        alone = {"left": fields - of_right, "anti": fields - of_right, "right": of_right, "full": fields}
        return not alone.get(self.type)


def fields_read(bound: JoinBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """Of each side what is read below, its keys, and what the condition reads."""
    of_pair = needed.get("", frozenset()) | (bound.where.fields if bound.where else frozenset())
    return sides_read(of_pair, dict(bound.names), bound.on)


def realtime(bound: JoinBound) -> str:  # noqa: ARG001
    """Spark joins streams in micro-batches only."""
    return "joins two streams, which needs micro-batch mode."


def output_modes(bound: JoinBound) -> frozenset[OutputMode]:
    """Rows without a partner are known late and once: in append mode only."""
    return BOTH_MODES if bound.type in _UPDATABLE else APPEND_ONLY


def state(bound: JoinBound, inputs: tuple[Relation, ...]) -> StateBound:  # noqa: ARG001
    """Rows of both sides, until no partner can come."""
    if bound.before is None:
        return StateBound("unbounded", "all rows of both sides, never dropped, because between is not set")
    return StateBound("bounded", "rows of both sides, dropped when the watermark rules out a later match")


def check(params: JoinStep, inputs: tuple[Relation, ...], path: Path) -> StepCheck[JoinBound]:
    """Append × append → append. Identity: those of both rows; of semi and anti the left row's."""
    left, right = inputs
    problems = _check_inputs(params, inputs, path)
    on, found = check_keys(params.on, left, right, (*path, "on"))
    problems += found
    before, after, found = _check_bounds(params, path)
    problems += found
    names, found = right_names(left.schema, right.schema, params.prefix, path)
    problems += found if params.type not in _ONE_SIDED or params.where is not None else []
    where, found = _check_where(params, left, right, names, path)
    problems += found
    problems += _check_time(params, path)
    in_pair = {name: joined for name, joined in names.items() if params.type not in _ONE_SIDED or (where and joined in where.fields)}
    slack = max(left.slack, right.slack)
    output = _output(params, left, right, names, max(before or ZERO, after or ZERO), bounded=before is not None)
    if has_errors(problems) or len(on) < len(params.on) or (params.where is not None and where is None):
        return StepCheck(None, output, problems)
    return StepCheck(JoinBound(params.type, on, before, after, where, tuple(in_pair.items()), params.time, slack), output, problems)


def _check_inputs(params: JoinStep, inputs: tuple[Relation, ...], path: Path) -> list[Problem]:
    found: list[Problem] = []
    if params.left == params.right:
        message = f"Both sides of the join are {params.left}."
        found.append(
            problem("SELF_JOIN", (*path, "right"), message, "To join a stream with itself, define two sources with different names.")
        )
    for side, relation in zip(("left", "right"), inputs, strict=True):
        found += require_append_only(relation, (*path, side), "join", f"its {side} side")
    return found


def _check_bounds(params: JoinStep, path: Path) -> tuple[Duration | None, Duration | None, list[Problem]]:
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
            [problem("JOIN_UNBOUNDED", field_path, f"{message} {what} needs one to know when a row has no more matches.", hint)],
        )
    before, problems = check_duration(params.between.before, (*field_path, "before"), min=_NO_ORDER, code="JOIN_RANGE")
    after, found = check_duration(params.between.after, (*field_path, "after"), min=_NO_ORDER, code="JOIN_RANGE")
    problems += found
    if before is not None and after is not None and before.us + after.us < 0:
        message = f"The time range is empty: from {Duration(-before.us)} to {after} after the left row."
        problems.append(problem("JOIN_RANGE", field_path, message, "Choose values whose sum is not negative."))
    return before, after, problems


def _check_where(
    params: JoinStep, left: Relation, right: Relation, names: dict[str, str], path: Path
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


def _check_time(params: JoinStep, path: Path) -> list[Problem]:
    if params.type in _ONE_SIDED and params.time == "right":
        message = f"time doesn't apply to a {params.type} join, whose rows keep the time of the left row."
        return [problem("PARAMETER_RANGE", (*path, "time"), message, "Remove time.")]
    return []


def _output(params: JoinStep, left: Relation, right: Relation, names: dict[str, str], own: Duration, *, bounded: bool) -> Relation:
    slack = Duration(max(left.slack, right.slack).us + own.us)
    held = max(left.spark_slack, right.spark_slack)
    # After a bounded join Spark holds its watermark back by the wider bound and one millisecond.
    spark_slack = Duration(held.us + own.us + MILLISECOND.us) if bounded else held
    if params.type in _ONE_SIDED:
        return replace(left, kind="append", slack=slack, spark_slack=spark_slack)
    return Relation(
        schema=pair_schema(
            left.schema,
            right.schema,
            names,
            left_missing=params.type in ("right", "full"),
            right_missing=params.type in ("left", "full"),
        ),
        identity_kind="pair",
        slack=slack,
        spark_slack=spark_slack,
        system=("_time",),
        untyped=left.untyped | {names.get(name, name) for name in right.untyped},
        has_unknown_fields=left.has_unknown_fields or right.has_unknown_fields,
    )
