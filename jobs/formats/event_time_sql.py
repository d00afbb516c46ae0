"""Event time of a record as Spark SQL: whole microseconds as BIGINT, by the rule of its stream.

See `docs/semantics/time.md#event-time-of-a-record`.
"""

from typing import Final

from jobs.base.durations import parse_duration
from jobs.base.instants import MAX_INSTANT
from jobs.base.time_patterns import compile_pattern
from jobs.base.time_units import SHORT_UNIT_US
from jobs.base.types import DATE, DOUBLE, INT, LONG, LONG_RANGE, STRING, TIMESTAMP, DataType, Decimal
from jobs.expressions.ranges import micros_in_range
from jobs.expressions.spark_types import quoted
from jobs.expressions.sql_times import iso_time, pattern_time
from jobs.expressions.texts_sql import string_sql
from jobs.formats.contract import StreamContract, TimeField, TimeFormat
from jobs.formats.json_wire import micros_of_nanos

CHANGE_MS: Final = "_change_ms"
"""BIGINT: when a change was made, of change events."""
OUT_OF_RANGE: Final = 4 * MAX_INSTANT
"""Stands for what lies nowhere within ±MAX_INSTANT.

Two such instants added to it do not bring it back, and three of it fit a BIGINT.
"""

_TIMESTAMP_MICROS: Final = "unix_micros(_timestamp)"
_HAS_OFFSET: Final = r"(Z|[+-][0-9]{2}:[0-9]{2})[\x00-\x20]*\z"
_FRACTION_DIGITS: Final = {"s": 6, "ms": 3, "us": 0, "ns": -3}
"""Digits behind the point that are whole microseconds."""


def event_time_sql(contract: StreamContract) -> str:
    """BIGINT: microseconds; null where there is none; outside 0 to MAX_INSTANT where it is out of range."""
    rule = contract.event_time
    if rule.kind == "change":
        found = _whole_micros(CHANGE_MS, "ms")
    elif rule.kind == "corrected" and rule.device is not None and rule.sent is not None:
        found = _corrected_micros(contract, rule.device, rule.sent, rule.received)
    elif rule.kind == "field" and rule.field is not None:
        found = _field_micros(contract, rule.field, rule)
    else:
        return _TIMESTAMP_MICROS
    return f"coalesce({found}, {_TIMESTAMP_MICROS})" if rule.on_missing == "kafka_timestamp" else found


def deletion_time_sql(contract: StreamContract) -> str:
    """The event time of a deletion, which has no fields but those of its key:
    the Kafka timestamp stands in for others.
    """
    rule = contract.event_time
    if rule.kind == "change":
        return f"coalesce({_whole_micros(CHANGE_MS, 'ms')}, {_TIMESTAMP_MICROS})"
    return event_time_sql(contract) if set(rule.read_from) <= set(contract.key) else _TIMESTAMP_MICROS


def time_reason_sql(micros: str, timestamp: str, contract: StreamContract) -> str:
    """Why a time is no event time; null when it is one."""
    ahead = ""
    if contract.max_ahead is not None:
        ahead = f" WHEN {is_ahead_sql(micros, timestamp, contract.max_ahead)} THEN 'TIME_AHEAD'"
    return (
        f"CASE WHEN {micros} IS NULL THEN 'TIME_MISSING' WHEN {micros} <= 0 OR {micros} >= {MAX_INSTANT}L "
        f"THEN 'TIME_RANGE'{ahead} END"
    )


def is_ahead_sql(micros: str, timestamp: str, max_ahead: str) -> str:
    """True where a time, which is in range, is more than a duration later than a timestamp. Their difference
    fits a BIGINT, the sum of timestamp and duration need not.
    """
    span = min(parse_duration(max_ahead).us, LONG_RANGE[-1])
    return f"{micros} - unix_micros({timestamp}) > {span}L"


def _corrected_micros(
    contract: StreamContract, device: TimeField, sent: TimeField, received: TimeField | None
) -> str:
    """Null when a part is; whichever part is out of range takes the sum with it,
    because all of them push it the same way.
    """
    by_device = _field_micros(contract, device.field, device)
    by_sender = _field_micros(contract, sent.field, sent, outside=-OUT_OF_RANGE)
    by_receiver = _TIMESTAMP_MICROS if received is None else _field_micros(contract, received.field, received)
    return f"({by_device} + ({by_receiver} - {by_sender}))"


