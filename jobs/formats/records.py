"""What a record turns out to be: a row, or malformed with a reason."""

import base64
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal as Number
from typing import Any

from jobs.base.instants import Instant, date_text, instant_of, instant_text


@dataclass(frozen=True, slots=True)
class Row:
    """A well-formed record.

    Attributes:
        values: every declared field: None, bool, int, float, Decimal, str, bytes, aware datetime, date, list
            or dict.
        event_time: in microseconds.
        deleted: the row of this key is gone (tables only); all values but those of the key are None.
    """

    values: dict[str, Any]
    event_time: Instant
    deleted: bool = False

    def as_json(self) -> dict[str, Any]:
        """The values in the form of output rows (`docs/semantics/records-and-formats.md#output-records`)."""
        return {name: json_value(value) for name, value in self.values.items()}


@dataclass(frozen=True, slots=True)
class Malformed:
    """A record that is no row (`docs/semantics/records-and-formats.md`).

    Attributes:
        reason: one of `REASONS`.
        detail: one sentence for people; may be empty.
        field: where in the record; empty for the whole of it.
    """

    reason: str
    detail: str = ""
    field: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that is neither a row nor malformed, such as a heartbeat,
    or a deletion in change events that are read as a stream.
    """

    reason: str


def json_value(value: Any) -> Any:
    """A value as JSON: decimal as text, double's NaN and infinities as text, bytes base64,
    times as in `docs/semantics/types.md`.
    """
    match value:
        case list():
            return [json_value(part) for part in value]
        case dict():
            return {name: json_value(part) for name, part in value.items()}
        case _:
            return _scalar(value)


def _scalar(value: Any) -> Any:
    match value:
        case Number():
            return format(value, "f")
        case float():
            return _double(value)
        case bytes():
            return base64.b64encode(value).decode("ascii")
        case datetime():
            return instant_text(instant_of(value))
        case date():
            return date_text(value)
        case _:
            return value


def _double(value: float) -> float | str:
    if value != value:
        return "NaN"
    return {float("inf"): "Infinity", float("-inf"): "-Infinity"}.get(value, value)
