"""A checked tree as text of our own language: the same meaning always gives the same text,
and reading it gives the same tree.
"""

from datetime import date, datetime
from decimal import Decimal as Number
from typing import Final

from jobs.base.durations import Duration
from jobs.base.instants import instant_of, instant_text
from jobs.base.types import INT_RANGE, NULL, type_text
from jobs.expressions.coercion import natural_decimal
from jobs.expressions.nodes import Call, Case, Cast, Column, Lambda, Literal, MemberOf, Tree, Variable
from jobs.expressions.operators import TRIED
from jobs.expressions.spark_types import quoted
from jobs.expressions.texts_sql import string_sql
from jobs.expressions.write_spark import variable_name

_FORMS: Final = {
    **{
        sign: f"({{0}} {sign} {{1}})"
        for sign in (
            "+",
            "-",
            "*",
            "/",
            "%",
            "div",
            "=",
            "<>",
            "<",
            "<=",
            ">",
            ">=",
            "<=>",
            "and",
            "or",
            "||",
            "like",
            "ilike",
        )
    },
    **{f"double {sign}": f"({{0}} {sign} {{1}})" for sign in "+-*"},
    "time +": "({0} + {1})",
    "time -": "({0} - {1})",
    "date +": "({0} + {1})",
    "date -": "({0} - {1})",
    "date span": "({0} - {1})",
    "span": "({0} - {1})",
    **{f"try {sign}": f"{name}({{0}}, {{1}})" for name, sign in TRIED.items()},
    **{
        f"try {kind} {sign}": f"{name}({{0}}, {{1}})"
        for name, sign in TRIED.items()
        for kind in ("time", "date")
    },
    "negative": "(- {0})",
    "not": "(not {0})",
    "between": "({0} between {1} and {2})",
    "regexp_like": "({0} rlike {1})",
    "in": "({0} in ({rest}))",
    "item": "{0}[{1}]",
    "entry": "{0}[{1}]",
}


def write_text(tree: Tree) -> str:
    """The text of a tree."""
    match tree:
        case Literal():
            return _literal(tree)
        case Column(name):
            return quoted(name)
        case MemberOf(argument, name):
            return f"{write_text(argument)}.{quoted(name)}"
        case Call():
            return _call(tree)
        case Variable():
            return quoted(variable_name(tree))
        case Lambda():
            return _lambda(tree)
        case Cast(argument, data_type, _, quiet):
            return f"{'try_cast' if quiet else 'cast'}({write_text(argument)} as {type_text(data_type)})"
        case Case():
            return _case(tree)


def _call(call: Call) -> str:
    texts = [write_text(argument) for argument in call.arguments]
    form = _FORMS.get(call.name, call.name + "({all})")
    return form.format(*texts, all=", ".join(texts), rest=", ".join(texts[1:]))


def _lambda(function: Lambda) -> str:
    names = ", ".join(quoted(variable_name(variable)) for variable in function.variables)
    return f"({names}) -> {write_text(function.body)}"


def _case(case: Case) -> str:
    text = "".join(
        f" when {write_text(condition)} then {write_text(value)}" for condition, value in case.branches
    )
    last = f" else {write_text(case.otherwise)}" if case.otherwise is not None else ""
    return f"(case{text}{last} end)"


def _literal(literal: Literal) -> str:
    value = literal.value
    match value:
        case None:
            return "null" if literal.type == NULL else f"cast(null as {type_text(literal.type)})"
        case bool():
            return "true" if value else "false"
        case int() | float() | Number():
            return _number(value, literal)
        case str():
            return string_sql(value)
        case datetime():
            return f"timestamp '{instant_text(instant_of(value))}'"
        case date():
            return f"date '{value.isoformat()}'"
        case Duration():
            return f"duration('{value}')"
    raise TypeError(f"{type(value).__name__} is not a literal's value")


def _number(value: int | float | Number, literal: Literal) -> str:
    match value:
        case int():
            return _cast_unless(
                natural=type_text(literal.type) == ("int" if value in INT_RANGE else "long"),
                text=f"({value})" if value < 0 else str(value),
                literal=literal,
            )
        case float():
            return f"({value!r}e0)" if "e" not in repr(value) else f"({value!r})"
        case Number():
            text = format(value, "f")
            whole = "." not in text
            return _cast_unless(
                natural=natural_decimal(value) == literal.type and not whole,
                text=f"({text})",
                literal=literal,
            )


def _cast_unless(*, natural: bool, text: str, literal: Literal) -> str:
    return text if natural else f"cast({text} as {type_text(literal.type)})"
