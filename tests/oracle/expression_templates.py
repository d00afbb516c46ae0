"""What the expression texts of random documents mean, whatever their fields are called.

A form with holes, and a function of the fields.

`expression_functions.py` has the texts of golden cases, whose fields have one name.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from typing import Any

from tests.oracle.expression_functions import error
from tests.oracle.values import MICRO, compare_values

Row = dict[str, Any]
FIELD = r"(_time|[A-Za-z]\w*|`[A-Za-z]\w*`)"


@dataclass(frozen=True)
class Form:
    """A text with holes for names of fields.

    Attributes:
        text: each hole is ``{}``.
        takes: per hole the kinds of types that may stand there: a type without its arguments, or `any`.
        gives: type of the result; None where it depends on the fields and the oracle need not know it.
        meaning: the fields' values to the result; not asked when one is null, unless `nulls`.
        nulls: the meaning takes nulls.
    """

    text: str
    takes: tuple[str, ...]
    gives: str | None
    meaning: Callable[..., Any]
    nulls: bool = False

    def of(self, values: list[Any]) -> Any:
        return None if not self.nulls and None in values else self.meaning(*values)


def _and(one: bool | None, other: bool | None) -> bool | None:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def _not(one: bool | None) -> bool | None:
    return None if one is None else not one


def _positive(value: int | None) -> bool | None:
    return None if value is None else value > 0


def _is_a(value: str | None) -> bool | None:
    return None if value is None else value == "a"


def _int(value: int) -> int | None:
    return value if -(2**31) <= value < 2**31 else error()


def _long(value: int) -> int | None:
    return value if -(2**63) <= value < 2**63 else error()


def _sum_and_one(x: int | None, y: int | None) -> int | None:
    """From left to right: the first sum may overflow where the whole would not, and beside a null."""
    first = None if x is None else _long(x + 1)
    return None if first is None or y is None else _long(first + y)


def _quarter(value: Decimal) -> Decimal:
    """Two digits more than the decimal has behind the point, six at least."""
    digits = max(6, -int(value.as_tuple().exponent) + 2)
    return (value / 4).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)


def _contains(values: list[Any]) -> bool | None:
    """Null when the value is not there, but a null is."""
    return True if "a" in values else None if None in values else False


CONDITIONS = (
    Form("{} > 0", ("int long",), "boolean", lambda x: x > 0),
    Form("not ({} > 0)", ("int long",), "boolean", lambda x: x <= 0),
    Form("{} > 1.5", ("decimal",), "boolean", lambda x: x > Decimal("1.5")),
    Form("{} > 0.5", ("double",), "boolean", lambda x: compare_values(x, 0.5) > 0),
    Form("{} = 'a'", ("string",), "boolean", lambda x: x == "a"),
    Form("{} is null", ("any",), "boolean", lambda x: x is None, nulls=True),
    Form("{} is not null", ("any",), "boolean", lambda x: x is not None, nulls=True),
    Form("not {}", ("boolean",), "boolean", lambda x: not x),
    Form(
        "{} > 0 and {} = 'a'",
        ("int long", "string"),
        "boolean",
        lambda x, k: _and(_positive(x), _is_a(k)),
        nulls=True,
    ),
    Form(
        "{} > 0 or {} = 'a'",
        ("int long", "string"),
        "boolean",
        lambda x, k: _not(_and(_not(_positive(x)), _not(_is_a(k)))),
        nulls=True,
    ),
    Form("{} <=> {}", ("int", "int"), "boolean", lambda x, y: x == y, nulls=True),
    Form("{} < {}", ("timestamp", "timestamp"), "boolean", lambda x, y: x < y),
    Form("second({}) < 30", ("timestamp",), "boolean", lambda at: at.second < 30),
    Form("array_contains({}, 'a')", ("array<string>",), "boolean", _contains),
)

# Some of them are null by overflow, division by zero or an index out of range.
EXPRESSIONS = (
    Form("1 + {}", ("int",), "int", lambda x: _int(1 + x)),
    Form("2 * {}", ("int",), "int", lambda x: _int(2 * x)),
    Form("10 / {}", ("int",), "double", lambda x: 10 / x if x else error()),
    Form("{} % 3", ("int",), "int", lambda x: x - 3 * int(x / 3)),
    Form("{} + 1", ("long",), "long", lambda x: _long(x + 1)),
    Form("{} * 2", ("long decimal",), None, lambda x: x * 2 if isinstance(x, Decimal) else _long(x * 2)),
    Form("{} / 4", ("decimal",), None, _quarter),
    Form("upper({})", ("string",), "string", str.upper),
    Form("lower(upper({}))", ("string",), "string", lambda k: k.upper().lower()),
    Form("{} + 1 + {}", ("long", "long"), "long", _sum_and_one, nulls=True),
    Form("coalesce({}, 'none')", ("string",), "string", lambda k: "none" if k is None else k, nulls=True),
    Form("concat({}, '!')", ("string",), "string", lambda k: f"{k}!"),
    Form("length({})", ("string",), "int", len),
    Form("size({})", ("array",), "int", len),
    Form("to_micros({} - {})", ("timestamp", "timestamp"), "long", lambda x, y: (x - y) // MICRO),
    Form("{}.b.x", ("deep",), "int", lambda value: value["b"] and value["b"]["x"]),
    Form("{}[0]", ("array<string>",), "string", lambda values: values[0] if values else error()),
    Form("{}.a", ("with_a",), "int", lambda value: value["a"]),
    Form("{}['a']", ("map<string,int>",), "int", lambda value: value["a"] if "a" in value else error()),
)

FORMS = (*CONDITIONS, *EXPRESSIONS)
_PATTERNS = [
    (re.compile(FIELD.join(re.escape(part) for part in form.text.split("{}"))), form) for form in FORMS
]


@cache
def form_of(text: str) -> tuple[Form, tuple[str, ...]] | None:
    """The form of a text and the names in its holes."""
    for pattern, form in _PATTERNS:
        if found := pattern.fullmatch(text):
            return form, tuple(name.strip("`") for name in found.groups())
    return None
