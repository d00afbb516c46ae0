"""Functions of regular expressions.

The pattern is a literal, so that what it may cost is known before a job starts.

Jobs call the functions of `jvm/src/weir/patterns`, which search with RE2: Spark's own search with Java's
engine, which goes back and can take time exponential in the length of a text. Stand-alone scripts have
Spark's (`jobs.expressions.plain_spark`).
"""

import re
from collections.abc import Callable
from typing import Final

from jobs.base.types import BOOLEAN, INT, STRING, Array, DataType
from jobs.expressions.functions.function import (
    Function,
    LiteralParam,
    Nulls,
    Parameter,
    Signature,
    no_argument_error,
)
from jobs.expressions.functions.literal_params import integer
from jobs.expressions.nodes import Literal, Tree
from jobs.expressions.regex_safety import canonical_regex, every_match_complaint, group_count, regex_complaint
from jobs.expressions.texts_sql import string_sql

_REPLACEMENT: Final = re.compile(r"(?:[^\\$]|\$[0-9])*", re.DOTALL)
_MAX_REPLACEMENT: Final = 100
_MAX_GROUP: Final = 9
Complaint = Callable[[str], str | None]


def _complaint_of(complaint_of: Complaint) -> Callable[[object], str | None]:
    def complaint(value: object) -> str | None:
        if not isinstance(value, str):
            return "must be a string literal"
        found = complaint_of(value)
        return f"isn't supported: {found[0].lower()}{found[1:].rstrip('.')}" if found else None

    return complaint


def _replacement_complaint(value: object) -> str | None:
    if isinstance(value, str) and len(value) <= _MAX_REPLACEMENT and _REPLACEMENT.fullmatch(value):
        return None
    return (
        f"must be a string literal of at most {_MAX_REPLACEMENT} characters, without backslashes; $ must "
        "be followed by a group number"
    )


_ONE: Final = LiteralParam(STRING, _complaint_of(regex_complaint), "pattern literal")
_EVERY: Final = LiteralParam(STRING, _complaint_of(every_match_complaint), "pattern literal")
_INTO: Final = LiteralParam(STRING, _replacement_complaint, "replacement literal")
_GROUP: Final = integer(0, _MAX_GROUP, "group literal")


def _value(tree: Tree) -> str:
    return str(tree.value) if isinstance(tree, Literal) else ""


def _no_such_group(arguments: tuple[Tree, ...]) -> str | None:
    groups, asked = group_count(_value(arguments[1])), int(_value(arguments[2]))
    return f"the pattern has {groups} groups, so group {asked} doesn't exist." if asked > groups else None


def _no_such_reference(arguments: tuple[Tree, ...]) -> str | None:
    groups = group_count(_value(arguments[1]))
    asked = max((int(number) for number in re.findall(r"\$([0-9])", _value(arguments[2]))), default=0)
    return f"the pattern has {groups} groups, so ${asked} doesn't exist." if asked > groups else None


def _no_group(arguments: tuple[Tree, ...]) -> str | None:
    return None if group_count(_value(arguments[1])) else "the pattern has no groups."


def _called(name: str, more: str) -> Callable[[tuple[Tree, ...]], str]:
    """The call with the pattern as the engine reads it."""

    def sql(arguments: tuple[Tree, ...]) -> str:
        pattern = string_sql(canonical_regex(_value(arguments[1]))).replace("{", "{{").replace("}", "}}")
        return f"weir_{name}({{0}}, {pattern}{more})"

    return sql


def _form(
    name: str,
    parameters: tuple[Parameter, ...],
    result: DataType,
    examples: tuple[tuple[str, object], ...],
    check_arguments: Callable[[tuple[Tree, ...]], str | None] = no_argument_error,
    more: str | None = None,
) -> Signature:
    behind = ", {2}" if len(parameters) == 2 else ""
    return Signature(
        (STRING, *parameters),
        result,
        examples,
        _called(name, behind if more is None else more),
        check_arguments=check_arguments,
    )


def _f(
    name: str, doc: str, *signatures: Signature, nulls: Nulls = Nulls.STRICT, aliases: tuple[str, ...] = ()
) -> Function:
    return Function(
        name=name, theme="pattern", doc=doc, nulls=nulls, sql="", signatures=signatures, aliases=aliases
    )


PATTERNS: Final = (
    _f(
        "regexp_like",
        "True if a part of the string matches; the same as RLIKE.",
        _form(
            "regexp_like",
            (_ONE,),
            BOOLEAN,
            (("regexp_like('abc', 'b+')", True), ("regexp_like('a-c', '^a.*c$')", True)),
        ),
        aliases=("rlike",),
    ),
    _f(
        "regexp_extract",
        "A group of the first match (0 is the whole match; default 1); empty if nothing matches.",
        _form(
            "regexp_extract",
            (_ONE,),
            STRING,
            (("regexp_extract('user=ann;', 'user=([a-z]+);')", "ann"),),
            _no_group,
            ", 1",
        ),
        _form(
            "regexp_extract",
            (_ONE, _GROUP),
            STRING,
            (
                ("regexp_extract('x', '[0-9]', 0)", ""),
                ("regexp_extract('a-12', '([a-z]+)-([0-9]+)', 2)", "12"),
            ),
            _no_such_group,
        ),
    ),
    _f(
        "regexp_extract_all",
        "A group of every match (0 is the whole match).",
        _form(
            "regexp_extract_all",
            (_EVERY, _GROUP),
            Array(STRING, nullable=True),
            (
                ("regexp_extract_all('a1 b22', '[0-9]+', 0)", ["1", "22"]),
                ("regexp_extract_all('a1 b22', '([0-9]+)( |$)', 1)", ["1", "22"]),
            ),
            _no_such_group,
        ),
    ),
    _f(
        "regexp_replace",
        "Replaces every match; $1 in the replacement is the first group.",
        _form(
            "regexp_replace",
            (_EVERY, _INTO),
            STRING,
            (
                ("regexp_replace('a-1 b-2', '([a-z])-([0-9])', '$2$1')", "1a 2b"),
                ("regexp_replace('a  b', ' +b', '-')", "a-"),
            ),
            _no_such_reference,
        ),
    ),
    _f(
        "regexp_count",
        "Number of matches.",
        _form(
            "regexp_count",
            (_EVERY,),
            INT,
            (("regexp_count('a1 b22', '[0-9]+')", 2), ("regexp_count('ab b', 'a*b')", 2)),
        ),
    ),
    _f(
        "regexp_substr",
        "The first match; null, not counted, if nothing matches, or the empty string first.",
        _form(
            "regexp_substr",
            (_ONE,),
            STRING,
            (("regexp_substr('a12b', '[0-9]+')", "12"), ("regexp_substr('ab-aab', 'a+b')", "ab")),
        ),
        nulls=Nulls.OWN,
    ),
    _f(
        "regexp_instr",
        "Position of the first match, from 1; 0 if nothing matches.",
        _form(
            "regexp_instr",
            (_ONE,),
            INT,
            (("regexp_instr('a12b', '[0-9]+')", 2), ("regexp_instr('x-aab', 'a+b')", 3)),
        ),
    ),
)
