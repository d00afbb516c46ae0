"""One JSON value as a declared type.

The engine does the same inside Spark; `tests/golden/json_records.json` holds both together.
"""

import base64
import re
from collections.abc import Callable
from datetime import timedelta
from decimal import ROUND_HALF_UP, Context, InvalidOperation
from decimal import Decimal as Number
from typing import Any, Final

from jobs.base.budget import spend, watched
from jobs.base.instants import EPOCH_DAY, MAX_INSTANT, Instant, datetime_of
from jobs.base.iso_times import read_date, read_instant
from jobs.base.time_units import SHORT_UNIT_US
from jobs.base.types import (
    DATE,
    INT_RANGE,
    LONG_RANGE,
    TIMESTAMP,
    Array,
    Atomic,
    DataType,
    Decimal,
    Map,
    Struct,
    type_text,
)
from jobs.formats.json_text import NumberText

NUMBER_TEXT: Final = re.compile(r"[+-]?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:[eE][+-]?[0-9]{1,9})?")
BASE64_TEXT: Final = "(?:[A-Za-z0-9+/]{4})*+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?"
_BASE64: Final = re.compile(BASE64_TEXT)
_WIDE: Final = Context(prec=2_000, rounding=ROUND_HALF_UP, Emax=10**9, Emin=-(10**9))
_SPECIAL: Final = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


class WrongType(Exception):  # noqa: N818  (the record is wrong, not we)
    """A value is not of its field's type."""

    def __init__(self, value: object, wanted: DataType | str, at: str = "") -> None:
        super().__init__(at)
        self.at = at
        self.detail = (
            f"{_described(value)} is not {wanted if isinstance(wanted, str) else type_text(wanted)}."
        )


def _described(value: object) -> str:
    if isinstance(value, NumberText):
        return value.text[:40]
    if isinstance(value, str):
        return repr(value[:40])
    return {dict: "An object", list: "An array", bool: str(value).lower()}.get(type(value), "A value")


def typed(value: Any, wanted: DataType, at: str = "", time_unit: str = "") -> Any:
    """The Python value of a JSON value. Elements and members are spent, one each (`jobs.base.budget`).

    Args:
        value: as `parse_json` gives it.
        wanted: declared type.
        at: where it stands, for messages.
        time_unit: ms, us or ns where a whole number may be a timestamp, and then a date in days; empty where
            it may not.

    Returns:
        None for null, whatever the type.

    Raises:
        WrongType: it is not of that type.
    """
    if value is None:
        return None
    match wanted:
        case Atomic():
            return _atomic(value, wanted, at, time_unit)
        case Decimal():
            return _decimal(value, wanted, at)
        case Array(element):
            return [
                typed(part, element, f"{at}[{i}]", time_unit)
                for i, part in enumerate(watched(_parts(value, list, wanted, at)))
            ]
        case Map(inner):
            return {
                _string(key, wanted, at): typed(part, inner, f"{at}.{_shown(key)}", time_unit)
                for key, part in watched(_parts(value, dict, wanted, at).items())
            }
        case Struct(members):
            given = _instance(value, dict, wanted, at)
            spend(len(members))  # also of an object that has none of them
            return {m.name: typed(given.get(m.name), m.type, f"{at}.{m.name}", time_unit) for m in members}


def _shown(key: str) -> str:
    """A key for messages, which people read and databases hold: what can't be printed is escaped."""
    return key if key.isprintable() else repr(key)[1:-1]


def _atomic(value: Any, wanted: Atomic, at: str, time_unit: str) -> Any:
    if time_unit and isinstance(value, NumberText) and wanted in (TIMESTAMP, DATE):
        return counted_time(value, wanted, at, time_unit)
    return _ATOMIC[wanted.name](value, wanted, at)


def _instance(value: Any, kind: type, wanted: DataType, at: str) -> Any:
    if not isinstance(value, kind):
        raise WrongType(value, wanted, at)
    return value


