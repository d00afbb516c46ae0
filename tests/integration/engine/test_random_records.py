"""The JVM's decoders hold random records for what Python's do: the same verdict, the same values.

Drawn are: JSON of every type in every place of `FIELDS`, with members twice, escapes, blanks and damage;
change events, plain and beside their schema, in each unit of time; lines of every type, of three dialects,
with quotes and breaks in wrong places; texts; Avro, also of change events, of writers' schemas that readers'
may not fit; keys in JSON and texts. Left out are sizes (the tables have a megabyte), frames of JSON values,
and Avro keys, which Python reads for both.
"""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Final, Literal

import pytest
from pyspark.sql import SparkSession

from jobs.base.schemas import schema_of
from jobs.base.types import type_text
from jobs.engine.columns import column
from jobs.engine.formats.native import decoder_sql, key_decoder_sql
from jobs.engine.sinks.kafka import row_json_sql
from jobs.formats.avro_records import parsed, read_avro
from jobs.formats.avro_tree import AvroSchemaError
from jobs.formats.avro_types import fields_of
from jobs.formats.contract import StreamContract
from jobs.formats.contract_check import check_contract
from jobs.formats.csv_records import read_csv
from jobs.formats.debezium_records import Change, read_change
from jobs.formats.json_records import read_json
from jobs.formats.record_formats import AvroEncoding, CsvEncoding, DebeziumEncoding, JsonEncoding
from jobs.formats.record_key import read_key
from jobs.formats.records import Malformed, Skipped, json_value
from jobs.formats.source_paths import ReadField
from jobs.formats.text_records import read_text
from jobs.operators.relation import Relation
from tests.support.random_avro import Pair, random_pair
from tests.support.random_avro_changes import change_contract, random_envelope
from tests.support.random_keys import json_key, json_keys, text_key, text_keys
from tests.support.random_records import COLUMNS, FIELDS, change_record, csv_record, json_record, text_record

pytestmark = [pytest.mark.integration, pytest.mark.thorough]

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


@pytest.mark.long
def test_avro_of_other_versions(spark: SparkSession) -> None:
    random = Random("avro")
    pairs = _pairs(lambda: random_pair(random, 80), avro_contract)

    def read(record: bytes, contract: StreamContract) -> Verdict:
        encoding = AvroEncoding.model_validate(contract.encoding.model_dump())
        return row_verdict(read_avro(record, encoding, contract.read_fields))

    drawn = _same_of_pairs(spark, pairs, read)
    assert all(drawn[outcome] >= 3 for outcome in ("row", "NOT_AVRO", "SCHEMA_MISMATCH", "NOT_FRAMED")), drawn


@pytest.mark.long
def test_change_events_in_avro(spark: SparkSession) -> None:
    random = Random("changes in avro")
    pairs = _pairs(
        lambda: random_envelope(random, 150),
        lambda pair, number: change_contract(random, pair, f"p{number}_"),
    )

    def read(record: bytes, contract: StreamContract) -> Verdict:
        encoding = DebeziumEncoding.model_validate(contract.encoding.model_dump())
        found = read_change(record, encoding, contract.read_fields)
        if isinstance(found, Skipped):
            return "SKIPPED", None
        if isinstance(found, Malformed):
            return row_verdict(found)
        return ("SKIPPED" if found.deleted else None), [
            found.at_ms,
            None if found.deleted else row_verdict(found.values)[1],
        ]

    drawn = _same_of_pairs(spark, pairs, read)
    outcomes = ("row", "SKIPPED", "NOT_CHANGE", "FIELD_TYPE", "NOT_AVRO", "SCHEMA_MISMATCH")
    assert all(drawn[outcome] >= 3 for outcome in outcomes), drawn


