"""Joins as queries, whose sides have aliases."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from jobs.base.durations import Duration, parse_duration
from jobs.sql.write_conditions import as_rest
from jobs.sql.write_values import expression_slice, interval_sql, name_sql, reference_sql, value_sql

Step = Mapping[str, Any]
"""A step's parameters as the document has them: what it leaves out is not there."""
Aliases = tuple[str, str]
"""Of the left and the right side."""

_JOIN_WORDS: Final = {
    "inner": "JOIN",
    "left": "LEFT JOIN",
    "right": "RIGHT JOIN",
    "full": "FULL JOIN",
    "semi": "LEFT SEMI JOIN",
    "anti": "LEFT ANTI JOIN",
}


def _join(step: Step, aliases: Aliases) -> str:
    first, second = aliases
    conditions = _keys(step, first, second)
    between = step.get("between")
    if between is not None:
        low = _moment(first, between.get("before", "0s"), -1)
        high = _moment(first, between["after"], 1)
        conditions.append(f"{second}._time BETWEEN {low} AND {high}")
    if step.get("where") is not None:
        conditions.append(f"({as_rest(expression_slice(step['where']))})")
    options = {name: step[name] for name in ("prefix", "time") if name in step}
    return "\n".join(
        [
            "SELECT *",
            f"FROM {reference_sql(step['left'])} AS {first}",
            f"{_JOIN_WORDS[step.get('type', 'inner')]} {reference_sql(step['right'])} AS {second}",
            f"  ON {' AND '.join(conditions) or 'TRUE'}",
            *_with(options),
        ]
    )


def _moment(alias: str, distance: str, sign: int) -> str:
    us = sign * parse_duration(distance).us
    if us == 0:
        return f"{alias}._time"
    interval = interval_sql(Duration(abs(us)))
    return f"{alias}._time {'+' if us > 0 else '-'} {interval}"


def _keys(step: Step, first: str, second: str) -> list[str]:
    return [f"{first}.{name_sql(left)} = {second}.{name_sql(right)}" for left, right in step["on"].items()]


def _table_join(step: Step, aliases: Aliases) -> str:
    first, second = aliases
    as_of = f"{first}._time" if step.get("version") == "as_of" else "PROCTIME()"
    conditions = _keys(step, first, second)
    options = {name: step[name] for name in ("prefix", "retention") if name in step}
    if step.get("broadcast") is not None:
        options["broadcast"] = step["broadcast"] or True
    return "\n".join(
        [
            "SELECT *",
            f"FROM {reference_sql(step['input'])} AS {first}",
            f"{_JOIN_WORDS[step.get('type', 'inner')]} {reference_sql(step['table'])}"
            f" FOR SYSTEM_TIME AS OF {as_of} AS {second}",
            f"  ON {' AND '.join(conditions) or 'TRUE'}",
            *_with(options),
        ]
    )


def _with(options: Mapping[str, Any]) -> list[str]:
    given = ", ".join(f"{name} = {value_sql(value)}" for name, value in options.items())
    return [f"  WITH ({given})"] if given else []


JOINS: Final[dict[str, Callable[[Step, Aliases], str]]] = {"join": _join, "table_join": _table_join}
