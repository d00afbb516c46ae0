"""Values, their order, and their JSON form."""

import base64
import json
import math
import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cmp_to_key
from typing import Any, NamedTuple

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICRO = timedelta(microseconds=1)
UNITS = {
    "w": 7 * 86_400_000_000,
    "d": 86_400_000_000,
    "h": 3_600_000_000,
    "m": 60_000_000,
    "s": 1_000_000,
    "ms": 1_000,
    "us": 1,
}


class Undecided(Exception):  # noqa: N818 - no error: the contract takes both answers
    """The contract takes more than one answer.

    A total of longs that fits, of parts of one sign that do not, may be null, too; digits that the order of
    computing decides may be any.
    """


def micros(text: str) -> int:
    """A duration's text in µs."""
    sign = -1 if text.strip().startswith("-") else 1
    return sign * sum(int(n) * UNITS[unit] for n, unit in re.findall(r"(\d+)(ms|us|[wdhms])", text))


def moment(us: int) -> datetime:
    return EPOCH + timedelta(microseconds=us)


def iso(us: int) -> str:
    return moment(us).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def type_parts(text: str) -> list[str]:
    """The parts of a type's arguments: ``a: int, b: array<int>`` → two."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "<(") - (character in ">)")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def typed(value: Any, type_text: str) -> Any:
    """A JSON value as the value of a field of that type."""
    if value is None:
        return None
    type_text = type_text.strip().rstrip("!")
    if found := re.fullmatch(r"decimal\((\d+), ?(\d+)\)", type_text):
        return Decimal(str(value)).quantize(Decimal(1).scaleb(-int(found[2])))
    if found := re.fullmatch(r"(array|map|struct)<(.*)>", type_text):
        return _nested(value, found[1], found[2])
    if type_text == "double":
        return float(value)
    if type_text == "timestamp":
        return datetime.fromisoformat(value)
    if type_text == "date":
        return date.fromisoformat(value)
    if type_text == "bytes":
        return base64.b64decode(value)
    return value


def _nested(value: Any, kind: str, inside: str) -> Any:
    if kind == "array":
        return [typed(part, inside) for part in value]
    if kind == "map":
        return {key: typed(part, type_parts(inside)[1]) for key, part in value.items()}
    members = [re.split(r": ?", part, maxsplit=1) for part in type_parts(inside)]
    return {name: typed(value.get(name), text) for name, text in members}


def as_json(value: Any) -> Any:
    """A field's value as result rows write it."""
    match value:
        case float() if math.isnan(value):
            return "NaN"
        case float() if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        case Decimal():
            return format(value or value.copy_abs(), "f")  # the contract's decimals know no negative zero
        case datetime():
            return iso((value - EPOCH) // MICRO)
        case date():
            return value.isoformat()
        case bytes():
            return base64.b64encode(value).decode()
        case list():
            return [as_json(part) for part in value]
        case dict():
            return {name: as_json(part) for name, part in value.items()}
        case _:
            return value


def identity(parts: list[Any]) -> str:
    """The identity's text; plain JSON is enough for the texts of the cases."""
    return json.dumps([as_json(part) for part in parts], separators=(",", ":"), ensure_ascii=False)


def compare_values(a: Any, b: Any) -> int:
    """Order of two values of a type: NaN greatest, text by code point, arrays by element, nulls lowest."""
    if a is None or b is None:
        return (a is not None) - (b is not None)
    if isinstance(a, float) and isinstance(b, float) and (math.isnan(a) or math.isnan(b)):
        return math.isnan(a) - math.isnan(b)
    if isinstance(a, dict):
        a, b = list(a.values()), list(b.values())
    if isinstance(a, list):
        for x, y in zip(a, b, strict=False):
            if found := compare_values(x, y):
                return found
        return (len(a) > len(b)) - (len(a) < len(b))
    return (a > b) - (a < b)


in_order = cmp_to_key(compare_values)


def different(values: list[Any]) -> list[Any]:
    """Each value once, ascending; NaN equals NaN."""
    kept: list[Any] = []
    for value in sorted(values, key=in_order):
        if not kept or compare_values(kept[-1], value):
            kept.append(value)
    return kept


def _rank(value: Any) -> int:
    match value:
        case None:
            return 0
        case bool():
            return 1
        case int() | float() | Decimal():
            return 2
        case str():
            return 3
        case _:
            return 4


def compare_ids(a: list[Any], b: list[Any]) -> int:
    """Ids left to right; null < boolean < number < text; an equal prefix: the shorter first."""
    for x, y in zip(a, b, strict=False):
        if _rank(x) != _rank(y):
            return -1 if _rank(x) < _rank(y) else 1
        if isinstance(x, list) and isinstance(y, list):
            if found := compare_ids(x, y):
                return found
        elif x is not None and x != y:
            return -1 if x < y else 1
    return (len(a) > len(b)) - (len(a) < len(b))


class Row:
    """A row: values by name, event time in µs, id."""

    def __init__(
        self, values: dict[str, Any], t: int, id_: list[Any], system: dict[str, Any] | None = None
    ) -> None:
        self.values, self.t, self.id = values, t, id_
        self.system = system or {}

    def readable(self) -> dict[str, Any]:
        return {**self.values, **self.system, "_time": moment(self.t)}

    def having(self, values: dict[str, Any], id_: list[Any] | None = None) -> "Row":
        """Other values at the same time."""
        return Row(values, self.t, self.id if id_ is None else id_, self.system)


class Entry(NamedTuple):
    """What flows: a row, or in a changelog a tombstone (row None), with the time of the entry."""

    id: list[Any]
    row: Row | None
    t: int


Flow = list[Entry]


def flow_of(rows: list[Row]) -> Flow:
    """Rows as entries."""
    return [Entry(row.id, row, row.t) for row in rows]


def rows_of(flow: Flow) -> list[Row]:
    """The rows of an append-only flow."""
    return [entry.row for entry in flow if entry.row is not None]


def compare_rows(a: Row, b: Row) -> int:
    """Row order: by event time, then id."""
    return (a.t > b.t) - (a.t < b.t) or compare_ids(a.id, b.id)


def in_row_order(rows: list[Row]) -> list[Row]:
    return sorted(rows, key=cmp_to_key(compare_rows))
