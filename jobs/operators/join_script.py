"""The script of join."""

from typing import Final

from jobs.expressions.spark_types import quoted
from jobs.expressions.sql_times import shifted
from jobs.operators.join_bound import ONE_SIDED, JoinBound
from jobs.operators.join_fields import left_keys, right_keys
from jobs.operators.script_step import ScriptStep, identity, marked, selected

_SPARK_TYPES: Final = {
    "inner": "inner",
    "left": "left_outer",
    "right": "right_outer",
    "full": "full_outer",
    "semi": "left_semi",
    "anti": "left_outer",
}


_PAIR_TIMES: Final = {
    "later": "greatest(_l_time, _r_time)",
    "left": "coalesce(_l_time, _r_time)",
    "right": "coalesce(_r_time, _l_time)",
}


def script(step: ScriptStep, bound: JoinBound) -> list[str]:
    """Lines that join the rows; anti is a left join that keeps only rows without a right row."""
    shift = bound.slack.us - max(step.relation(0).spark_slack, step.relation(1).spark_slack).us
    declared = [quoted(name) for name in step.output.schema.names]
    system = _left_row(step, shift) if bound.type in ONE_SIDED else _pair(bound, shift)
    return [
        *(
            [f"# rows wait {shift} µs longer: those of upstream steps may trail the watermark"]
            if shift
            else []
        ),
        *selected("lefts", step.input(0), [*_lefts(step, bound), f"{shifted('_time', shift)} AS _l_time"]),
        *selected("rights", step.input(1), [*_rights(step, bound), f"{shifted('_time', shift)} AS _r_time"]),
        marked("lefts", "_l_time"),
        marked("rights", "_r_time"),
        f"joined = lefts.join(rights, F.expr({bound.condition('_time')!r}), {_SPARK_TYPES[bound.type]!r})",
        *(["joined = joined.where('_r_present IS NULL')"] if bound.type == "anti" else []),
        *selected(step.rows, "joined", [*declared, *system]),
        marked(step.rows),
    ]


def _lefts(step: ScriptStep, bound: JoinBound) -> list[str]:
    """Columns of the left side: fields and keys, then the row's identity; for semi and anti, all system
    columns except the event time, because the row leaves the join unchanged.
    """
    left = step.relation(0)
    own = [f"struct({', '.join(identity(left))}) AS _left_id"]
    if bound.type in ONE_SIDED:
        own = [f"{name} AS _l{name}" for name in _beside(step)]
    keys = [f"{sql} AS {key}" for key, sql in left_keys(bound.on).items()]
    return [*map(quoted, left.schema.names), *keys, *own]


def _rights(step: ScriptStep, bound: JoinBound) -> list[str]:
    """Columns of the right side: fields of the pair and keys, then the row's identity; for semi and anti, a
    flag that there is a row.
    """
    own = f"struct({', '.join(identity(step.relation(1)))}) AS _right_id"
    if bound.type in ONE_SIDED:
        own = "true AS _r_present"
    fields = [f"{quoted(name)} AS {quoted(joined)}" for name, joined in bound.names]
    return [*fields, *(f"{sql} AS {key}" for key, sql in right_keys(bound.on).items()), own]


def _beside(step: ScriptStep) -> list[str]:
    """The system columns of a left row except the event time."""
    return [name for name in step.kept(0) if name != "_time"]


def _left_row(step: ScriptStep, shift: int) -> list[str]:
    """The system columns of a result of semi and anti, which is a left row again."""
    return [f"{shifted('_l_time', -shift)} AS _time", *(f"_l{name} AS {name}" for name in _beside(step))]


def _pair(bound: JoinBound, shift: int) -> list[str]:
    """Event time and identity of a pair, or of a row without a match."""
    return [f"{shifted(_PAIR_TIMES[bound.time], -shift)} AS _time", "_left_id", "_right_id"]
