"""JSON values in Spark: one `from_json` with only the fields that are used, and the same verdicts as `jobs.formats.json_records`."""

from pyspark.sql import DataFrame

from jobs.base.schemas import Field
from jobs.engine.columns import column, quoted
from jobs.engine.formats.json_wrapper import BLANKS, JsonWrapper, deep_sql
from jobs.engine.formats.stages import BODY, FORM, OUTSIDE, kept_columns, unused_sql, utf8_sql
from jobs.formats.json_wire import JsonWire, holds_text


def read_json(frame: DataFrame, fields: tuple[Field, ...], used: tuple[str, ...]) -> DataFrame:
    """Fields of JSON objects.

    Args:
        frame: with `BODY` and `OUTSIDE`.
        fields: that the value holds.
        used: those to parse; the others come out as null.

    Returns:
        The other columns of the frame, the fields, and `FORM`.
    """
    wire, wrapper = JsonWire(plain_texts=True), JsonWrapper.make()
    parsed = [field for field in fields if field.name in used]
    members = "".join(f"{quoted(field.name)}: {wire.type(field.type)}, " for field in parsed)
    rest = kept_columns(frame.columns, BODY)
    texts = frame.select(*map(column, rest), column(utf8_sql(BODY), "_text"))
    read = texts.select("*", column(wrapper.parsed_sql(f"STRUCT<{members}{wrapper.end}: INT>"), "_json"))
    records = read.select("*", column(f"CASE WHEN {wrapper.whole_sql('_json')} THEN {wrapper.value_sql('_json')} END", "_record"))
    values = [column(wire.value(_member(f), f.type) if f in parsed else unused_sql(f), f.name) for f in fields]
    fits = " AND ".join(["true", *(wire.fits(_member(field), field.type) for field in parsed), *_texts_fit(wire, wrapper, parsed)])
    return records.select(*map(column, kept_columns(frame.columns, BODY, OUTSIDE)), *values, column(_form_sql(wrapper, fits), FORM))


def _texts_fit(wire: JsonWire, wrapper: JsonWrapper, parsed: list[Field]) -> list[str]:
    """Never-null conditions: what was read as a text was one. Only a record with a doubtful text is parsed a second time, strictly."""
    texts = [field for field in parsed if holds_text(field.type)]
    if not texts:
        return []
    strict = JsonWire()
    members = "".join(f"{quoted(field.name)}: {strict.type(field.type)}, " for field in texts)
    again = wrapper.parsed_sql(f"STRUCT<{members}{wrapper.end}: INT>")
    fits = " AND ".join(strict.fits(f"{wrapper.value_sql('p')}.{quoted(field.name)}", field.type) for field in texts)
    doubtful = " OR ".join(wire.doubtful(_member(field), field.type) for field in texts)
    return [f"if({doubtful}, coalesce(get(transform(array({again}), p -> {fits}), 0), false), true)"]


def _member(field: Field) -> str:
    return f"_record.{quoted(field.name)}"


def _form_sql(wrapper: JsonWrapper, fits: str) -> str:
    """Why a value has not the form of its stream; null when it has. The second parse runs for bad records only."""
    return (
        f"CASE WHEN {OUTSIDE} IS NOT NULL THEN {OUTSIDE} WHEN _text IS NULL THEN 'NOT_JSON' "
        f"WHEN {deep_sql()} THEN 'TOO_DEEP' "
        f"WHEN _record IS NOT NULL THEN if({fits}, NULL, 'FIELD_TYPE') "
        f"WHEN NOT {wrapper.whole_sql(wrapper.parsed_sql('STRING'), mark_is_text=True)} THEN 'NOT_JSON' "
        f"WHEN NOT startswith(trim(LEADING {BLANKS} FROM _text), '{{') THEN 'NOT_OBJECT' ELSE 'FIELD_TYPE' END"
    )
