"""JSON in the form of rows as an Avro record: how somebody without a serializer writes one.

Values are taken as rows show them: decimals as texts or numbers, times as ISO texts, bytes as base64; whole
numbers for times are taken as the schema counts them.
"""

import base64
import binascii
import json
import math
import sys
from collections.abc import Callable
from decimal import MAX_PREC, Context, Decimal, Inexact, InvalidOperation
from io import BytesIO
from typing import Any, Final
from uuid import UUID

import fastavro

from jobs.base.budget import spend, watched
from jobs.base.instants import EPOCH_DAY
from jobs.base.iso_times import read_date, read_instant
from jobs.formats.avro_defaults import DefaultSizes
from jobs.formats.avro_leaf_values import single
from jobs.formats.avro_records import parsed
from jobs.formats.avro_schema_json import plain_name, writing_schema
from jobs.formats.avro_tree import ABSENT, AvroField, AvroType
from jobs.formats.avro_types import branches_of, merged_type
from jobs.formats.json_values import NUMBER_TEXT

_PER_MICRO: Final = {"millis": (1, 1_000), "micros": (1, 1), "nanos": (1_000, 1)}
_NANOS_LIMIT: Final = 2**63
_MAX_SINGLE: Final = float.fromhex("0x1.fffffep+127")
_EXACT: Final = Context(prec=MAX_PREC, traps=[InvalidOperation, Inexact])


class NotWritableError(ValueError):
    """A value does not fit the schema; the message says where and what would."""


def avro_bytes(value: Any, schema: str) -> bytes:
    """A JSON value as the bytes of a record, without a frame.

    Args:
        value: an object with a member per field; fields that have a default or may be null may be left out.
        schema: its text; a record that is not recursive.

    Raises:
        NotWritableError: it does not fit.
    """
    tree = parsed(schema)
    raw = _raw(value, tree, "")
    out = BytesIO()
    try:
        fastavro.schemaless_writer(out, fastavro.parse_schema(writing_schema(tree)), raw)
    except (ValueError, TypeError, OverflowError) as error:
        raise NotWritableError(f"{type(error).__name__} {error}"[:300]) from error
    return out.getvalue()


def _raw(value: Any, node: AvroType, at: str, *, from_schema: bool = False) -> Any:
    """The value as it stands in the bytes.

    `from_schema`: a default, whose bytes are written as a text of that many signs.
    """
    match node.kind:
        case "record":
            return _record(value, node, at, from_schema=from_schema)
        case "array":
            return [
                _raw(part, node.parts[0], f"{at}[{place}]", from_schema=from_schema)
                for place, part in enumerate(watched(_a(list, value, at)))
            ]
        case "map":
            return {
                name: _raw(part, node.parts[0], f"{at}.{name}", from_schema=from_schema)
                for name, part in watched(_a(dict, value, at).items())
            }
        case "union":
            return _union(value, node, at, from_schema=from_schema)
        case "bytes" | "fixed" if from_schema:
            return str(value).encode("latin-1")
        case _:
            return _leaf(value, node, at)


def _record(value: Any, node: AvroType, at: str, *, from_schema: bool) -> dict[str, Any]:
    given = _a(dict, value, at)
    spend(len(node.fields))  # an object of two signs may have thousands of defaults
    known = {part.name for part in node.fields}
    for name in given:
        if name not in known:
            raise NotWritableError(
                f"{at or node.short_name} has no field {name[:80]!r}. Its fields: "
                f"{', '.join(sorted(known)[:20])}."
            )
    return {
        part.name: _member(given, part, f"{at}.{part.name}" if at else part.name, from_schema=from_schema)
        for part in node.fields
    }


def _member(given: dict[str, Any], part: AvroField, at: str, *, from_schema: bool) -> Any:
    if part.name in given:
        return _raw(given[part.name], part.type, at, from_schema=from_schema)
    if part.default is not ABSENT:
        return _raw(part.default, part.type, at, from_schema=True)
    if any(branch.kind == "null" for branch in part.type.parts):
        return None
    raise NotWritableError(f"{at} is required ({part.type.described}).")


