"""Event time of a record as Spark SQL: whole microseconds as BIGINT, by the rule of its stream (`semantics.md` 1.2)."""

from typing import Final

from jobs.base.durations import parse_duration
from jobs.base.instants import MAX_INSTANT
from jobs.base.types import DATE, DOUBLE, INT, LONG, STRING, TIMESTAMP, DataType, Decimal
from jobs.expressions.casts import cast_rule
from jobs.expressions.spark_types import quoted, schema_sql
from jobs.expressions.write_spark import string_sql
from jobs.formats.contract import EventTime, StreamContract

CHANGE_MS: Final = "_change_ms"
"""BIGINT: when a change was made, of change events."""
OUT_OF_RANGE: Final = 0  # any instant outside (0, MAX_INSTANT) says the same

_MICROS: Final = {"s": 1_000_000, "ms": 1_000, "us": 1}
_HAS_OFFSET: Final = "(Z|[+-][0-9]{2}:[0-9]{2})\\\\s*$"


def event_time_sql(contract: StreamContract) -> str:
    """BIGINT: microseconds; null where there is none; `OUT_OF_RANGE` where a number does not fit."""
    rule = contract.event_time
    if rule.kind == "change":
        found = _whole_micros(CHANGE_MS, "ms")
        return f"coalesce({found}, unix_micros(_append_time))" if rule.on_missing == "append" else found
    if rule.kind == "append" or rule.field is None:
        return "unix_micros(_append_time)"
    declared = contract.schema_of_rows.get(rule.field)
    if declared is None:
        raise ValueError(f"the event-time field {rule.field!r} is not declared")
    found = _field_micros(quoted(rule.field), declared.type, rule)
    return f"coalesce({found}, unix_micros(_append_time))" if rule.on_missing == "append" else found


def deletion_time_sql(contract: StreamContract) -> str:
    """The event time of a deletion, which has no fields but those of its key: append time stands in for others."""
    rule = contract.event_time
    if rule.kind == "change":
        return f"coalesce({_whole_micros(CHANGE_MS, 'ms')}, unix_micros(_append_time))"
    return event_time_sql(contract) if rule.field in contract.key else "unix_micros(_append_time)"


def time_reason_sql(micros: str, append_time: str, contract: StreamContract) -> str:
    """Why a time is no event time; null when it is one."""
    ahead = ""
    if contract.max_ahead is not None:
        ahead = f" WHEN {micros} > unix_micros({append_time}) + {parse_duration(contract.max_ahead).us}L THEN 'TIME_AHEAD'"
    return f"CASE WHEN {micros} IS NULL THEN 'TIME_MISSING' WHEN {micros} <= 0 OR {micros} >= {MAX_INSTANT}L THEN 'TIME_RANGE'{ahead} END"


def _field_micros(sql: str, data_type: DataType, rule: EventTime) -> str:
    if data_type in (INT, LONG):
        return _whole_micros(sql, rule.unit or "ms")
    if data_type == DOUBLE:
        return _guarded(f"{sql} * {_double_factor(rule.unit or 'ms')}", sql)
    if isinstance(data_type, Decimal):
        return _guarded(f"try_multiply(cast({sql} AS DECIMAL(38,{data_type.scale})), {_decimal_factor(rule.unit or 'ms')})", sql)
    if data_type == TIMESTAMP:
        return f"unix_micros({sql})"
    if data_type == DATE:
        return f"unix_micros({_local(f'cast({sql} AS TIMESTAMP)', rule.zone)})"
    if data_type == STRING:
        return f"unix_micros({_text_time(sql, rule)})"
    raise ValueError(f"{data_type} cannot be an event time")


def _whole_micros(sql: str, unit: str) -> str:
    """Exact, and without overflow: what is out of range never reaches the product."""
    if unit == "ns":
        return f"((cast({sql} AS BIGINT) - pmod(cast({sql} AS BIGINT), 1000L)) div 1000L)"
    factor = _MICROS[unit]
    outside = f"{sql} <= 0 OR {sql} > {MAX_INSTANT // factor}L"
    return f"CASE WHEN {sql} IS NULL THEN NULL WHEN {outside} THEN {OUT_OF_RANGE}L ELSE cast({sql} AS BIGINT) * {factor}L END"


def _guarded(product: str, sql: str) -> str:
    """Floors a product that lies in range; NaN counts as above it."""
    inside = f"{product} > 0 AND {product} < {MAX_INSTANT}"
    return f"CASE WHEN {sql} IS NULL THEN NULL WHEN {inside} THEN cast(floor({product}) AS BIGINT) ELSE {OUT_OF_RANGE}L END"


def _double_factor(unit: str) -> str:
    return {"s": "1000000D", "ms": "1000D", "us": "1D", "ns": "0.001D"}[unit]


def _decimal_factor(unit: str) -> str:
    return {"s": "1000000BD", "ms": "1000BD", "us": "1BD", "ns": "0.001BD"}[unit]


def _text_time(sql: str, rule: EventTime) -> str:
    if rule.format is None or rule.format == "iso":
        cast = cast_rule(STRING, TIMESTAMP)
        if cast is None:
            raise ValueError("text cannot be read as a timestamp")
        parsed = cast.sql.format(sql, type=schema_sql(TIMESTAMP))
        if rule.zone == "UTC":
            return parsed
        return f"if({sql} RLIKE '{_HAS_OFFSET}', {parsed}, {_local(parsed, rule.zone)})"
    parsed = f"try_to_timestamp({sql}, {string_sql(rule.format)})"
    return parsed if rule.zone == "UTC" or "XXX" in rule.format else _local(parsed, rule.zone)


def _local(sql: str, zone: str) -> str:
    """A local time of a zone as an instant: the earlier of two, a skipped one shifted forward (`semantics.md` 1.4)."""
    return sql if zone == "UTC" else f"to_utc_timestamp({sql}, {string_sql(zone)})"
