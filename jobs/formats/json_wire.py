"""What `from_json` is asked for, and what becomes of it: types on the wire, typed values, and the tests that
Spark leaves out.

Spark alone is lenient in places (a number in a text field, seconds as timestamps). Timestamps are therefore
read as texts, and texts as variants, as only those keep the difference to numbers. Scripts decode so; jobs
decode in the JVM (`jobs.engine.formats.native`).
"""

from dataclasses import dataclass
from typing import Final

from jobs.base.instants import MAX_DAY, MAX_INSTANT, MIN_DAY, MIN_INSTANT
from jobs.base.iso_times import ISO_DATE
from jobs.base.time_units import SHORT_UNIT_US
from jobs.base.types import DATE, STRING, TIMESTAMP, Array, Atomic, DataType, Decimal, Map, Struct, holds
from jobs.expressions.casts import cast_rule
from jobs.expressions.spark_types import quoted, schema_sql
from jobs.expressions.texts_sql import string_sql

_ONLY_DATE: Final = rf"^(?:{ISO_DATE})\z"


@dataclass(frozen=True)
class JsonWire:
    """How JSON values of declared types are read.

    Attributes:
        time_unit: as in `jobs.formats.json_records.typed_fields`.
    """

    time_unit: str = ""

    def type(self, data_type: DataType) -> str:
        """The type that `from_json` is given."""
        match data_type:
            case Array(element):
                return f"ARRAY<{self.type(element)}>"
            case Map(value):
                return f"MAP<STRING, {self.type(value)}>"
            case Struct(members):
                return "STRUCT<" + ", ".join(f"{quoted(m.name)}: {self.type(m.type)}" for m in members) + ">"
            case Decimal():
                return schema_sql(data_type)
            case Atomic():
                return self._atomic_type(data_type)

    def _atomic_type(self, data_type: Atomic) -> str:
        if self.time_unit and data_type in (TIMESTAMP, DATE):
            return "VARIANT"
        if data_type == STRING:
            return "VARIANT"
        return "STRING" if data_type == TIMESTAMP else schema_sql(data_type)

    def value(self, sql: str, data_type: DataType, depth: int = 0) -> str:
        """The typed value of what was read."""
        item = f"v{depth}"
        if not self._is_changed(data_type):
            return sql
        match data_type:
            case Array(element):
                return f"transform({sql}, {item} -> {self.value(item, element, depth + 1)})"
            case Map(value):
                return f"transform_values({sql}, (k{depth}, {item}) -> {self.value(item, value, depth + 1)})"
            case Struct(members):
                parts = ", ".join(
                    f"{string_sql(m.name)}, {self.value(f'{sql}.{quoted(m.name)}', m.type, depth)}"
                    for m in members
                )
                return f"if({sql} IS NULL, NULL, named_struct({parts}))"
            case _:
                return self._leaf(sql, data_type)

    def fits(self, sql: str, data_type: DataType, depth: int = 0) -> str:
        """Never-null condition: what was read is of this type, as far as `from_json` has not tested it."""
        item = f"f{depth}"
        if not self._is_changed(data_type):
            return "true"
        match data_type:
            case Array(element):
                return f"coalesce(forall({sql}, {item} -> {self.fits(item, element, depth + 1)}), true)"
            case Map(value):
                return (
                    f"coalesce(forall(map_values({sql}), {item} -> {self.fits(item, value, depth + 1)}), "
                    "true)"
                )
            case Struct(members):
                return (
                    "("
                    + " AND ".join(self.fits(f"{sql}.{quoted(m.name)}", m.type, depth) for m in members)
                    + ")"
                )
            case _:
                return self._leaf_fits(sql, data_type)

    def _leaf_fits(self, sql: str, data_type: DataType) -> str:
        if data_type == STRING:
            return f"(coalesce(schema_of_variant({sql}), 'VOID') IN ('STRING', 'VOID'))"
        absent = (
            f"coalesce(schema_of_variant({sql}), 'VOID') = 'VOID'" if self.time_unit else f"{sql} IS NULL"
        )
        return f"({absent} OR {self._leaf(sql, data_type)} IS NOT NULL)"

    def _is_changed(self, data_type: DataType) -> bool:
        return holds(data_type, self._leaf_is_changed)

    def _leaf_is_changed(self, leaf: DataType) -> bool:
        if leaf == STRING:
            return True
        return leaf == TIMESTAMP or (bool(self.time_unit) and leaf == DATE)

    def _leaf(self, sql: str, data_type: DataType) -> str:
        if data_type == STRING:
            return f"try_variant_get({sql}, '$', 'string')"
        if self.time_unit:
            return self._counted(sql, data_type)
        return iso_timestamp(sql)

    def _counted(self, sql: str, data_type: DataType) -> str:
        """A timestamp or date that is a text or counts from 1970."""
        count, text = f"try_variant_get({sql}, '$', 'bigint')", f"try_variant_get({sql}, '$', 'string')"
        if data_type == DATE:
            number = (
                f"if({count} BETWEEN {MIN_DAY} AND {MAX_DAY}, date_from_unix_date(cast({count} AS "
                "INT)), NULL)"
            )
            read = iso_date(text)
        else:
            micros = self._micros(count)
            number = (
                f"timestamp_micros(if({micros} >= {MIN_INSTANT}L AND {micros} < {MAX_INSTANT}L, "
                f"{micros}, NULL))"
            )
            read = iso_timestamp(text)
        return f"CASE schema_of_variant({sql}) WHEN 'BIGINT' THEN {number} WHEN 'STRING' THEN {read} END"

    def _micros(self, count: str) -> str:
        if self.time_unit == "ns":
            return micros_of_nanos(count)
        return f"try_multiply({count}, {SHORT_UNIT_US[self.time_unit]}L)"


def micros_of_nanos(nanos: str) -> str:
    """Whole microseconds of a BIGINT's nanoseconds, floored; what is taken off before the division could
    overflow.
    """
    return f"({nanos} div 1000L - if({nanos} % 1000L < 0, 1L, 0L))"


def iso_timestamp(text: str) -> str:
    """The instant of an ISO text, or null."""
    rule = cast_rule(STRING, TIMESTAMP)
    if rule is None:
        raise TypeError("text cannot be read as a timestamp")
    return rule.sql.format(text, type=schema_sql(TIMESTAMP))


def iso_date(text: str) -> str:
    """The day of an ISO text without blanks around it, or null."""
    return f"if({text} RLIKE {string_sql(_ONLY_DATE)}, try_cast({text} AS DATE), NULL)"
