"""JSON records in Spark: one `from_json` with only the fields that are used, and the same verdicts as `jobs.formats.json_records`.

Spark alone is lenient in places (a number in a text field, trailing text, seconds as timestamps); what it does not
refuse by itself is tested here, so that browser and job agree about every record.
"""

import secrets
from dataclasses import dataclass
from typing import Final

from pyspark.sql import DataFrame

from jobs.base.types import STRING, TIMESTAMP, Array, Atomic, DataType, Decimal, Map, Struct
from jobs.engine.columns import column, quoted, text_literal
from jobs.engine.formats.event_time import event_time_sql, time_reason_sql
from jobs.expressions.casts import cast_rule
from jobs.expressions.spark_types import schema_sql
from jobs.formats.contract import StreamContract
from jobs.formats.reasons import MAX_BYTES, MAX_DEPTH
from jobs.messages import HEADER_HEARTBEAT

_OPTIONS: Final = "map('mode', 'PERMISSIVE', 'columnNameOfCorruptRecord', '_bad', 'allowSingleQuotes', 'false', 'dateFormat', 'yyyy-MM-dd')"
_BLANKS: Final = r"' \t\n\r'"
_LEAST_DEEP_BYTES: Final = 2 * MAX_DEPTH + 2


def decoded(raw: DataFrame, contract: StreamContract, used_fields: tuple[str, ...]) -> DataFrame:
    """Records of one stream as typed rows.

    Args:
        raw: columns of the Kafka source, headers included.
        contract: what a record must be.
        used_fields: declared fields to parse; the others come out as null.

    Returns:
        All fields of the contract, then `_time`, `_append_time`, `_partition`, `_offset`, `_heartbeat` (true: only the
        time counts) and `_reason` (null for a well-formed record or heartbeat; otherwise why it is malformed).
    """
    types = {field.name: field.type for field in contract.schema_of_rows}
    required = [field.name for field in contract.schema_of_rows if not field.nullable and field.name in used_fields]
    wrapper = _Wrapper.make()
    wire = "".join(f"{quoted(name)}: {_wire_type(types[name])}, " for name in used_fields)
    texts = raw.select(
        column(f"cast(get(filter(headers, h -> h.key = {text_literal(HEADER_HEARTBEAT)}), 0).value AS STRING)", "_beat"),
        column(f"if(octet_length(value) <= {MAX_BYTES} AND is_valid_utf8(cast(value AS STRING)), cast(value AS STRING), NULL)", "_text"),
        column(
            "CASE WHEN value IS NULL THEN 'VALUE_NULL' WHEN octet_length(value) > " + str(MAX_BYTES) + " THEN 'TOO_LARGE' END", "_outside"
        ),
        column("timestamp", "_append_time"),
        column("partition", "_partition"),
        column("offset", "_offset"),
    )
    read = texts.select("*", column(wrapper.parsed_sql(f"STRUCT<{wire}{wrapper.end}: INT>"), "_json"))
    parsed = read.select("*", column(f"CASE WHEN {wrapper.whole_sql('_json')} THEN {wrapper.record_sql('_json')} END", "_record"))
    fields = [column(_field_sql(name, types[name], name in used_fields), name) for name in types]
    fits = " AND ".join(["true", *(_fits(_wire_field(name), types[name]) for name in used_fields)])
    kept = ["_beat", "_append_time", "_partition", "_offset"]
    typed = parsed.select(*kept, *fields, column(_form_reason_sql(wrapper, fits), "_form"))
    timed = typed.select("*", column(_time_sql(contract), "_time"))
    missing = " OR ".join(["false", *(f"{quoted(name)} IS NULL" for name in required)])
    reason = (
        f"CASE WHEN _beat IS NULL AND _form IS NOT NULL THEN _form WHEN _beat IS NULL AND ({missing}) THEN 'FIELD_MISSING' "
        f"ELSE {time_reason_sql('_time', '_append_time', contract)} END"
    )
    return timed.select(
        *(column(quoted(name)) for name in types),
        column("timestamp_micros(_time)", "_time"),
        *(column(name) for name in kept[1:]),
        column("_beat IS NOT NULL", "_heartbeat"),
        column(reason, "_reason"),
    )


def _time_sql(contract: StreamContract) -> str:
    beat = _cast("_beat", TIMESTAMP)
    return f"CASE WHEN _beat IS NOT NULL THEN unix_micros({beat}) WHEN _form IS NULL THEN {event_time_sql(contract)} END"


@dataclass(frozen=True)
class _Wrapper:
    """A record is parsed as the only element of an array, before a second array with a mark.

    Spark stops reading where a value ends; so only what stands behind the record can prove that nothing else did.
    Both names are random, so that no record can close the wrapper and open it again.
    """

    root: str
    end: str

    @classmethod
    def make(cls) -> "_Wrapper":
        return cls(f"r{secrets.token_hex(8)}", f"e{secrets.token_hex(8)}")

    @property
    def mark(self) -> str:
        return f'{{"{self.end}":1}}'

    def parsed_sql(self, element: str) -> str:
        """The parse of `_text` with this type for the record."""
        text = f"""concat('{{"{self.root}":[[', _text, '],[{self.mark}]]}}')"""
        return f"from_json({text}, '{self.root} ARRAY<ARRAY<{element}>>, _bad STRING', {_OPTIONS})"

    def record_sql(self, parsed: str) -> str:
        """The record inside a parse."""
        return f"get(get({parsed}.{self.root}, 0), 0)"

    def whole_sql(self, parsed: str, *, mark_is_text: bool = False) -> str:
        """Never-null: the parse met no error, one value, and the mark behind it."""
        mark = f"get(get({parsed}.{self.root}, 1), 0)"
        proof = f"{mark} = {text_literal(self.mark)}" if mark_is_text else f"{mark}.{self.end} = 1"
        return f"coalesce({parsed}._bad IS NULL AND size(get({parsed}.{self.root}, 0)) = 1 AND {proof}, false)"