def test_keys(spark: SparkSession) -> None:
    random = Random("keys")
    contracts = [(contract, json_key) for contract in json_keys()]
    contracts += [(contract, text_key) for contract in text_keys()]
    rows = [
        (at, write(random, contract)) for at, (contract, write) in enumerate(contracts) for _ in range(250)
    ]
    frame = spark.createDataFrame(rows, "contract INT, key BINARY").coalesce(1)
    decoders, fields, shown = [], [], []
    for at, (contract, _) in enumerate(contracts):
        decoders.append(column(key_decoder_sql(f"if(contract = {at}, key, NULL)", contract), f"_{at}"))
        fields += [column(f"_{at}.{name}", name) for name in contract.key]
        fields.append(column(f"_{at}._status", f"_status{at}"))
        keyed = schema_of(field for field in contract.schema_of_rows if field.name in contract.key)
        shown.append(column(f"array(_status{at}, {row_json_sql(Relation(keyed))})", f"r{at}"))
    found = frame.select(*decoders).select(*fields).select(*shown).collect()
    drawn: Counter[tuple[int, str]] = Counter()
    for got, (at, key) in zip(found, rows, strict=True):
        status, text = got[f"r{at}"]
        expected = row_verdict(read_key(key, contracts[at][0]))
        assert repr((status, None if status else json.loads(text))) == repr(expected), (contracts[at][0], key)
        drawn[at, expected[0] or "row"] += 1
    for at, (contract, _) in enumerate(contracts):
        assert min(drawn[at, "row"], drawn[at, "KEY_INVALID"]) >= 3, contract


Pairs = list[tuple[Pair, StreamContract]]


def _pairs(draw: Callable[[], Pair], contract_of: Callable[[Pair, int], StreamContract | None]) -> Pairs:
    """Sixteen pairs of schemas whose readers have fields for us."""
    pairs: Pairs = []
    while len(pairs) < 16:
        pair = draw()
        contract = contract_of(pair, len(pairs))
        if contract is not None:
            assert check_contract(contract) == []
            pairs.append((pair, contract))
    return pairs


def row_verdict(found: dict[str, Any] | Malformed) -> Verdict:
    if isinstance(found, Malformed):
        return found.reason, None
    return None, {name: json_value(value) for name, value in found.items()}


def _same_of_pairs(
    spark: SparkSession, pairs: Pairs, read: Callable[[bytes, StreamContract], Verdict]
) -> Counter[str]:
    """Each pair's records are the same for the JVM as for `read`; how often each outcome came.

    Of change events a verdict has the time of the change beside the row, of deletions, too.
    """
    rows = [(number, record) for number, (pair, _) in enumerate(pairs) for record in pair.records]
    frame = spark.createDataFrame(rows, "pair INT, value BINARY").coalesce(1)
    decoders, fields, shown = [], [], []
    for number, (_, contract) in enumerate(pairs):
        value = f"if(pair = {number}, value, NULL)"
        decoders.append(column(decoder_sql(value, contract, contract.read_fields), f"_{number}"))
        fields += [column(f"_{number}.{name}", name) for name in contract.schema_of_rows.names]
        fields += [column(f"_{number}.{name}", f"{name}{number}") for name in ("_status", "_change_ms")]
        row = row_json_sql(Relation(contract.schema_of_rows))
        shown.append(column(f"struct(_status{number}, _change_ms{number}, {row})", f"r{number}"))
    drawn: Counter[str] = Counter()
    found = frame.select(*decoders).select(*fields).select(*shown).collect()
    for got, (number, record) in zip(found, rows, strict=True):
        pair, contract = pairs[number]
        wanted = read(record, contract)
        status, changed_ms, text = got[f"r{number}"]
        row = None if status else json.loads(text)
        seen = (status, [changed_ms, row]) if isinstance(wanted[1], list) else (status, row)
        assert repr(seen) == repr(wanted), (pair.writer, pair.reader, record)
        drawn[wanted[0] or "row"] += 1
    return drawn


def avro_contract(pair: Pair, number: int) -> StreamContract | None:
    """The contract of a pair's reader, with names of its own; None where it has no fields for us."""
    try:
        fields = fields_of(parsed(pair.reader))
    except AvroSchemaError:
        return None
    declared = [
        {"name": f"p{number}_{field.name}", "type": type_text(field.type), "path": [field.name]}
        for field in fields
    ]
    encoding = {"format": "avro", "schema": pair.reader, "framing": "confluent", "writers": {1: pair.writer}}
    return StreamContract.model_validate({"encoding": encoding, "fields": declared})
