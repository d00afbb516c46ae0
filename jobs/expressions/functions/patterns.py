"""Functions of regular expressions (Java's syntax, a small part of it). The pattern is a literal, and so is how long a text may be.

Java's matcher backtracks. What a pattern can cost is known from the pattern alone; a text longer than its bound gives null, and
is counted, rather than stall an engine (`jobs.expressions.patterns`).
"""

import re
from collections.abc import Callable
from typing import Final

from jobs.base.types import BOOLEAN, INT, STRING, Array, DataType
from jobs.expressions.functions.constants import whole
from jobs.expressions.functions.function import Constant, Function, Nulls, Parameter, Signature, no_complaint
from jobs.expressions.nodes import Literal, Tree
from jobs.expressions.patterns import FREE_TEXT, group_count, regex_complaint, text_bound

_REPLACEMENT: Final = re.compile(r"(?:[^\\$]|\$[0-9])*", re.DOTALL)
_MAX_REPLACEMENT: Final = 100


def _pattern_complaint(value: object) -> str | None:
    if not isinstance(value, str):
        return "must be a text literal"
    complaint = regex_complaint(value)
    return f"is not allowed: {complaint[0].lower()}{complaint[1:].rstrip('.')}" if complaint else None


def _replacement_complaint(value: object) -> str | None:
    if isinstance(value, str) and len(value) <= _MAX_REPLACEMENT and _REPLACEMENT.fullmatch(value):
        return None
    return f"must be a text literal of at most {_MAX_REPLACEMENT} characters, without backslash, and $ only before a group's number"


def _free_complaint(value: object) -> str | None:
    return _pattern_complaint(value) or (None if text_bound(str(value)) >= FREE_TEXT else "is for short texts")


_FREE: Final = Constant(STRING, _free_complaint, "pattern literal")
_PATTERN: Final = Constant(STRING, _pattern_complaint, "pattern literal")
_INTO: Final = Constant(STRING, _replacement_complaint, "replacement literal")
_GROUP: Final = whole(0, 20, "group literal")


def _value(tree: Tree) -> str:
    return str(tree.value) if isinstance(tree, Literal) else ""


def _bounded(template: str) -> Callable[[tuple[Tree, ...]], str]:
    """Over the text when it is short enough for the pattern, else null."""

    def sql(arguments: tuple[Tree, ...]) -> str:
        bound = text_bound(_value(arguments[1]))
        return template.replace("{text}", f"CASE WHEN length({{0}}) <= {bound} THEN {{0}} END")

    return sql


def _no_such_group(arguments: tuple[Tree, ...]) -> str | None:
    groups, asked = group_count(_value(arguments[1])), int(_value(arguments[2]))
    return f"the pattern has {groups} groups, so there is no group {asked}." if asked > groups else None


def _no_such_reference(arguments: tuple[Tree, ...]) -> str | None:
    groups = group_count(_value(arguments[1]))
    asked = max((int(number) for number in re.findall(r"\$([0-9])", _value(arguments[2]))), default=0)
    return f"the pattern has {groups} groups, so ${asked} is none of them." if asked > groups else None


def _f(name: str, doc: str, *signatures: Signature, aliases: tuple[str, ...] = ()) -> Function:
    return Function(
        name=name,
        theme="pattern",
        doc=f"{doc} A text longer than the pattern's bound gives null, counted.",
        nulls=Nulls.ERROR,
        sql="",
        signatures=signatures,
        aliases=aliases,
    )


def _forms(
    more: tuple[Parameter, ...],
    result: DataType,
    template: str,
    examples: tuple[tuple[str, object], tuple[str, object]],
    refuses: Callable[[tuple[Tree, ...]], str | None] = no_complaint,
) -> tuple[Signature, Signature]:
    """With a pattern that any text may meet, and with one that only short texts may; an example of each."""
    free, bounded = ((example,) for example in examples)
    plain = template.replace("{text}", "{0}")
    return (
        Signature((STRING, _FREE, *more), result, free, plain, Nulls.STRICT, refuses=refuses),
        Signature((STRING, _PATTERN, *more), result, bounded, _bounded(template), refuses=refuses),
    )


PATTERNS: Final = (
    _f(
        "regexp_like",
        "True when some part of the text matches; the same as RLIKE.",
        *_forms((), BOOLEAN, "({text} RLIKE {1})", (("regexp_like('abc', 'b+')", True), ("regexp_like('a-c', 'a.*c')", True))),
        aliases=("rlike",),
    ),
    _f(
        "regexp_extract",
        "What the first match's group holds (0 is all of it, left out it is 1); empty when nothing matches.",
        *_forms(
            (),
            STRING,
            "regexp_extract({text}, {1}, 1)",
            (("regexp_extract('user=ann', 'user=([a-z])')", "a"), ("regexp_extract('user=ann;', 'user=([a-z]+);')", "ann")),
            lambda arguments: None if group_count(_value(arguments[1])) else "the pattern has no group.",
        ),
        *_forms(
            (_GROUP,),
            STRING,
            "regexp_extract({text}, {1}, {2})",
            (("regexp_extract('x', '[0-9]', 0)", ""), ("regexp_extract('a-12', '([a-z]+)-([0-9]+)', 2)", "12")),
            _no_such_group,
        ),
    ),
    _f(
        "regexp_extract_all",
        "What a group holds in every match (0 is all of it).",
        *_forms(
            (_GROUP,),
            Array(STRING, nullable=True),
            "regexp_extract_all({text}, {1}, {2})",
            (("regexp_extract_all('a1 b22', '[0-9]+', 0)", ["1", "22"]), ("regexp_extract_all('a1 b22', '([0-9]+)( |$)', 1)", ["1", "22"])),
            _no_such_group,
        ),
    ),
    _f(
        "regexp_replace",
        "Every match replaced; $1 in the replacement is what the first group holds.",
        *_forms(
            (_INTO,),
            STRING,
            "regexp_replace({text}, {1}, {2})",
            (("regexp_replace('a-1 b-2', '([a-z])-([0-9])', '$2$1')", "1a 2b"), ("regexp_replace('a  b', ' +b', '-')", "a-")),
            _no_such_reference,
        ),
    ),
    _f(
        "regexp_count",
        "Number of matches.",
        *_forms((), INT, "regexp_count({text}, {1})", (("regexp_count('a1 b22', '[0-9]+')", 2), ("regexp_count('ab b', 'a*b')", 2))),
    ),
    _f(
        "regexp_substr",
        "The first match; null, not counted, when nothing matches.",
        Signature((STRING, _FREE), STRING, (("regexp_substr('a12b', '[0-9]+')", "12"),), "regexp_substr({0}, {1})", Nulls.OWN),
        Signature(
            (STRING, _PATTERN),
            STRING,
            (("regexp_substr('ab-aab', 'a+b')", "ab"),),
            _bounded("regexp_substr({text}, {1})"),
            failure=lambda arguments: f"((length({{0}}) > {text_bound(_value(arguments[1]))}) <=> TRUE)",
        ),
    ),
    _f(
        "regexp_instr",
        "Place of the first match, from 1; 0 when nothing matches.",
        *_forms((), INT, "regexp_instr({text}, {1})", (("regexp_instr('a12b', '[0-9]+')", 2), ("regexp_instr('x-aab', 'a+b')", 3))),
    ),
)
