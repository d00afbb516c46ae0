"""The event time of a record (`docs/semantics/time.md#event-time-of-a-record`)."""

import math
import re
from datetime import UTC, date, datetime, time
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

from tests.oracle.casts import cast
from tests.oracle.values import EPOCH, MICRO, micros, typed

PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
END = 253_402_300_800_000_000  # the year 10000
KAFKA = {"kind": "kafka_timestamp"}


def event_time(contract: dict[str, Any], values: dict[str, Any], timestamp: int) -> int | None:
    """In µs; None where the record has none, and is malformed.

    Args:
        contract: of the stream or table.
        values: of the record, as JSON values.
        timestamp: Kafka's, in µs.
    """
    rule = contract.get("event_time", KAFKA)
    found = _by_rule(rule, contract, values, timestamp)
    if found is None and rule.get("on_missing") == "kafka_timestamp":
        found = timestamp
    return _within_bounds(contract, found, timestamp)


def deletion_time(contract: dict[str, Any], key: dict[str, Any], timestamp: int) -> int | None:
    """The same of a table's deletion, which has the fields of its key alone."""
    parts = parts_of(contract.get("event_time", KAFKA))
    is_in_key = {part["field"] for part in parts.values()} <= set(contract["key"])
    return event_time(contract if is_in_key else {**contract, "event_time": KAFKA}, key, timestamp)


def parts_of(rule: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The fields that a contract's event time is read from, by what each is: of `field` that one alone, of
    `corrected` device, sent and perhaps received.
    """
    if rule["kind"] == "field":
        return {"field": rule}
    return {name: rule[name] for name in ("device", "sent", "received") if name in rule}


def heartbeat_time(contract: dict[str, Any], said: str, timestamp: int) -> int | None:
    """The same of a heartbeat record, whose header says it
    (`docs/semantics/records-and-formats.md#heartbeat-records`).
    """
    return _within_bounds(contract, _of_text(said, {}), timestamp)


def _within_bounds(contract: dict[str, Any], found: int | None, timestamp: int) -> int | None:
    if found is None or not 0 < found < END:
        return None
    ahead = contract.get("max_ahead")
    return None if ahead is not None and found - timestamp > micros(ahead) else found


def _by_rule(
    rule: dict[str, Any], contract: dict[str, Any], values: dict[str, Any], timestamp: int
) -> int | None:
    if rule["kind"] == "kafka_timestamp":
        return timestamp
    read = {name: _of_field(part, contract, values) for name, part in parts_of(rule).items()}
    if rule["kind"] == "field":
        return read["field"]
    device, sent, received = read["device"], read["sent"], read.get("received", timestamp)
    if device is None or sent is None or received is None:
        return None
    is_far = max(abs(device), abs(sent), abs(received)) >= END
    return END if is_far else device + (received - sent)


def _of_field(rule: dict[str, Any], contract: dict[str, Any], values: dict[str, Any]) -> int | None:
    name = rule["field"]
    type_ = next(field["type"] for field in contract["fields"] if field["name"] == name)
    value = typed(values.get(name), type_)
    match value:
        case None:
            return None
        case datetime():
            return (value - EPOCH) // MICRO
        case date():
            return _instant(datetime.combine(value, time()), rule)
        case str():
            return _of_text(value, rule)
        case float():
            product = value * (1_000_000 / PER_SECOND[rule["unit"]])
            return math.floor(product) if math.isfinite(product) else END
        case _:
            return math.floor(Fraction(value) * 1_000_000 / PER_SECOND[rule["unit"]])


def _of_text(text: str, rule: dict[str, Any]) -> int | None:
    found = cast(text, "timestamp")
    if found is None or re.search(r"(Z|[+-]\d\d:\d\d)\s*$", text):
        return None if found is None else (found - EPOCH) // MICRO
    return _instant(found.replace(tzinfo=None), rule)


def _instant(local: datetime, rule: dict[str, Any]) -> int:
    """The earlier of two; a skipped one is shifted forward."""
    return (local.replace(tzinfo=ZoneInfo(rule.get("zone", "UTC"))).astimezone(UTC) - EPOCH) // MICRO
