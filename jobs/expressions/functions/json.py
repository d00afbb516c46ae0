"""Functions of JSON texts."""

import re
from typing import Final

from jobs.base.types import (
    BOOLEAN,
    DOUBLE,
    INT,
    LONG,
    STRING,
    Array,
    DataType,
    Decimal,
    Map,
    Struct,
    TypeTextError,
    parse_type,
)
from jobs.expressions.functions.function import Function, LiteralParam, Nulls, Signature, TypeVariable
from jobs.expressions.nodes import Literal, Tree
from jobs.expressions.spark_types import schema_sql
from jobs.expressions.texts_sql import INSTANT_PATTERN, string_sql

# Spark takes ['*'] for a wildcard, and passes over blanks that a name begins with.
_NAME: Final = r"\['(?!\*'\])(?!\s)[^'\\\]\[]{1,63}'\]"
_PATH: Final = re.compile(r"\$(?:\.[A-Za-z_][A-Za-z0-9_]{0,62}|\[[0-9]{1,6}\]|" + _NAME + r"){1,20}")
# Quoted ones too, whose signs may be escaped; a text with an escaped digit or e is refused whole.
_SIGN: Final = "[+-]|\\\\\\\\u002[bdBD]"
_HUGE: Final = (
    "[:,\\\\[][ \\\\t\\\\r\\\\n]*(?:-?[0-9.]+[eE][+-]?[0-9]{{4,}}"
    # A digit before and the quote behind: an id such as 12e45678-0000 is no number.
    f'|["\\\\x27](?:{_SIGN})?(?=[0-9.]|\\\\\\\\u002[eE])[0-9]*(?:(?:[.]|\\\\\\\\u002[eE])[0-9]*)?'
    f'[eE](?:{_SIGN})?[0-9]{{{{4,}}}}["\\\\x27])'
    "|(?<![0-9])[0-9]{{1001,}}|\\\\\\\\u00(?:3[0-9]|[46]5)"
)
_PLAIN: Final = (BOOLEAN, INT, LONG, DOUBLE, STRING)


def _path_complaint(value: object) -> str | None:
    if isinstance(value, str) and _PATH.fullmatch(value):
        return None
    return "must be a path such as $.user.name, $.items[0] or $['a key'], without wildcards or leading blanks"


def _type_complaint(value: object) -> str | None:
    try:
        kind = parse_type(value) if isinstance(value, str) and len(value) <= 2_000 else STRING
    except TypeTextError as error:
        return str(error)
    if isinstance(kind, Array | Map | Struct) and _readable(kind):
        return None
    return (
        "must be an array, map or struct of boolean, int, long, double, decimal and string, such as "
        "'struct<name:string,n:long>'"
    )


def _readable(kind: DataType) -> bool:
    match kind:
        case Array(element):
            return _readable(element)
        case Map(value):
            return _readable(value)
        case Struct(members):
            return all(_readable(member.type) for member in members)
        case _:
            return kind in _PLAIN or isinstance(kind, Decimal)


def _named(tree: Tree) -> DataType:
    return parse_type(str(tree.value)) if isinstance(tree, Literal) else STRING


def _no_container(arguments: tuple[Tree, ...]) -> str | None:
    return (
        None if isinstance(arguments[0].type, Array | Map | Struct) else "it takes an array, map or struct."
    )


def _f(name: str, doc: str, sql: str, *signatures: Signature, nulls: Nulls) -> Function:
    return Function(name=name, theme="json", doc=doc, nulls=nulls, sql=sql, signatures=signatures)


def _from_json_sql(arguments: tuple[Tree, ...]) -> str:
    kind = _named(arguments[1])
    # Spark reads no further than where the array ends: the second tells `1]` from `1`.
    whole = "json_array_length(concat('[', {0}, ']')) = 1 AND json_array_length(concat('[', {0}, ',0]')) = 2"
    # Spark would write 1e999999999 out, digit by digit, before it looks at the size of the decimal
    small = f" AND NOT {{0}} RLIKE '{_HUGE}'" if _holds_decimal(kind) else ""
    schema = string_sql(schema_sql(kind)).replace("{", "{{").replace("}", "}}")
    return f"CASE WHEN {whole}{small} THEN from_json({{0}}, {schema}) END"


def _holds_decimal(kind: DataType) -> bool:
    match kind:
        case Array(element):
            return _holds_decimal(element)
        case Map(value):
            return _holds_decimal(value)
        case Struct(members):
            return any(_holds_decimal(member.type) for member in members)
        case _:
            return isinstance(kind, Decimal)


JSONS: Final = (
    _f(
        "get_json_object",
        "The value at a path of a JSON string, as string; null if there is none, or the string isn't JSON.",
        "get_json_object({0}, {1})",
        Signature(
            (STRING, LiteralParam(STRING, _path_complaint, "path literal")),
            STRING,
            (
                ("get_json_object('{\"a\":{\"b\":[1,2]}}', '$.a.b[1]')", "2"),
                ("get_json_object('{\"a\":1}', '$.x')", None),
            ),
        ),
        nulls=Nulls.OWN,
    ),
    _f(
        "json_array_length",
        "Number of elements of a JSON array; null if the string is none.",
        "json_array_length({0})",
        Signature((STRING,), INT, (("json_array_length('[1,2]')", 2), ("json_array_length('{}')", None))),
        nulls=Nulls.OWN,
    ),
    _f(
        "json_object_keys",
        "Keys of a JSON object; null if the string is none.",
        "json_object_keys({0})",
        Signature(
            (STRING,),
            Array(STRING, True),
            (('json_object_keys(\'{"a":1,"b":2}\')', ["a", "b"]), ("json_object_keys('[1]')", None)),
        ),
        nulls=Nulls.OWN,
    ),
    _f(
        "from_json",
        "The value of a JSON text as an array, map or struct of the type that the second argument names; "
        "parts that are missing or of another type are null (a string takes any value, as its JSON text), "
        "and all of it when the text is not JSON or, "
        "beside a decimal, holds a number, in quotes or not, with an exponent of four digits or with 1,001 "
        "digits, or an escaped digit or e.",
        "",
        Signature(
            (STRING, LiteralParam(STRING, _type_complaint, "type literal")),
            lambda arguments: _named(arguments[1]),
            (
                ("from_json('[1,2]', 'array<int>')", [1, 2]),
                ("from_json('{\"a\":1}', 'struct<a:int,b:string>')", {"a": 1, "b": None}),
                ("from_json('{\"a\":1.10}', 'struct<a:decimal(5,2)>')", {"a": "1.10"}),
            ),
            _from_json_sql,
        ),
        nulls=Nulls.OWN,
    ),
    _f(
        "to_json",
        "An array, map or struct as a JSON string; null members are omitted.",
        f"to_json({{0}}, map('timestampFormat', \"{INSTANT_PATTERN}\", 'dateFormat', 'yyyy-MM-dd'))",
        Signature(
            (TypeVariable.ANY,),
            STRING,
            (
                ("to_json(named_struct('a', 1))", '{"a":1}'),
                (
                    "to_json(array(timestamp '2026-01-01T10:00:00.123456Z'))",
                    '["2026-01-01T10:00:00.123456Z"]',
                ),
                ("to_json(array(date '2026-01-01'))", '["2026-01-01"]'),
            ),
            check_arguments=_no_container,
        ),
        nulls=Nulls.STRICT,
    ),
)
