"""The JVM's decoders hold random records for what Python's do: the same verdict, the same values.

Drawn are: JSON of every type in every place of `FIELDS`, with members twice, escapes, blanks and damage;
change events, plain and beside their schema, in each unit of time; lines of every type, of three dialects,
with quotes and breaks in wrong places; texts. Left out are sizes (the tables have a megabyte), framing, and keys.
"""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Final, Literal

import pytest
from pyspark.sql import SparkSession

from jobs.engine.columns import column
from jobs.engine.formats.native import decoder_sql
from jobs.engine.sinks.kafka import row_json_sql
from jobs.formats.contract import StreamContract
from jobs.formats.csv_records import read_csv
from jobs.formats.debezium_records import Change, read_change
from jobs.formats.json_records import read_json
from jobs.formats.record_formats import CsvEncoding, DebeziumEncoding, JsonEncoding
from jobs.formats.records import Malformed, Skipped, json_value
from jobs.formats.source_paths import ReadField
from jobs.formats.text_records import read_text
from jobs.operators.relation import Relation
from tests.support.random_records import COLUMNS, FIELDS, change_record, csv_record, json_record, text_record

pytestmark = pytest.mark.integration

Verdict = tuple[str | None, Any]
Read = Callable[[bytes, ReadField], Verdict]


@dataclass(frozen=True)
class Kind:
    """Records of an encoding.

    Attributes:
        encoding: of the contract.
        fields: each is read alone.
        write: a record at random.
        read: what Python's decoder says of a field.
        outcomes: that each field must have had.
    """

    encoding: dict[str, Any]
    fields: tuple[ReadField, ...]
    write: Callable[[Random], bytes]
    read: Read
    outcomes: tuple[str, ...] = ("value", "null", "FIELD_TYPE", "NOT_JSON")

    @property
    def contract(self) -> StreamContract:
        fields = [field.as_json() for field in self.fields]
        return StreamContract.model_validate({"encoding": self.encoding, "fields": fields})


def verdict(found: dict[str, Any] | Malformed, field: ReadField) -> Verdict:
    return (found.reason, None) if isinstance(found, Malformed) else (None, json_value(found[field.name]))


def json_verdict(record: bytes, field: ReadField) -> Verdict:
    return verdict(read_json(record, JsonEncoding(), (field,)), field)


def change_kind(unit: Literal["ms", "us", "ns"]) -> Kind:
    encoding = DebeziumEncoding(time_unit=unit)

    def read(record: bytes, field: ReadField) -> Verdict:
        found = read_change(record, encoding, (field,))
        if isinstance(found, Skipped) or (isinstance(found, Change) and found.deleted):
            return "SKIPPED", None
        return verdict(found.values if isinstance(found, Change) else found, field)

    written = {"format": "debezium", "time_unit": unit}
    return Kind(written, FIELDS, change_record, read, (*Kind.outcomes, "NOT_CHANGE", "SKIPPED"))


def csv_kind(delimiter: str, quote: str, **more: Any) -> Kind:
    names = [field.name for field in COLUMNS]
    encoding = {"format": "csv", "delimiter": delimiter, "quote": quote, "columns": names, **more}
    parsed = CsvEncoding.model_validate(encoding)
    return Kind(
        encoding,
        COLUMNS,
        lambda random: csv_record(random, delimiter, quote),
        lambda record, field: verdict(read_csv(record, parsed, (field,)), field),
        ("value", "null", "NOT_TEXT", "NOT_CSV", "COLUMN_COUNT"),
    )


KINDS: Final = {
    "json": Kind({"format": "json"}, FIELDS, json_record, json_verdict),
    "debezium, ms": change_kind("ms"),
    "debezium, us": change_kind("us"),
    "debezium, ns": change_kind("ns"),
    "csv": csv_kind(",", '"'),
    "csv, trimmed": csv_kind(";", "'", trim=True, null_text="NA"),
    "csv, of wide signs": csv_kind("é", "\U0001f600"),
    "text": Kind(
        {"format": "text"},
        COLUMNS[4:5],
        text_record,
        lambda record, field: verdict(read_text(record, (field,)), field),
        ("value", "NOT_TEXT"),
    ),
}
IN_EVERY_RUN: Final = ("json", "debezium, ns", "csv, trimmed")
RECORDS: Final = 3_000


def seen_by_spark(spark: SparkSession, kind: Kind, records: list[bytes]) -> list[list[Verdict]]:
    """The verdict of each record on each field, as if it were its contract's only one."""
    contract = kind.contract
    frame = spark.createDataFrame([(record,) for record in records], "value BINARY").coalesce(1)
    decoders = [
        column(decoder_sql("value", contract, [field]), f"_{field.name}") for field in contract.read_fields
    ]
    schema = contract.schema_of_rows
    values = [column(f"_{field.name}.{field.name}", field.name) for field in schema]
    statuses = ", ".join(f"_{field.name}._status" for field in schema)
    rows = (
        frame.select(*decoders)
        .select(*values, column(f"array({statuses})", "_statuses"))
        .select(column(row_json_sql(Relation(schema)), "row"), "_statuses")
        .collect()
    )
    found = []
    for row in rows:
        shown = json.loads(row["row"])
        pairs = zip(row["_statuses"], schema.names, strict=True)
        found.append([(status, shown[name]) for status, name in pairs])
    return found


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in IN_EVERY_RUN else [pytest.mark.long]) for name in KINDS]
)
def test_the_same_verdict_and_values(spark: SparkSession, name: str) -> None:
    kind, random = KINDS[name], Random(f"records: {name}")
    records = [kind.write(random) for _ in range(RECORDS)]
    drawn: Counter[tuple[str, str]] = Counter()
    wrong = []
    for record, verdicts in zip(records, seen_by_spark(spark, kind, records), strict=True):
        for field, got in zip(kind.contract.read_fields, verdicts, strict=True):
            expected = kind.read(record, field)
            drawn[field.name, expected[0] or ("null" if expected[1] is None else "value")] += 1
            if repr(got) != repr(expected):
                wrong.append(f"{field.as_json()} of {record!r}: {got} instead of {expected}")
    assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong[:20])
    for field in kind.fields:
        for outcome in kind.outcomes:
            assert drawn[field.name, outcome] >= 3, f"{field.as_json()}: {outcome}"