def _form_reason_sql(wrapper: _Wrapper, fits: str) -> str:
    """Why a record has not the form of its stream; null when it has. The second parse runs for bad records only."""
    anything = wrapper.parsed_sql("STRING")
    return (
        "CASE WHEN _outside IS NOT NULL THEN _outside WHEN _text IS NULL THEN 'NOT_JSON' "
        f"WHEN {_deep_sql()} THEN 'TOO_DEEP' "
        f"WHEN _record IS NOT NULL THEN if({fits}, NULL, 'FIELD_TYPE') "
        f"WHEN NOT {wrapper.whole_sql(anything, mark_is_text=True)} THEN 'NOT_JSON' "
        f"WHEN NOT startswith(trim(LEADING {_BLANKS} FROM _text), '{{') THEN 'NOT_OBJECT' ELSE 'FIELD_TYPE' END"
    )


def _deep_sql() -> str:
    """More brackets open at once than allowed; counted exactly only where there are enough of them at all."""
    opened = "char_length(_text) - char_length(translate(_text, '{[', ''))"
    bare = r"""regexp_replace(regexp_replace(_text, '"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"', ''), '[^\\[\\]{}]', '')"""
    step = "if(c IN ('{', '['), 1, -1)"
    next_depth = f"struct(a.d + {step} AS d, greatest(a.m, a.d + {step}) AS m)"
    depth = f"aggregate(split({bare}, ''), struct(0 AS d, 0 AS m), (a, c) -> {next_depth}, a -> a.m)"
    return f"(octet_length(_text) >= {_LEAST_DEEP_BYTES} AND {opened} > {MAX_DEPTH} AND {depth} > {MAX_DEPTH})"


def _wire_type(data_type: DataType) -> str:
    """What `from_json` reads: text as variant, as only that keeps the difference to numbers; timestamps as text."""
    match data_type:
        case Array(element):
            return f"ARRAY<{_wire_type(element)}>"
        case Map(value):
            return f"MAP<STRING, {_wire_type(value)}>"
        case Struct(members):
            return "STRUCT<" + ", ".join(f"{quoted(m.name)}: {_wire_type(m.type)}" for m in members) + ">"
        case Decimal():
            return schema_sql(data_type)
        case Atomic():
            return {STRING: "VARIANT", TIMESTAMP: "STRING"}.get(data_type) or schema_sql(data_type)


def _wire_field(name: str) -> str:
    return f"_record.{quoted(name)}"


def _field_sql(name: str, data_type: DataType, used: bool) -> str:
    return _value(_wire_field(name), data_type) if used else f"cast(NULL AS {schema_sql(data_type)})"


def _value(sql: str, data_type: DataType, depth: int = 0) -> str:
    """The typed value of what was read."""
    item = f"v{depth}"
    if not _is_changed(data_type):
        return sql
    match data_type:
        case Array(element):
            return f"transform({sql}, {item} -> {_value(item, element, depth + 1)})"
        case Map(value):
            return f"transform_values({sql}, (k{depth}, {item}) -> {_value(item, value, depth + 1)})"
        case Struct(members):
            parts = ", ".join(f"{text_literal(m.name)}, {_value(f'{sql}.{quoted(m.name)}', m.type, depth)}" for m in members)
            return f"if({sql} IS NULL, NULL, named_struct({parts}))"
        case _:
            return f"try_variant_get({sql}, '$', 'string')" if data_type == STRING else _cast(sql, TIMESTAMP)


def _fits(sql: str, data_type: DataType, depth: int = 0) -> str:
    """Never-null condition: what was read is of this type, as far as `from_json` has not tested it."""
    item = f"f{depth}"
    if not _is_changed(data_type):
        return "true"
    match data_type:
        case Array(element):
            return f"coalesce(forall({sql}, {item} -> {_fits(item, element, depth + 1)}), true)"
        case Map(value):
            return f"coalesce(forall(map_values({sql}), {item} -> {_fits(item, value, depth + 1)}), true)"
        case Struct(members):
            return "(" + " AND ".join(_fits(f"{sql}.{quoted(m.name)}", m.type, depth) for m in members) + ")"
        case _ if data_type == STRING:
            return f"(coalesce(schema_of_variant({sql}), 'VOID') IN ('STRING', 'VOID'))"
        case _:
            return f"({sql} IS NULL OR {_cast(sql, TIMESTAMP)} IS NOT NULL)"


def _is_changed(data_type: DataType) -> bool:
    match data_type:
        case Array(part) | Map(part):
            return _is_changed(part)
        case Struct(members):
            return any(_is_changed(member.type) for member in members)
        case _:
            return data_type in (STRING, TIMESTAMP)


def _cast(sql: str, data_type: DataType) -> str:
    rule = cast_rule(STRING, data_type)
    if rule is None:
        raise TypeError(f"text cannot be read as {data_type}")
    return rule.sql.format(sql, type=schema_sql(data_type))
