"""join in Spark (`docs/semantics/join.md`): a native stream–stream join; anti is a left join of which only
rows without a match are kept.

Each side has one time column, marked as the watermarked one: event time plus the slack of the inputs. By it
Spark drops late rows, and from the bounds between the two times it knows when a row can't find a match any
more.
"""

from typing import Final

from pyspark.sql import Column, DataFrame

from jobs.engine.columns import column, quoted, shifted
from jobs.engine.rows import (
    LEFT_ID,
    RIGHT_ID,
    TIME,
    TIMESTAMP,
    WATERMARK_COLUMN,
    Rows,
    row_identity,
    unmarked,
)
from jobs.operators.join_bound import ONE_SIDED, JoinBound
from jobs.operators.join_fields import left_keys, right_keys
from jobs.operators.relation import Relation

_PRESENT: Final = "_r_present"
_SPARK_TYPES: Final = {
    "inner": "inner",
    "left": "left_outer",
    "right": "right_outer",
    "full": "full_outer",
    "semi": "left_semi",
    "anti": "left_outer",
}


def lower(step: str, bound: JoinBound, inputs: tuple[Rows, ...], output: Relation) -> Rows:  # noqa: ARG001
    """One row per pair and, in outer joins, per row without a match; semi and anti pass left rows on."""
    left, right = inputs
    shift = bound.slack.us - max(left.relation.spark_slack, right.relation.spark_slack).us
    joined = _left_side(left, bound, shift).join(
        _right_side(right, bound, shift), column(bound.condition("_close")), _SPARK_TYPES[bound.type]
    )
    if bound.type == "anti":
        joined = joined.where(column(f"{_PRESENT} IS NULL"))
    if bound.type in ONE_SIDED:
        return _left_rows(joined, left, output, shift)
    return _pairs(joined, bound, output, shift)


def _left_side(left: Rows, bound: JoinBound, shift: int) -> DataFrame:
    declared = [column(quoted(name)) for name in left.relation.schema.names]
    own = _own(left, "_l")
    if bound.type in ONE_SIDED:
        own = [column(quoted(name), _kept(name)) for name in left.system if name != TIME]
    keys = unmarked(left_keys(bound.on))
    return left.frame.select(*declared, *own, *keys, _close("_l_close", shift))


def _right_side(right: Rows, bound: JoinBound, shift: int) -> DataFrame:
    read = [column(quoted(name), joined) for name, joined in bound.names]
    own = [column("true", _PRESENT)] if bound.type in ONE_SIDED else _own(right, "_r")
    keys = unmarked(right_keys(bound.on))
    return right.frame.select(*read, *own, *keys, _close("_r_close", shift))


def _close(name: str, shift: int) -> Column:
    return column(shifted(TIME, shift)).alias(name, metadata=WATERMARK_COLUMN)


def _own(rows: Rows, side: str) -> list[Column]:
    identity = ", ".join(quoted(name) for name in row_identity(rows.relation))
    return [column(quoted(TIMESTAMP), f"{side}_timestamp"), column(f"struct({identity})", f"{side}_id")]


def _kept(name: str) -> str:
    return f"_l{name}"


def _left_rows(joined: DataFrame, left: Rows, output: Relation, shift: int) -> Rows:
    at = column(shifted("_l_close", -shift)).alias(TIME, metadata=WATERMARK_COLUMN)
    system = [at if name == TIME else column(_kept(name), name) for name in left.system]
    declared = [column(quoted(name)) for name in output.schema.names]
    return Rows(joined.select(*declared, *system), output, left.system)


def _pairs(joined: DataFrame, bound: JoinBound, output: Relation, shift: int) -> Rows:
    # greatest and coalesce ignore the null of a missing side.
    close = {
        "later": "greatest(_l_close, _r_close)",
        "left": "coalesce(_l_close, _r_close)",
        "right": "coalesce(_r_close, _l_close)",
    }[bound.time]
    system = [
        column(shifted(close, -shift)).alias(TIME, metadata=WATERMARK_COLUMN),
        column("greatest(_l_timestamp, _r_timestamp)", TIMESTAMP),
        column("_l_id", LEFT_ID),
        column("_r_id", RIGHT_ID),
    ]
    declared = [column(quoted(name)) for name in output.schema.names]
    return Rows(joined.select(*declared, *system), output, (TIME, TIMESTAMP, LEFT_ID, RIGHT_ID))


def state_operators(bound: JoinBound) -> tuple[str, ...]:  # noqa: ARG001
    """Spark's names of the step's stateful operators."""
    return ("symmetricHashJoin",)