def _union(value: Any, node: AvroType, at: str, *, from_schema: bool) -> Any:
    """The first branch that takes the value with all its digits; otherwise the first that takes it.

    A row shows a union of several as ``member0``, ``member1``: so it may be given too.
    """
    if value is None and any(branch.kind == "null" for branch in node.parts):
        return None
    branches = branches_of(node)
    if from_schema:
        fitting = DefaultSizes().branch_of(value, node)
        return _first_fitting(value, node, (fitting,), at, from_schema=True)
    chosen = _chosen(value, branches) if len(branches) > 1 and merged_type(node) is None else None
    if chosen is not None:
        value, branches = chosen[0], (chosen[1],)
    return _first_fitting(value, node, branches, at, from_schema=from_schema)


def _first_fitting(
    value: Any, node: AvroType, branches: tuple[AvroType, ...], at: str, *, from_schema: bool
) -> Any:
    """The value as the first of these branches of a union takes it; a real number that takes less of its
    digits than it has waits for the others.
    """
    errors = []
    rounded = None
    for branch in branches:
        spend(0)
        try:
            raw = _raw(value, branch, at, from_schema=from_schema)
        except NotWritableError as error:
            errors.append(str(error))
            continue
        # By its name: fastavro would choose among the branches again, by the type of the Python value.
        found = plain_name(branch) if branch.name else branch.kind, raw
        if from_schema or not _is_rounded(value, raw, branch):
            return found
        rounded = rounded or found
    if rounded is not None:
        return rounded
    raise NotWritableError(
        errors[0] if len(errors) == 1 else f"{at} is {node.described}; the value matches none of them."
    )


def _is_rounded(value: Any, raw: Any, branch: AvroType) -> bool:
    """Whether a float or double stands for another number than was given."""
    if (
        branch.kind not in ("float", "double")
        or isinstance(value, bool)
        or not isinstance(value, int | float)
    ):
        return False
    held = single(raw) if branch.kind == "float" else raw
    return bool(held != value) and not math.isnan(value)


def _chosen(value: Any, branches: tuple[AvroType, ...]) -> tuple[Any, AvroType] | None:
    if not isinstance(value, dict) or not value:
        return None
    members = {f"member{place}": branch for place, branch in enumerate(branches)}
    given = [(part, members[name]) for name, part in value.items() if name in members and part is not None]
    return given[0] if len(given) == 1 and value.keys() <= members.keys() else None


def _leaf(value: Any, node: AvroType, at: str) -> Any:
    if node.logical in _LOGICAL:
        return _LOGICAL[node.logical](value, node, at)
    if "timestamp" in node.logical:
        return _timestamp(value, node, at)
    return _PLAIN[node.kind](value, node, at)


def _null(value: Any, _: AvroType, at: str) -> Any:
    return _one_of(value, at, "null", value is None)


def _boolean(value: Any, _: AvroType, at: str) -> Any:
    return _one_of(value, at, "true or false", isinstance(value, bool))


def _text(value: Any, _: AvroType, at: str) -> Any:
    return _one_of(value, at, "a string", isinstance(value, str))


def _symbol(value: Any, node: AvroType, at: str) -> Any:
    is_listed = isinstance(value, str) and value in node.symbol_set
    return _one_of(value, at, f"one of {', '.join(node.symbols[:20])}", is_listed)


_WORDS: Final = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def _real(value: Any, node: AvroType, at: str) -> float:
    if isinstance(value, str) and value in _WORDS:
        return _WORDS[value]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    limit = _MAX_SINGLE if node.kind == "float" else sys.float_info.max
    is_beyond = is_number and not abs(value) <= limit
    return float(_one_of(value, at, f"a number of {node.kind} precision", is_number and not is_beyond))


def _whole(value: Any, node: AvroType, at: str) -> int:
    bits = 31 if node.kind == "int" else 63
    fits = isinstance(value, int) and not isinstance(value, bool) and -(2**bits) <= value < 2**bits
    return int(_one_of(value, at, f"an integer of {bits + 1} bits", fits))


