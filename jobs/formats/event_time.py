"""Event time of a decoded record, by the rule of its stream
(`docs/semantics/time.md#event-time-of-a-record`).
"""

import math
from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal as Number
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final
from zoneinfo import ZoneInfo

from jobs.base.durations import parse_duration
from jobs.base.instants import MAX_INSTANT, Instant, instant_of, instant_text
from jobs.base.iso_times import read_instant
from jobs.base.time_patterns import TimePattern, compile_pattern
from jobs.base.time_zones import zone_named
from jobs.formats.contract import EventTime, StreamContract, TimeField, TimeFormat
from jobs.formats.records import Malformed

_OUT_OF_RANGE: Final = Instant(MAX_INSTANT)  # event times are smaller
_FACTORS: Final = {"s": 1e6, "ms": 1e3, "us": 1.0, "ns": 0.001}
_MICROS: Final = {
    "s": Fraction(1_000_000),
    "ms": Fraction(1_000),
    "us": Fraction(1),
    "ns": Fraction(1, 1_000),
}


def event_time(
    values: Mapping[str, Any],
    contract: StreamContract,
    timestamp_us: int,
    change_ms: int | None = None,
    *,
    deleted: bool = False,
) -> Instant | Malformed:
    """The event time of a record's values.

    Args:
        values: declared fields, decoded; None for null.
        contract: of the stream.
        timestamp_us: Kafka's timestamp of the record, in microseconds.
        change_ms: when the change was made, as a change event says.
        deleted: the record deletes a row: it has no fields to read a time from, so the Kafka timestamp stands
            in.

    Returns:
        The instant, or TIME_MISSING, TIME_RANGE or TIME_AHEAD.
    """
    rule = contract.event_time
    if rule.kind == "change" and (change_ms is not None or not deleted):
        found = None if change_ms is None else _bounded(change_ms * 1_000)
    elif deleted and not set(rule.read_from) <= set(contract.key):
        found = Instant(timestamp_us)
    else:
        found = _read(values, rule, timestamp_us)
    if found is None and rule.on_missing == "kafka_timestamp":
        found = Instant(timestamp_us)
    return within_bounds(found, contract, timestamp_us, next(iter(rule.read_from), ""))


def _read(values: Mapping[str, Any], rule: EventTime, timestamp_us: int) -> Instant | None:
    if rule.kind == "field" and rule.field is not None:
        return _of_value(values.get(rule.field), rule)
    if rule.kind == "corrected":
        return _corrected(values, rule, timestamp_us)
    return Instant(timestamp_us)


def within_bounds(
    found: Instant | None, contract: StreamContract, timestamp_us: int, place: str
) -> Instant | Malformed:
    """The instant, when it can be an event time; TIME_MISSING, TIME_RANGE or TIME_AHEAD when it cannot.

    Args:
        found: None where there is none.
        contract: of the stream.
        timestamp_us: Kafka's timestamp of the record, in microseconds.
        place: where it was read: a field, a header; empty for none.
    """
    if found is None:
        return Malformed("TIME_MISSING", "The event time is missing.", place)
    if not 0 < found < MAX_INSTANT:
        return Malformed("TIME_RANGE", "The event time is outside 1970 to 9999.", place)
    if contract.max_ahead is not None and found > timestamp_us + parse_duration(contract.max_ahead).us:
        return Malformed(
            "TIME_AHEAD",
            f"Event time {instant_text(found)} is more than {contract.max_ahead} ahead of the Kafka "
            "timestamp.",
            place,
        )
    return found


def _corrected(values: Mapping[str, Any], rule: EventTime, timestamp_us: int) -> Instant | None:
    """By the device's clock, and on by what that clock lacks.

    The clock may stand anywhere: only the sum is an event time.
    """
    device, sent = _part(values, rule.device), _part(values, rule.sent)
    received = Instant(timestamp_us) if rule.received is None else _part(values, rule.received)
    if device is None or sent is None or received is None:
        return None
    return _OUT_OF_RANGE if _OUT_OF_RANGE in (device, sent, received) else Instant(device + received - sent)


def _part(values: Mapping[str, Any], part: TimeField | None) -> Instant | None:
    return None if part is None else _of_value(values.get(part.field), part)


def _of_value(value: Any, rule: TimeFormat) -> Instant | None:
    """Microseconds of a value of any type that may hold an instant;
    `_OUT_OF_RANGE` for numbers that fit nowhere.
    """
    match value:
        case None | bool():
            return None
        case int() | Number():
            return _bounded(math.floor(Fraction(value) * _MICROS[rule.unit or "ms"]))
        case float():
            product = value * _FACTORS[rule.unit or "ms"]
            return Instant(math.floor(product)) if -MAX_INSTANT < product < MAX_INSTANT else _OUT_OF_RANGE
        case datetime():
            return instant_of(value)
        case date():
            return _midnight(value, zone_named(rule.zone))
        case str():
            return _of_text(value, rule)
    return None


def _bounded(micros: int) -> Instant:
    return Instant(micros) if -MAX_INSTANT < micros < MAX_INSTANT else _OUT_OF_RANGE


def _of_text(text: str, rule: TimeFormat) -> Instant | None:
    if rule.format is None or rule.format == "iso":
        return read_instant(text, zone_named(rule.zone))
    pattern = _pattern(rule.format)
    return pattern.read(text, zone_named(rule.zone)) if pattern is not None else None


def _midnight(day: date, zone: ZoneInfo) -> Instant | None:
    try:
        return instant_of(datetime.combine(day, time(), tzinfo=zone))
    except OverflowError:
        return _OUT_OF_RANGE


@lru_cache(maxsize=64)
def _pattern(text: str) -> TimePattern | None:
    return compile_pattern(text)
