"""join in an exported script."""

from typing import Final

from jobs.expressions.spark_types import quoted, schema_sql
from jobs.expressions.sql_times import shifted
from jobs.operators.join_bound import JoinBound
from jobs.operators.script_step import ScriptStep, identity, marked, selected

_SPARK_TYPES: Final = {
    "inner": "inner",
    "left": "left_outer",
    "right": "right_outer",
    "full": "full_outer",
    "semi": "left_semi",
    "anti": "left_outer",
}


def script(step: ScriptStep, bound: JoinBound) -> list[str]:
    """Pairs with equal keys within the bounds; anti is a left join whose right side stayed away."""
    left, right = step.relation(0), step.relation(1)
    shift = bound.slack.us - max(left.spark_slack, right.spark_slack).us
    one_sided = bound.type in ("semi", "anti")
    lefts = [quoted(name) for name in left.schema.names]
    rights = [f"{quoted(name)} AS {quoted(joined)}" for name, joined in bound.names]
    keys = [
        (
            f"cast({quoted(p.left)} AS {schema_sql(p.type)})",
            f"cast({quoted(p.right)} AS {schema_sql(p.type)})",
        )
        for p in bound.on
    ]
    lefts += [f"{sql} AS _l_key{i}" for i, (sql, _) in enumerate(keys)]
    rights += [f"{sql} AS _r_key{i}" for i, (_, sql) in enumerate(keys)]
    own = [name for name in step.kept(0) if name != "_time"]
    lefts += (
        [f"{name} AS _l{name}" for name in own]
        if one_sided
        else [f"struct({', '.join(identity(left))}) AS _left_id"]
    )
    rights += ["true AS _r_present"] if one_sided else [f"struct({', '.join(identity(right))}) AS _right_id"]
    lines = (
        [f"# rows wait {shift} µs longer: those of upstream steps may trail the watermark"] if shift else []
    )
    lines += [
        *selected("lefts", step.input(0), [*lefts, f"{shifted('_time', shift)} AS _l_time"]),
        *selected("rights", step.input(1), [*rights, f"{shifted('_time', shift)} AS _r_time"]),
        marked("lefts", "_l_time"),
        marked("rights", "_r_time"),
        f"joined = lefts.join(rights, F.expr({bound.condition('_time')!r}), {_SPARK_TYPES[bound.type]!r})",
    ]
    declared = [quoted(name) for name in step.output.schema.names]
    if one_sided:
        if bound.type == "anti":
            lines.append("joined = joined.where('_r_present IS NULL')")
        system = [f"{shifted('_l_time', -shift)} AS _time", *(f"_l{name} AS {name}" for name in own)]
        return [*lines, *selected(step.rows, "joined", [*declared, *system]), marked(step.rows)]
    time = {
        "later": "greatest(_l_time, _r_time)",
        "left": "coalesce(_l_time, _r_time)",
        "right": "coalesce(_r_time, _l_time)",
    }[bound.time]
    system = [f"{shifted(time, -shift)} AS _time", "_left_id", "_right_id"]
    return [*lines, *selected(step.rows, "joined", [*declared, *system]), marked(step.rows)]
