"""Which casts exist, when they fail, and how Spark is told (`docs/semantics/expressions.md#casts`).

In the templates ``{0}`` is the argument and ``{type}`` the target's DDL text.
"""

from dataclasses import dataclass
from typing import Final

from jobs.base.iso_times import ISO_DATE, ISO_INSTANT
from jobs.base.types import Atomic, DataType, Decimal, type_text
from jobs.expressions.coercion import is_widening
from jobs.expressions.ranges import micros_in_range

_BLANKS: Final = "[\\\\x00-\\\\x20]*"
_END: Final = "\\\\z"  # $ would stand before a last line separator, too
# Java goes back over digits that two repetitions could share: a megabyte of them would take hours.
_DOUBLE: Final = (
    "[+-]?(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?:[iI]nfinity|[iI]nf)|[nN]a[nN]"
)

# An exponent of ten digits fails the query, one of eight takes minutes, and so does a megabyte of digits.
_DECIMAL: Final = (
    f"(?=[0-9.eE+-]{{1,100}}{_BLANKS}{_END})[+-]?(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]{{1,3}})?"
)


def _only(pattern: str) -> str:
    """The trimmed text when it has this form, else a text that no cast reads."""
    escaped = pattern.replace("{", "{{").replace("}", "}}")
    return f"regexp_extract({{0}}, '^{_BLANKS}({escaped}){_BLANKS}{_END}', 1)"


# Spark reads hours and minutes without seconds, but not when an offset follows
_SECONDED: Final = f"regexp_replace({_only(ISO_INSTANT)}, '^([^:]*:[0-9][0-9])(Z|[+-].*)?$', '$1:00$2')"
_TRY: Final = "TRY_CAST({0} AS {type})"
# floor throws beyond long; NaN is above every bound
_FLOORED_MICROS: Final = "floor(CASE WHEN abs({0}) < 1e12D THEN ({0} * 1000000D) END)"
# Of a product of more than 38 digits Spark rounds what is behind the microseconds, so they go first
_FLOORED_DECIMAL: Final = "TRY_CAST(floor(try_multiply(floor({0}, 6), 1000000BD)) AS BIGINT)"
# The largest long is 2^63 as a double, which no long can be: TRY_CAST takes it for the largest long
_BELOW_LONG: Final = "TRY_CAST(CASE WHEN {0} < 9223372036854775807D THEN {0} END AS {type})"
_PLAIN: Final = "CAST({0} AS {type})"
_ISO_UTC: Final = "date_format({0}, 'yyyy-MM-dd\\'T\\'HH:mm:ss.SSSSSS\\'Z\\'')"


@dataclass(frozen=True, slots=True)
class CastRule:
    """How one type becomes another; `fails` when some values have no counterpart."""

    sql: str
    fails: bool


_RULES: Final[dict[tuple[str, str], CastRule]] = {
    ("string", "boolean"): CastRule(_TRY, True),
    ("string", "int"): CastRule(_TRY, True),
    ("string", "long"): CastRule(_TRY, True),
    ("string", "double"): CastRule(f"TRY_CAST({_only(_DOUBLE)} AS DOUBLE)", True),
    ("string", "decimal"): CastRule(f"TRY_CAST({_only(_DECIMAL)} AS {{type}})", True),
    ("string", "bytes"): CastRule(_PLAIN, False),
    ("string", "timestamp"): CastRule(
        micros_in_range(f"unix_micros(TRY_CAST({_SECONDED} AS TIMESTAMP))"), True
    ),
    ("string", "date"): CastRule(f"TRY_CAST({_only(ISO_DATE)} AS DATE)", True),
    ("boolean", "string"): CastRule(_PLAIN, False),
    ("boolean", "int"): CastRule(_PLAIN, False),
    ("boolean", "long"): CastRule(_PLAIN, False),
    ("int", "boolean"): CastRule(_PLAIN, False),
    ("int", "string"): CastRule(_PLAIN, False),
    ("int", "timestamp"): CastRule(micros_in_range("try_multiply(CAST({0} AS BIGINT), 1000000L)"), True),
    ("long", "boolean"): CastRule(_PLAIN, False),
    ("long", "string"): CastRule(_PLAIN, False),
    ("long", "int"): CastRule(_TRY, True),
    ("long", "timestamp"): CastRule(micros_in_range("try_multiply({0}, 1000000L)"), True),
    ("double", "int"): CastRule(_TRY, True),
    ("double", "long"): CastRule(_BELOW_LONG, True),
    ("double", "string"): CastRule(_PLAIN, False),
    ("double", "decimal"): CastRule(_TRY, True),
    ("double", "timestamp"): CastRule(micros_in_range(_FLOORED_MICROS), True),
    # Spark takes a decimal of many digits to an int by way of a double, which may round it up
    ("decimal", "int"): CastRule("TRY_CAST(TRY_CAST({0} AS BIGINT) AS {type})", True),
    ("decimal", "long"): CastRule(_TRY, True),
    ("decimal", "string"): CastRule(_PLAIN, False),
    ("decimal", "decimal"): CastRule(_TRY, True),
    ("decimal", "timestamp"): CastRule(micros_in_range(_FLOORED_DECIMAL), True),
    ("int", "decimal"): CastRule(_TRY, True),
    ("long", "decimal"): CastRule(_TRY, True),
    ("bytes", "string"): CastRule("try_validate_utf8(CAST({0} AS STRING))", True),
    ("timestamp", "string"): CastRule(_ISO_UTC, False),
    ("timestamp", "date"): CastRule(_PLAIN, False),
    ("timestamp", "long"): CastRule("unix_seconds({0})", False),
    ("timestamp", "double"): CastRule("(CAST(unix_micros({0}) AS DOUBLE) / 1000000D)", False),
    ("date", "string"): CastRule(_PLAIN, False),
    ("date", "timestamp"): CastRule(_PLAIN, False),
}


def cast_rule(source: DataType, to: DataType) -> CastRule | None:
    """How values of `source` become `to`, or None when no such cast exists."""
    if is_widening(source, to):
        return CastRule(_PLAIN, False)
    return _RULES.get((_kind(source), _kind(to)))


def cast_targets(source: DataType) -> tuple[str, ...]:
    """Names of the types that `source` can be cast to, for hints."""
    return tuple(sorted({to for start, to in _RULES if start == _kind(source)}))


def _kind(data_type: DataType) -> str:
    if isinstance(data_type, Decimal):
        return "decimal"
    return data_type.name if isinstance(data_type, Atomic) else type_text(data_type)