def _timestamp(value: Any, node: AvroType, at: str) -> int:
    if not isinstance(value, str):
        return _whole(value, node, at)
    micros = read_instant(value)
    if micros is None:
        raise NotWritableError(f"{at} isn't a timestamp, e.g. 2026-01-31T10:00:00Z.")
    times, per = _PER_MICRO[node.logical.rpartition("-")[2]]
    found, rest = divmod(micros * times, per)
    if rest or not -_NANOS_LIMIT <= found < _NANOS_LIMIT:
        raise NotWritableError(f"{at} is out of range or too precise for {node.logical}.")
    return found


def _date(value: Any, node: AvroType, at: str) -> int:
    if not isinstance(value, str):
        return _whole(value, node, at)
    found = read_date(value)
    if found is None:
        raise NotWritableError(f"{at} isn't a date, e.g. 2026-01-31.")
    return found.toordinal() - EPOCH_DAY.toordinal()


def _decimal(value: Any, node: AvroType, at: str) -> bytes:
    expected = f"a decimal of {node.precision} digits, {node.scale} of them after the point"
    try:
        text = (
            value
            if isinstance(value, str)
            else str(
                _one_of(value, at, expected, isinstance(value, int | float) and not isinstance(value, bool))
            )
        )
        if not NUMBER_TEXT.fullmatch(text):
            raise ValueError(text)
        number = Decimal(text).scaleb(node.scale, context=_EXACT)
        unscaled = int(number) if number.adjusted() <= node.precision else None
    except (ArithmeticError, ValueError) as error:
        raise NotWritableError(f"{at} isn't {expected}.") from error
    if unscaled is None or unscaled != number or abs(unscaled) >= 10**node.precision:
        raise NotWritableError(f"{at} isn't {expected}.")
    size = node.size if node.kind == "fixed" else (unscaled.bit_length() + 8) // 8
    try:
        return unscaled.to_bytes(size, "big", signed=True)
    except OverflowError as error:
        raise NotWritableError(f"{at} doesn't fit into the {size} bytes of {node.name}.") from error


def _uuid(value: Any, node: AvroType, at: str) -> Any:
    try:
        found = UUID(_one_of(value, at, "a UUID", isinstance(value, str)))
    except ValueError as error:
        raise NotWritableError(f"{at} isn't a UUID.") from error
    return found.bytes if node.kind == "fixed" else value


_LOGICAL: Final[dict[str, Callable[[Any, AvroType, str], Any]]] = {
    "date": _date,
    "decimal": _decimal,
    "uuid": _uuid,
}


def _bytes(value: Any, _: AvroType, at: str) -> bytes:
    try:
        return base64.b64decode(
            _one_of(value, at, "base64-encoded bytes", isinstance(value, str)), validate=True
        )
    except (binascii.Error, ValueError) as error:
        raise NotWritableError(f"{at} isn't base64-encoded.") from error


def _fixed(value: Any, node: AvroType, at: str) -> bytes:
    raw = _bytes(value, node, at)
    return bytes(_one_of(raw, at, f"{node.size} base64-encoded bytes", len(raw) == node.size))


_PLAIN: Final[dict[str, Callable[[Any, AvroType, str], Any]]] = {
    "null": _null,
    "boolean": _boolean,
    "int": _whole,
    "long": _whole,
    "float": _real,
    "double": _real,
    "string": _text,
    "enum": _symbol,
    "bytes": _bytes,
    "fixed": _fixed,
}
"""By the kind of a node without parts."""


def _a(kind: type, value: Any, at: str) -> Any:
    return _one_of(
        value, at or "The value", "an array" if kind is list else "an object", isinstance(value, kind)
    )


def _one_of(value: Any, at: str, expected: str, fits: bool) -> Any:
    if not fits:
        raise NotWritableError(f"{at} isn't {expected}: {json.dumps(value, default=str)[:80]}.")
    return value
