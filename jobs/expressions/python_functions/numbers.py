"""Functions of numbers. Only what Python rounds as Java does: no sines and logarithms."""

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_HALF_UP, Context
from decimal import Decimal as Number
from typing import Any, Final

from jobs.base.types import DOUBLE, INT, LONG
from jobs.expressions.decimals import QUOTIENT_LIMIT
from jobs.expressions.python_functions.python_function import DECIMALS, PythonFunction

_INTEGER: Final = (INT, LONG)
EXACT: Final = Context(prec=700)  # a double has up to 309 digits before the point
_LIMIT: Final = 9223372036854775807.0


def quantized(value: Number, digits: int, rounding: str) -> Number:
    """Rounded to so many digits after the point."""
    return value.quantize(Number(1).scaleb(-digits), rounding, EXACT)


def _rounded(rounding: str) -> Callable[..., Any]:
    """To digits, which may stand before the point; what comes back has at least none after it."""

    def found(value: Any, digits: int = 0) -> Any:
        if isinstance(value, float):
            return (
                float(quantized(Number(repr(value)), digits, rounding)) + 0.0
                if math.isfinite(value)
                else value
            )  # no -0.0, as in Spark
        if isinstance(value, int):
            return int(quantized(Number(value), min(digits, 0), rounding))
        scale = -int(value.as_tuple().exponent)
        return quantized(quantized(value, min(digits, scale), rounding), max(0, min(digits, scale)), rounding)

    return found


def _whole_of(round_off: Callable[[float], int]) -> Callable[[float], int | None]:
    return lambda value: round_off(value) if abs(value) < _LIMIT else None


def remainder(left: Any, right: Any) -> Any:
    """With the sign of the first; None by zero, and of decimals whose quotient is too long for Spark."""
    if right == 0:
        return None
    if isinstance(left, float):
        return math.nan if math.isinf(left) else math.fmod(left, right)
    if isinstance(left, int):
        return int(math.copysign(1, left)) * (abs(left) % abs(right))
    # as Spark is asked, which computes none of longer quotients
    is_short = abs(float(left)) < QUOTIENT_LIMIT * abs(float(right))
    return EXACT.remainder(left, right) if is_short else None


def _from_zero(left: Any, right: Any) -> Any:
    """pmod of integers and doubles."""
    rest = remainder(left, right)
    if rest is None or not rest < 0 or not right > 0:
        return rest
    if isinstance(rest, float):
        return math.nan if math.isinf(right) else math.fmod(rest + right, right)
    return rest + right


def _magnitude(value: Any) -> Any:
    """abs, which itself rounds a decimal to the 28 digits of Python's own context."""
    return value.copy_abs() if isinstance(value, Number) else abs(value)


def _sign(value: float) -> float:
    return value if math.isnan(value) or value == 0 else math.copysign(1.0, value)


def _signed(value: int, bits: int) -> int:
    value &= 2**bits - 1
    return value - 2**bits if value >= 2 ** (bits - 1) else value


def _in_box(latitude: float, longitude: float, *box: float) -> bool | None:
    south, west, north, east = box
    on_earth = all(abs(one) <= 90 for one in (latitude, south, north)) and all(
        abs(one) <= 180 for one in (longitude, west, east)
    )
    if not on_earth or not south <= north:
        return None
    inside = west <= longitude <= east if west <= east else longitude >= west or longitude <= east
    return south <= latitude <= north and inside


def _forms(evaluate: Callable[..., Any], *counts: int, reals: bool = True) -> tuple[PythonFunction, ...]:
    """Of integers and decimals, and of doubles when `reals`."""
    kinds = (INT, LONG, *DECIMALS, DOUBLE) if reals else (INT, LONG, *DECIMALS)
    return (PythonFunction(evaluate, (kinds,), counts or (1,), integer=True),)


def _shift(bits: int, kind: Any) -> dict[str, PythonFunction]:
    return {
        "shiftleft": PythonFunction(
            lambda value, by: _signed(value << (by % bits), bits), ((kind,), (INT,)), (2,)
        ),
        "shiftright": PythonFunction(lambda value, by: value >> (by % bits), ((kind,), (INT,)), (2,)),
        "shiftrightunsigned": PythonFunction(
            lambda value, by: _signed((value & (2**bits - 1)) >> (by % bits), bits), ((kind,), (INT,)), (2,)
        ),
    }


_SHIFTS: Final = (_shift(32, INT), _shift(64, LONG))

NUMBERS: Final[dict[str, tuple[PythonFunction, ...]]] = {
    "negative": (
        PythonFunction(lambda value: -value, ((DOUBLE,),)),
        PythonFunction(lambda value: value.copy_negate() if value else value, (DECIMALS,)),
    ),
    "is_nan": (PythonFunction(math.isnan, ((DOUBLE,),)),),
    "nanvl": (
        PythonFunction(
            lambda value, other: other if value is not None and math.isnan(value) else value,
            ((DOUBLE,),),
            (2,),
            strict=False,
        ),
    ),
    "abs": _forms(_magnitude),
    "sign": (PythonFunction(_sign, ((DOUBLE,),)),),
    "ceil": (
        *_forms(_rounded(ROUND_CEILING), 1, 2, reals=False),
        PythonFunction(_whole_of(math.ceil), ((DOUBLE,),)),
    ),
    "floor": (
        *_forms(_rounded(ROUND_FLOOR), 1, 2, reals=False),
        PythonFunction(_whole_of(math.floor), ((DOUBLE,),)),
    ),
    "round": _forms(_rounded(ROUND_HALF_UP), 1, 2),
    "bround": _forms(_rounded(ROUND_HALF_EVEN), 1, 2),
    "truncate": _forms(_rounded(ROUND_DOWN), 2, reals=False),
    "rint": (
        PythonFunction(
            lambda value: math.copysign(round(value), value) if math.isfinite(value) else value, ((DOUBLE,),)
        ),
    ),
    "e": (PythonFunction(lambda: math.e, counts=(0,)),),
    "pi": (PythonFunction(lambda: math.pi, counts=(0,)),),
    "geo_in_box": (PythonFunction(_in_box, counts=(6,)),),
    "sqrt": (PythonFunction(lambda value: math.sqrt(value) if value >= 0 else math.nan, ((DOUBLE,),)),),
    "mod": _forms(remainder, 2),
    "pmod": (PythonFunction(_from_zero, ((INT, LONG, DOUBLE),), (2,), integer=True),),
    "bit_and": (PythonFunction(lambda left, right: left & right, (_INTEGER,), (2,)),),
    "bit_or": (PythonFunction(lambda left, right: left | right, (_INTEGER,), (2,)),),
    "bit_xor": (PythonFunction(lambda left, right: left ^ right, (_INTEGER,), (2,)),),
    "bit_not": (PythonFunction(lambda value: ~value, (_INTEGER,)),),
    "bit_count": (PythonFunction(lambda value: (value & (2**64 - 1)).bit_count(), (_INTEGER,)),),
    "bit_get": (PythonFunction(lambda value, position: value >> position & 1, (_INTEGER,), (2,)),),
    "factorial": (
        PythonFunction(lambda value: math.factorial(value) if 0 <= value <= 20 else None, ((INT,),)),
    ),
    **{name: tuple(shift[name] for shift in _SHIFTS) for name in _SHIFTS[0]},
}
