"""Values of a writer's leaf, which holds no other types, as those of a reader's that can read it
(`jobs.formats.avro_leaves`).
"""

import math
import struct
import uuid
from collections.abc import Callable
from datetime import timedelta
from decimal import Context
from decimal import Decimal as Number
from typing import Any, Final

from jobs.base.instants import EPOCH_DAY, MAX_INSTANT, Instant, datetime_of
from jobs.base.types import INT_RANGE
from jobs.formats.avro_tree import AvroType

Read = Callable[[Any], Any]

_WIDE: Final = Context(prec=2_000)
_PER_MICRO: Final = {"millis": 1_000, "micros": 1}


def leaf_read(writer: AvroType, reader: AvroType) -> Read:
    """The function that turns values of a leaf; it raises ValueError or OverflowError for those that are
    beyond their type.

    Args:
        writer: a leaf.
        reader: one that it can be read as.
    """
    read = _logical(writer, reader) or _plain(writer.kind, reader.kind)
    return (lambda value: read(_int(value))) if writer.kind == "int" else read


def _logical(writer: AvroType, reader: AvroType) -> Read | None:
    """How a value with the reader's logical type is read;
    a timestamp's unit is the writer's, if it says one.
    """
    logical = reader.logical
    if logical == "date":
        return lambda value: EPOCH_DAY + timedelta(days=value)
    if "timestamp" in logical:
        unit = (writer.logical if "timestamp" in writer.logical else logical).rpartition("-")[2]
        return _timestamp_read(unit)
    if logical == "decimal":
        precision, scale = reader.precision, reader.scale
        return lambda value: _decimal(value, precision, scale)
    if logical == "uuid":
        return (lambda value: _uuid(value.decode("utf-8"))) if writer.kind == "bytes" else _uuid
    return None


def _timestamp_read(unit: str) -> Read:
    if unit == "nanos":
        return lambda value: _moment(value // 1_000)
    factor = _PER_MICRO[unit]
    return lambda value: _moment(value * factor)


def _moment(micros: int) -> Any:
    if micros >= MAX_INSTANT:
        raise OverflowError("The timestamp is after the year 9999.")
    return datetime_of(Instant(micros))


def _decimal(raw: bytes, precision: int, scale: int) -> Number:
    unscaled = int.from_bytes(raw, "big", signed=True)
    if abs(unscaled) >= 10**precision:
        raise OverflowError(f"The decimal has more than {precision} digits.")
    return Number(unscaled).scaleb(-scale, context=_WIDE)


def _uuid(value: Any) -> str:
    if isinstance(value, bytes):
        return str(uuid.UUID(bytes=value))
    found = str(uuid.UUID(value))
    # It would take blanks and underscores between digits.
    if value.lower().replace("-", "").count(found.replace("-", "")) != 1:
        raise ValueError("The text isn't a UUID.")
    return found


def _plain(writer: str, reader: str) -> Read:
    return _CONVERSIONS.get((writer, reader), _same)


def single(value: Any) -> Any:
    """The nearest number of single precision; an infinity beyond the greatest."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def _double(given: int | float | str) -> float:
    """A number of JSON as a double; an infinity beyond the greatest, as its reader makes of fractions."""
    try:
        return float(given)
    except OverflowError:
        return math.inf if isinstance(given, int) and given > 0 else -math.inf


def _int(value: int) -> int:
    if value not in INT_RANGE:
        raise OverflowError("The int has more than 32 bits.")
    return value


_CONVERSIONS: Final[dict[tuple[str, str], Read]] = {
    ("int", "float"): single,
    ("long", "float"): single,
    ("int", "double"): float,
    ("long", "double"): float,
    ("string", "bytes"): lambda value: value.encode("utf-8"),
    ("bytes", "string"): lambda value: value.decode("utf-8"),
}
"""By the kinds of writer and reader."""


def _same(value: Any) -> Any:
    return value


def leaf_default(given: Any, node: AvroType) -> Any:
    """A default of a leaf as a value.

    Raises:
        OverflowError, ValueError: it is beyond its type, as a date after 9999.
    """
    if node.kind in ("float", "double"):
        return single(_double(given)) if node.kind == "float" else _double(given)
    if node.kind in ("null", "enum"):
        return given
    stored = given.encode("latin-1") if node.kind in ("bytes", "fixed") else given
    return leaf_read(node, node)(stored)