def _parts(value: Any, kind: type, wanted: DataType, at: str) -> Any:
    found = _instance(value, kind, wanted, at)
    spend(len(found))
    return found


def _boolean(value: Any, wanted: DataType, at: str) -> bool:
    return bool(_instance(value, bool, wanted, at))


def _whole(allowed: range) -> Callable[[Any, DataType, str], int]:
    def read(value: Any, wanted: DataType, at: str) -> int:
        if (
            isinstance(value, NumberText)
            and value.whole
            and len(value.text) <= 20
            and int(value.text) in allowed
        ):
            return int(value.text)
        raise WrongType(value, wanted, at)

    return read


def _double(value: Any, wanted: DataType, at: str) -> float:
    if isinstance(value, NumberText):
        return _SPECIAL[value.text] if value.word else float(value.text)
    if isinstance(value, str) and value in _SPECIAL:
        return _SPECIAL[value]
    raise WrongType(value, wanted, at)


def _decimal(value: Any, wanted: Decimal, at: str) -> Number:
    text = value.text if isinstance(value, NumberText) else value
    if not isinstance(text, str) or not NUMBER_TEXT.fullmatch(text):
        raise WrongType(value, wanted, at)
    rounded = _rounded(Number(text), wanted)
    if rounded is None:
        raise WrongType(value, wanted, at)
    return rounded


def _rounded(number: Number, to: Decimal) -> Number | None:
    """A number at the type's scale; None when it has too many digits before the point."""
    if number and number.adjusted() > to.precision:
        return None
    if number and number.adjusted() < -to.scale - 2:
        number = Number(0)
    try:
        fitted = number.quantize(Number(1).scaleb(-to.scale), context=_WIDE)
    except InvalidOperation:
        return None
    if fitted and fitted.adjusted() >= to.precision - to.scale:
        return None
    return fitted if fitted else abs(fitted)


def _string(value: Any, wanted: DataType, at: str) -> str:
    text = _instance(value, str, wanted, at)
    if any("\ud800" <= sign <= "\udfff" for sign in text):
        raise WrongType(value, wanted, at)
    return str(text)


def _bytes(value: Any, wanted: DataType, at: str) -> bytes:
    text = _instance(value, str, wanted, at)
    # Which padding Python's decoder takes differs from version to version.
    if not _BASE64.fullmatch(text):
        raise WrongType(value, wanted, at)
    return base64.b64decode(text)


def _timestamp(value: Any, wanted: DataType, at: str) -> Any:
    instant = read_instant(_instance(value, str, wanted, at))
    if instant is None:
        raise WrongType(value, wanted, at)
    return datetime_of(instant)


def _date(value: Any, wanted: DataType, at: str) -> Any:
    day = read_date(_instance(value, str, wanted, at))
    if day is None:
        raise WrongType(value, wanted, at)
    return day


def counted_time(value: NumberText, wanted: DataType, at: str, unit: str) -> Any:
    """A timestamp or date that is counted from 1970, as change events write them.

    Raises:
        WrongType: not a whole number, or outside 1 to 9999.
    """
    if not value.whole or len(value.text) > 20:
        raise WrongType(value, wanted, at)
    count = int(value.text)
    try:
        if wanted == DATE:
            return EPOCH_DAY + timedelta(days=count)
        micros = count // 1_000 if unit == "ns" else count * SHORT_UNIT_US[unit]
        return datetime_of(Instant(micros if micros < MAX_INSTANT else MAX_INSTANT * 2))
    except (OverflowError, ValueError):
        raise WrongType(value, wanted, at) from None


def _never(value: Any, wanted: DataType, at: str) -> None:
    raise WrongType(value, wanted, at)


_ATOMIC: Final[dict[str, Callable[[Any, DataType, str], Any]]] = {
    "boolean": _boolean,
    "int": _whole(INT_RANGE),
    "long": _whole(LONG_RANGE),
    "double": _double,
    "string": _string,
    "bytes": _bytes,
    "timestamp": _timestamp,
    "date": _date,
    "duration": _never,
    "null": _never,
}