def _field_micros(contract: StreamContract, name: str, rule: TimeFormat, outside: int = OUT_OF_RANGE) -> str:
    declared = contract.schema_of_rows.get(name)
    if declared is None:
        raise ValueError(f"the event-time field {name!r} is not declared")
    return _value_micros(quoted(name), declared.type, rule, outside)


def _value_micros(sql: str, data_type: DataType, rule: TimeFormat, outside: int) -> str:
    if data_type in (INT, LONG):
        return _whole_micros(sql, rule.unit or "ms", outside)
    if data_type == DOUBLE:
        return _guarded(f"{sql} * {_double_factor(rule.unit or 'ms')}", sql, outside)
    if isinstance(data_type, Decimal):
        return _guarded(_decimal_product(sql, data_type.scale, rule.unit or "ms"), sql, outside)
    if data_type == TIMESTAMP:
        return f"unix_micros({sql})"
    if data_type == DATE:
        return f"unix_micros({_local(f'cast({sql} AS TIMESTAMP)', rule.zone)})"
    if data_type == STRING:
        return f"unix_micros({_text_time(sql, rule)})"
    raise ValueError(f"{data_type} cannot be an event time")


def _whole_micros(sql: str, unit: str, outside: int = OUT_OF_RANGE) -> str:
    """Exact, and without overflow: what is out of range never reaches the product."""
    if unit == "ns":
        return micros_of_nanos(f"cast({sql} AS BIGINT)")
    factor = SHORT_UNIT_US[unit]
    beyond = f"{sql} <= -{MAX_INSTANT // factor}L OR {sql} >= {MAX_INSTANT // factor}L"
    return (
        f"CASE WHEN {sql} IS NULL THEN NULL WHEN {beyond} THEN {outside}L "
        f"ELSE cast({sql} AS BIGINT) * {factor}L END"
    )


def _guarded(product: str, sql: str, outside: int) -> str:
    """Floors a product that lies in range; NaN counts as above it."""
    inside = f"{product} > -{MAX_INSTANT} AND {product} < {MAX_INSTANT}"
    return (
        f"CASE WHEN {sql} IS NULL THEN NULL WHEN {inside} THEN cast(floor({product}) AS BIGINT) "
        f"ELSE {outside}L END"
    )


def _double_factor(unit: str) -> str:
    return {"s": "1000000D", "ms": "1000D", "us": "1D", "ns": "0.001D"}[unit]


def _decimal_product(sql: str, scale: int, unit: str) -> str:
    """Whole microseconds: what is less than one is left out first, as Spark would round the product's last
    digits where it has more than 38.
    """
    digits = _FRACTION_DIGITS[unit]
    floored, kept = (f"floor({sql}, {digits})", max(digits, 0)) if scale > digits else (sql, scale)
    return f"try_multiply(cast({floored} AS DECIMAL(38,{kept})), {_decimal_factor(unit)})"


def _decimal_factor(unit: str) -> str:
    return {"s": "1000000BD", "ms": "1000BD", "us": "1BD", "ns": "0.001BD"}[unit]


def _text_time(sql: str, rule: TimeFormat) -> str:
    if rule.format is None or rule.format == "iso":
        parsed = iso_time(sql)
        if rule.zone == "UTC":
            return parsed
        return f"if({sql} RLIKE {string_sql(_HAS_OFFSET)}, {parsed}, {_local_in_years(parsed, rule.zone)})"
    pattern = compile_pattern(rule.format)
    if pattern is None:
        raise ValueError(f"{rule.format!r} is no pattern")
    parsed = pattern_time(sql, pattern)
    is_local = rule.zone != "UTC" and "offset" not in pattern.regex.groupindex
    return _local_in_years(parsed, rule.zone) if is_local else parsed


def _local_in_years(sql: str, zone: str) -> str:
    """As `_local`; null outside the years 1 to 9999."""
    return micros_in_range(f"unix_micros({_local(sql, zone)})")


def _local(sql: str, zone: str) -> str:
    """A local time of a zone as an instant: the earlier of two, a skipped one shifted forward
    (`docs/semantics/time.md#local-time`).
    """
    return sql if zone == "UTC" else f"to_utc_timestamp({sql}, {string_sql(zone)})"
