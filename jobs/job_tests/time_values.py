"""An event time as the value of the field from which a contract reads it."""

from contextlib import suppress
from datetime import date, time
from decimal import Decimal as Number
from functools import cache
from typing import Any, Final, Literal

from jobs.base.instants import Instant, date_text, datetime_of, instant_text
from jobs.base.time_zones import zone_named
from jobs.base.types import (
    DATE,
    DOUBLE,
    INT,
    INT_RANGE,
    LONG_RANGE,
    STRING,
    TIMESTAMP,
    DataType,
    Decimal,
    type_text,
)
from jobs.formats.contract import EventTime, StreamContract, TimeFormat
from jobs.formats.event_time import event_time
from jobs.formats.records import Malformed
from jobs.job_tests.record_bytes import CannotWriteError

_UNIT_NS: Final = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}


def time_value(instant: Instant, rule: TimeFormat, declared: DataType) -> Any:
    """An instant as the value of the field from which a contract reads event times.

    Args:
        instant: the event time.
        rule: how the field holds it.
        declared: the field's type.

    Raises:
        CannotWriteError: the field has a pattern, or cannot hold the instant exactly.
    """
    if declared == TIMESTAMP or (declared == STRING and rule.format == "iso"):
        return instant_text(instant)
    if declared == DATE:
        return date_text(_day(instant, rule.zone))
    if declared == STRING:
        raise CannotWriteError("Its event time is a text with a pattern; write that field in values.")
    if declared == DOUBLE:
        return _double(instant, rule)
    if isinstance(declared, Decimal):
        limit = 10**declared.precision
        count = _counted(instant, rule, declared, declared.scale, range(1 - limit, limit))
        return format(Number(count).scaleb(-declared.scale), "f")
    return _counted(instant, rule, declared, 0, INT_RANGE if declared == INT else LONG_RANGE)


def _counted(instant: Instant, rule: TimeFormat, declared: DataType, scale: int, allowed: range) -> int:
    """The instant in units of 10^-scale of the rule's unit."""
    parts: int = instant * 1_000 * 10**scale
    count, rest = divmod(parts, _UNIT_NS[rule.unit or "ms"])
    if rest:
        raise CannotWriteError(
            f"Its event time is {type_text(declared)} in {rule.unit or 'ms'}, which has no such fraction."
        )
    if count not in allowed:
        raise CannotWriteError(
            f"Its event time is {type_text(declared)} in {rule.unit or 'ms'}, which has no such number."
        )
    return count


def _double(instant: Instant, rule: TimeFormat) -> float:
    counted = instant * 1_000 / _UNIT_NS[rule.unit or "ms"]
    read = event_time({"at": counted}, _contract_of_doubles(rule.unit), instant)
    if read != instant and not isinstance(read, Malformed):
        raise CannotWriteError(
            f"Its event time is a double in {rule.unit or 'ms'}, which would be read as {instant_text(read)}."
        )
    return counted


@cache
def _contract_of_doubles(unit: Literal["s", "ms", "us", "ns"] | None) -> StreamContract:
    return StreamContract.model_validate(
        {
            "fields": [{"name": "at", "type": "double"}],
            "event_time": EventTime(kind="field", field="at", unit=unit),
        }
    )


def _day(instant: Instant, zone: str) -> date:
    with suppress(OverflowError):  # before the year 1, or after 9999, in its zone
        moment = datetime_of(instant).astimezone(zone_named(zone))
        if moment.time() == time():
            return moment.date()
    raise CannotWriteError(f"Its event time is a date, which begins at midnight ({zone}).")
