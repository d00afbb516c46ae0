"""Every member of a contract and of its encodings: whether stored state depends on it.

A contract may change between two starts while the document stays. What was counted by the earlier one keeps
its meaning only if the later one would have read the same values from the same records.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from jobs.formats.contract import EventTime, FieldContract, StreamContract, TimeField
from jobs.formats.contract_check import check_contract
from jobs.formats.record_formats import (
    AvroEncoding,
    CsvEncoding,
    DebeziumEncoding,
    Encoding,
    JsonEncoding,
    KeyEncoding,
    TextEncoding,
)
from jobs.plan import Plan, diff, plan_job
from tests.oracle.cases import Case, load_cases
from tests.support.plan_helpers import document

A, B = {"name": "a", "type": "int"}, {"name": "b", "type": "int"}
AT = {"name": "at", "type": "timestamp"}
COUNTED = {"name": "at", "type": "long"}
SUMS = document({"sums": {"op": "aggregate", "input": "s", "by": ["a"], "measures": {"t": "sum(b)"}}})
NEWEST = document({"sums": {"op": "aggregate", "input": "s", "by": ["a"], "measures": {"t": "max(at)"}}})
JOINED = document(
    {"sums": {"op": "table_join", "input": "other", "table": "s", "on": {"k": "a"}, "prefix": "t_"}},
    sources={"s": {"table": "s"}, "other": {"stream": "other"}},
)
JOINED_BY_BOTH = document(
    {
        "sums": {
            "op": "table_join",
            "input": "other",
            "table": "s",
            "on": {"k": "a", "l": "b"},
            "prefix": "t_",
        }
    },
    sources={"s": {"table": "s"}, "other": {"stream": "other"}},
)
OTHER = StreamContract.model_validate(
    {"fields": [{"name": "k", "type": "int"}, {"name": "l", "type": "int"}]}
)


def of(*fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"fields": list(fields or (A, B)), **more}


def csv(*fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    return of(*fields, encoding={"format": "csv", **more})


def record(*fields: dict[str, Any], **more: Any) -> str:
    return json.dumps({"type": "record", "name": "r", "fields": list(fields), **more})


def avro(schema: str, framing: str = "confluent", **more: Any) -> dict[str, Any]:
    return of(A, B, encoding={"format": "avro", "schema": schema, "framing": framing, **more})


def change(*fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    return of(*fields, encoding={"format": "debezium", **more})


def table(**more: Any) -> dict[str, Any]:
    return of(A, B, kind="table", key=["a"], **more)


def keyed(*key: str, **more: Any) -> dict[str, Any]:
    return of(A, B, key=list(key), **more)


def at(of_at: dict[str, Any] = COUNTED, **rule: Any) -> dict[str, Any]:
    return of(A, B, of_at, event_time={"kind": "field", "field": "at", **rule})


def corrected(**parts: dict[str, Any]) -> dict[str, Any]:
    whole = {"device": {"field": "b", "unit": "ms"}, "sent": {"field": "b", "unit": "s"}, **parts}
    return of(A, B, COUNTED, event_time={"kind": "corrected", **whole})


@dataclass(frozen=True)
class Edit:
    """Two contracts of the stream or table s, and a document over it."""

    before: dict[str, Any]
    after: dict[str, Any]
    document: dict[str, Any]


def edit(before: dict[str, Any], after: dict[str, Any], document: dict[str, Any] = SUMS) -> Edit:
    return Edit(before, after, document)


AVRO_A, AVRO_B = {"name": "a", "type": "int"}, {"name": "b", "type": "int"}
AVRO = record(AVRO_A, AVRO_B)
WHOLE = {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1}
SCHEMA = json.dumps({"type": "object", "properties": {"a": WHOLE, "b": WHOLE}})
ENVELOPE = json.dumps(
    {
        "type": "record",
        "name": "e",
        "fields": [
            {"name": "op", "type": "string"},
            {"name": "after", "type": ["null", json.loads(AVRO)]},
        ],
    }
)

COVERED: dict[tuple[type[BaseModel], str], list[Edit]] = {
    (StreamContract, "encoding"): [
        edit(of(), csv()),
        edit(of(), change()),
        edit(of(), avro(AVRO)),
        edit(change(), change(inner={"format": "avro", "schema": ENVELOPE, "framing": "confluent"})),
        edit(
            of({"name": "a", "type": "string"}),
            of({"name": "a", "type": "string"}, encoding={"format": "text"}),
            document({"n": {"op": "aggregate", "input": "s", "by": ["a"], "measures": {"n": "count()"}}}),
        ),
    ],
    (StreamContract, "fields"): [edit(csv(A, B), csv(B, A))],
    (StreamContract, "key"): [
        edit(of(), keyed("a")),
        edit(keyed("a", "b"), keyed("b", "a")),
        edit(
            of(A, B, AT, kind="table", key=["a", "b"]),
            of(A, B, AT, kind="table", key=["b", "a"]),
            JOINED_BY_BOTH,
        ),
    ],
    (StreamContract, "key_encoding"): [
        edit(keyed("a"), keyed("a", key_encoding={"format": "text"})),
        edit(table(), table(key_encoding={"format": "text"}), JOINED),
        edit(
            keyed("a"), keyed("a", key_encoding={"format": "avro", "schema": '"int"', "framing": "confluent"})
        ),
    ],
    (StreamContract, "version_by"): [edit(table(), table(version_by="event_time"), JOINED)],
    (StreamContract, "event_time"): [edit(of(A, B, COUNTED), at(unit="ms"))],
    (StreamContract, "delay"): [edit(of(), of(delay="1m"))],
    (FieldContract, "name"): [
        edit(of({**A, "path": ["x"]}, {**B, "path": ["y"]}), of({**B, "path": ["x"]}, {**A, "path": ["y"]}))
    ],
    (FieldContract, "type"): [
        edit(of(A, B), of(A, {**B, "type": "long"})),
        edit(at({**COUNTED, "type": "string"}, format="iso"), at(AT, format="iso")),
        edit(
            at({**COUNTED, "type": "decimal(12,1)"}, unit="s"),
            at({**COUNTED, "type": "decimal(12,2)"}, unit="s"),
        ),
        edit(at(AT, zone="Asia/Tokyo"), at({**AT, "type": "date"}, zone="Asia/Tokyo")),
    ],
    (FieldContract, "path"): [edit(of(A, B), of(A, {**B, "path": ["c"]}))],
    (EventTime, "kind"): [edit(change(), {**change(), "event_time": {"kind": "change"}})],
    (EventTime, "field"): [
        edit(at(unit="ms"), of(A, B, COUNTED, event_time={"kind": "field", "field": "a", "unit": "ms"}))
    ],
    (EventTime, "unit"): [edit(at(unit="ms"), at(unit="s"))],
    (EventTime, "format"): [
        edit(
            at({**COUNTED, "type": "string"}, format="dd.MM.yyyy"),
            at({**COUNTED, "type": "string"}, format="MM.dd.yyyy"),
        )
    ],
    (EventTime, "zone"): [edit(at({**AT, "type": "date"}), at({**AT, "type": "date"}, zone="Asia/Tokyo"))],
    (EventTime, "device"): [edit(corrected(), corrected(device={"field": "at", "unit": "ms"}))],
    (EventTime, "sent"): [edit(corrected(), corrected(sent={"field": "at", "unit": "ms"}))],
    (EventTime, "received"): [edit(corrected(), corrected(received={"field": "at", "unit": "ms"}))],
    (EventTime, "on_missing"): [edit(at(unit="ms"), at(unit="ms", on_missing="kafka_timestamp"))],
    (TimeField, "field"): [edit(corrected(), corrected(sent={"field": "a", "unit": "s"}))],
    (TimeField, "unit"): [edit(corrected(), corrected(sent={"field": "b", "unit": "us"}))],
    (TimeField, "format"): [edit(corrected(), corrected(sent={"field": "b", "unit": "s", "format": "iso"}))],
    (TimeField, "zone"): [
        edit(corrected(), corrected(sent={"field": "b", "unit": "s", "zone": "Asia/Tokyo"}))
    ],
    (AvroEncoding, "avro_schema"): [
        edit(avro(AVRO, "none"), avro(record(AVRO_B, AVRO_A), "none")),
        edit(avro(AVRO, "none"), avro(record(AVRO_A, AVRO_B, {"name": "c", "type": "int"}), "none")),
        edit(avro(record(AVRO_A, {**AVRO_B, "default": 0})), avro(record(AVRO_A, {**AVRO_B, "default": 1}))),
        edit(avro(AVRO), avro(record(AVRO_A, {**AVRO_B, "aliases": ["c"]}))),
    ],
    (AvroEncoding, "framing"): [edit(avro(AVRO, "none"), avro(AVRO))],
    (CsvEncoding, "delimiter"): [edit(csv(), csv(delimiter=";"))],
    (CsvEncoding, "quote"): [edit(csv(), csv(quote="'"))],
    (CsvEncoding, "null_text"): [edit(csv(), csv(null_text="NA"))],
    (CsvEncoding, "trim"): [edit(csv(), csv(trim=True))],
    (CsvEncoding, "columns"): [
        edit(csv(columns=["a", "b"]), csv(columns=["b", "a"])),
        edit(csv(columns=["a", "b"]), csv(columns=["x", "a", "b"])),
        edit(csv(columns=["a", "b", "at"]), csv(columns=["at", "a", "b"])),
    ],
    (DebeziumEncoding, "time_unit"): [
        edit(change(A, B, AT), change(A, B, AT, time_unit="ms"), NEWEST),
        edit(
            {**change(A, B, AT), "event_time": {"kind": "field", "field": "at"}},
            {**change(A, B, AT, time_unit="ms"), "event_time": {"kind": "field", "field": "at"}},
        ),
    ],
    (DebeziumEncoding, "inner"): [
        edit(change(), change(inner={"format": "avro", "schema": ENVELOPE, "framing": "confluent"}))
    ],
}

NO_MEANING: dict[tuple[type[BaseModel], str], list[Edit]] = {
    (StreamContract, "max_ahead"): [edit(of(), of(max_ahead="1h"))],
    (StreamContract, "fields"): [
        edit(of(A, B), of(B, A)),
        edit(of(), of(A, B, AT)),
        edit(csv(A, B), csv(A, B, AT)),  # behind the columns that were there
        edit(csv(A, B, columns=["a", "b"]), csv(B, A, columns=["a", "b"])),
        edit(avro(AVRO), {**avro(record(AVRO_A, AVRO_B, {"name": "c", "type": "int"})), "fields": [B, A]}),
    ],
    (StreamContract, "key"): [edit(keyed("a"), keyed("a"))],
    (FieldContract, "nullable"): [edit(of(A, B), of(A, {**B, "nullable": False}))],
    (FieldContract, "path"): [edit(of(A, B), of(A, {**B, "path": ["b"]}))],
    (FieldContract, "type"): [edit(at(COUNTED, unit="ms"), at({**COUNTED, "type": "int"}, unit="ms"))],
    (JsonEncoding, "framing"): [edit(of(), of(encoding={"format": "json", "framing": "confluent"}))],
    (JsonEncoding, "json_schema"): [edit(of(), of(encoding={"format": "json", "schema": SCHEMA}))],
    (JsonEncoding, "subject"): [
        edit(of(), of(encoding={"format": "json", "schema": SCHEMA, "subject": "s-value"}))
    ],
    (JsonEncoding, "schema_id"): [edit(of(), of(encoding={"format": "json", "schema_id": 7}))],
    (AvroEncoding, "avro_schema"): [
        edit(avro(AVRO), avro(record({**AVRO_B, "doc": "of b"}, AVRO_A, namespace="of.it"))),
        edit(avro(AVRO), avro(record(AVRO_A, AVRO_B, {"name": "c", "type": "string", "default": "x"}))),
    ],
    (AvroEncoding, "subject"): [edit(avro(AVRO), avro(AVRO, subject="s-value"))],
    (AvroEncoding, "writers"): [edit(avro(AVRO), avro(AVRO, writers={4: AVRO}))],
    (DebeziumEncoding, "time_unit"): [edit(change(), change(time_unit="ms"))],
    (DebeziumEncoding, "inner"): [
        edit(change(), change(inner={"format": "json", "framing": "confluent"})),
        edit(
            change(inner={"format": "avro", "schema": ENVELOPE, "framing": "confluent"}),
            change(
                inner={
                    "format": "avro",
                    "schema": ENVELOPE.replace(
                        '"b", "type": "int"}', '"b", "type": "int"}, {"name": "c", "type": "int"}'
                    ),
                    "framing": "confluent",
                }
            ),
        ),
    ],
}
"""What only decides which records are refused, as a filter does, is among them: what was counted stays so."""

ENCODINGS = (JsonEncoding, AvroEncoding, CsvEncoding, TextEncoding, DebeziumEncoding)
MODELS: tuple[type[BaseModel], ...] = (StreamContract, FieldContract, EventTime, TimeField, *ENCODINGS)


def planned(edit: Edit, contract: dict[str, Any]) -> Plan:
    read = StreamContract.model_validate(contract)
    assert check_contract(read) == []
    plan = plan_job(edit.document, {"s": read, "other": OTHER})
    assert plan.ok, plan.problems
    return plan


def test_every_member_is_decided() -> None:
    members = {(model, name) for model in MODELS for name in model.model_fields}
    members -= {(StreamContract, "kind")}  # a document names a stream or a table
    members -= {(model, "format") for model in ENCODINGS}  # told apart by `encoding` and `key_encoding`
    assert set(COVERED) | set(NO_MEANING) == members


def test_every_encoding_is_looked_at() -> None:
    assert {*get_args(get_args(Encoding)[0]), *get_args(get_args(KeyEncoding)[0])} == set(ENCODINGS)


def pairs(table: dict[tuple[type[BaseModel], str], list[Edit]]) -> list[Any]:
    return [
        pytest.param(each, id=f"{model.__name__}.{name} {at}")
        for (model, name), edits in table.items()
        for at, each in enumerate(edits)
    ]


@pytest.mark.parametrize("edit", pairs(COVERED))
def test_what_gives_values_their_meaning_breaks_state(edit: Edit) -> None:
    old, new = planned(edit, edit.before), planned(edit, edit.after)
    assert old.fingerprint != new.fingerprint
    found = diff(old, new, adapts=False)
    assert not found.same_state
    breaking = [change for change in found.changes if change.breaks_state]
    assert breaking


@pytest.mark.parametrize("edit", pairs(NO_MEANING))
def test_what_has_no_meaning_keeps_state(edit: Edit) -> None:
    old, new = planned(edit, edit.before), planned(edit, edit.after)
    assert old.fingerprint == new.fingerprint
    assert diff(old, new).same_state


def test_the_change_that_breaks_state_is_named() -> None:
    (found,) = COVERED[StreamContract, "fields"]
    (change,) = diff(planned(found, found.before), planned(found, found.after)).changes
    assert change.sentence == "Stream s changed how its records are read."
    assert change.path == ("sources", "s")


def test_state_that_reads_no_line_goes_on() -> None:
    """The order of columns means nothing to a count of all lines."""
    count = document({"n": {"op": "aggregate", "input": "s", "measures": {"n": "count()"}}})
    keeps = edit(csv(A, B), csv(B, A), count)
    assert planned(keeps, keeps.before).fingerprint == planned(keeps, keeps.after).fingerprint


def test_the_fingerprints_of_plain_json_do_not_drift() -> None:
    """Raised on purpose only: every running job would begin a new generation."""
    stored = json.loads((Path(__file__).parents[3] / "golden" / "fingerprints.json").read_text("utf-8"))
    found = {
        case.title: plan_job(
            case.document,
            {name: StreamContract.model_validate(written) for name, written in case.contracts.items()},
        ).fingerprint
        for case in load_cases()
        if case.title in stored
    }
    assert found == stored


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: case.title)
def test_every_golden_case_goes_on_under_a_contract_that_says_the_same(case: Case) -> None:
    """Fields in another order, a bound of what is accepted, and one more field that nothing reads: nothing of
    the state is another. Where rows go out whole, a field more is read; and steps that keep whole rows keep
    them in the order of their fields, as those between two queries are.
    """

    def planned_as(order: int, *more: dict[str, Any]) -> Plan:
        contracts = {
            name: StreamContract.model_validate(
                {**written, "fields": [*written["fields"], *more][::order], "max_ahead": "1d"}
            )
            for name, written in case.contracts.items()
        }
        return plan_job(case.document, contracts)

    before = {name: StreamContract.model_validate(written) for name, written in case.contracts.items()}
    plan = plan_job(case.document, before)
    keeps_rows = any("rows" in state for state in plan.state.stateful.values())
    order = 1 if keeps_rows or plan.state.exchanged_fields else -1
    assert planned_as(order).fingerprint == plan.fingerprint != ""
    wider = planned_as(order, {"name": "unread", "type": "map<string,double>"})
    outputs = [wider.relation(sink.reference).schema.names for sink in wider.sinks if wider.ok]
    if wider.ok and not any("unread" in name for names in outputs for name in names):
        assert wider.fingerprint == plan.fingerprint
