import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from jobs.formats import infer_records
from jobs.formats.contract import StreamContract
from jobs.formats.contract_check import check_contract
from jobs.formats.decoding import decode
from jobs.formats.framing import framed
from jobs.formats.infer import infer
from jobs.formats.infer_keys import infer_keys
from jobs.formats.infer_records import can_sample
from jobs.formats.record_formats import (
    AvroEncoding,
    CsvEncoding,
    DebeziumEncoding,
    Encoding,
    JsonEncoding,
    TextEncoding,
)
from jobs.formats.records import Row
from tests.support.random_records import change_record, csv_record, json_record


def sample(*records: dict[str, Any]) -> list[bytes]:
    return [json.dumps(record).encode() for record in records]


def types(*records: dict[str, Any]) -> dict[str, str]:
    return {field.name: field.type for field in infer(sample(*records)).fields}


def test_types_of_plain_values() -> None:
    record = {
        "s": "x",
        "n": 5,
        "d": 1.5,
        "b": True,
        "day": "2026-01-01",
        "t": "2026-01-01T10:00:00Z",
        "z": None,
    }
    assert types(record) == {
        "s": "string",
        "n": "long",
        "d": "double",
        "b": "boolean",
        "day": "date",
        "t": "timestamp",
        "z": "string",
    }


def test_types_of_nested_values() -> None:
    record = {
        "l": [1, 2],
        "e": [],
        "a": {"city": "x", "geo": {"lat": 1.5}},
        "m": {"1": 5, "a b": 6},
        "x": [{"k": 1}, {"v": "y"}],
    }
    assert types(record) == {
        "l": "array<long>",
        "e": "array<string>",
        "a": "struct<city:string,geo:struct<lat:double>>",
        "m": "map<string,long>",
        "x": "array<struct<k:long,v:string>>",
    }


def test_whole_and_broken_numbers_are_double() -> None:
    assert types({"x": 1}, {"x": 1.5}) == {"x": "double"}


def test_numbers_beyond_long() -> None:
    assert types({"x": 10**20}) == {"x": "decimal(38,0)"}


def test_values_of_different_kinds_are_noted() -> None:
    (field,) = infer(sample({"x": 1}, {"x": "a"}, {"x": "b"})).fields
    assert (field.type, field.examples) == ("string", ("1", '"a"', '"b"'))
    assert any("different types" in note for note in field.notes)


def test_numbers_are_one_kind_among_others() -> None:
    """A type that holds the numbers, and not the widest there is."""
    assert types({"x": 1}, {"x": 2}, {"x": "a"}) == {"x": "long"}
    assert types({"x": 1}, {"x": 2.5}, {"x": "a"}) == {"x": "double"}
    assert types({"x": 1}, {"x": 2.5}, {"x": "a"}, {"x": "b"}, {"x": True}) == {"x": "double"}
    assert types({"x": 10**20}, {"x": 1}, {"x": "a"}) == {"x": "decimal(38,0)"}
    assert types({"x": [1, "a", 2]}) == {"x": "array<long>"}


def test_of_kinds_seen_equally_often_the_first_counts() -> None:
    assert types({"x": 1}, {"x": "a"}, {"x": True}) == {"x": "long"}
    assert types({"x": "a"}, {"x": True}, {"x": 1}) == {"x": "string"}
    assert types({"x": True}, {"x": [1]}, {"x": "a"}) == {"x": "boolean"}


def test_a_proposal_depends_on_nothing_but_the_sample() -> None:
    """The order of a set of texts differs between processes."""
    program = (
        "from jobs.formats.infer import infer\n"
        """kinds = (b'1', b'"a"', b'true', b'[1]', b'{"n":1}')\n"""
        """samples = [b'{"x":[%s,%s]}' % (one, other) for one in kinds for other in kinds]\n"""
        "print([infer([one]).fields for one in samples])\n"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1


def test_required_only_after_enough_records() -> None:
    few = infer(sample(*[{"x": 1}] * 5)).fields[0]
    many = infer(sample(*[{"x": 1}] * 20)).fields[0]
    gaps = infer(sample(*[{"x": 1}] * 20, {})).fields[0]
    assert (few.nullable, many.nullable, gaps.nullable) == (True, False, True)
    assert gaps.notes == ("Missing or null in 1 of 21 records.",)


def test_integers_that_no_decimal_holds_are_doubles() -> None:
    longest, longer = infer(sample({"a": 10**38 - 1, "b": -(10**38)})).fields
    assert (longest.type, longer.type) == ("decimal(38,0)", "double")
    assert longer.notes[0] == "Some integers have more than 38 digits; as double they are rounded."
    contract = StreamContract.model_validate(
        {"fields": [{"name": field.name, "type": field.type} for field in (longest, longer)]}
    )
    row = decode(sample({"a": 10**38 - 1, "b": -(10**38)})[0], None, contract, 1)
    assert isinstance(row, Row)


def test_one_value_that_is_no_text_is_no_time() -> None:
    found = infer(sample({"at": 5}, *[{"at": "2026-01-01T10:00:00Z"}] * 15))
    assert found.fields[0].type == "timestamp"
    assert [candidate.event_time.kind for candidate in found.event_times] == ["kafka_timestamp"]


def test_event_time_candidates_best_first() -> None:
    found = infer(
        sample(
            {
                "n": 1767261600,
                "event_time": 1767261600123,
                "text": "2026-01-01 10:00",
                "at": "2026-01-01T10:00:00Z",
            }
        )
    )
    shown = [
        (c.event_time.kind, c.event_time.field, c.event_time.unit, c.event_time.format)
        for c in found.event_times
    ]
    assert shown == [
        ("field", "event_time", "ms", None),
        ("field", "at", None, None),
        ("field", "n", "s", None),
        ("field", "text", None, "iso"),
        ("kafka_timestamp", None, None, None),
    ]
    assert all(candidate.reason for candidate in found.event_times)


def test_what_is_not_an_object_is_counted() -> None:
    found = infer([b"x", b"[]", b'{"a":1}', b'{"bad name":1}'])
    assert (found.records, found.malformed, [field.name for field in found.fields]) == (
        2,
        2,
        ["a", "bad_name"],
    )
    assert found.notes == ("2 of 4 records couldn't be decoded: NOT_JSON, NOT_OBJECT.",)


def test_nothing_at_all() -> None:
    found = infer([])
    assert (found.fields, len(found.event_times)) == ((), 1)


def hints(values: list[Any], name: str = "x") -> tuple[tuple[str, tuple[str, ...]], ...]:
    (field,) = infer(sample(*[{name: value} for value in values])).fields
    return tuple((hint.kind, hint.values) for hint in field.hints)


def test_how_often_a_field_was_there_and_as_what() -> None:
    fields = infer(sample(*[{"x": 1, "y": "a"}] * 18, {"x": "one", "y": None}, {"y": 5})).fields
    assert [(field.name, field.present, field.kinds) for field in fields] == [
        ("x", 19, (("integer", 18), ("text", 1))),
        ("y", 19, (("text", 18), ("integer", 1))),
    ]


def test_what_values_look_like() -> None:
    assert hints([f"A-{n}" for n in range(40)]) == (("id", ()),)
    assert hints([f"2fe47bad-ea3b-4f84-8273-{n % 5:012}" for n in range(40)]) == (("id", ()),)
    assert hints(["up", "down", "up", "up"] * 10) == (("enum", ("up", "down")),)
    assert hints([1_767_261_600_000 + n for n in range(40)]) == (("time", ()),)
    assert hints([f"2026-01-01T10:00:{n:02}Z" for n in range(40)]) == (("time", ()),)


def test_numbers_are_ids_and_codes_only_by_name() -> None:
    assert hints(list(range(40))) == ()
    assert hints(list(range(40)), "order_id") == (("id", ()),)
    assert hints([200, 404] * 20) == ()
    assert hints([200, 404] * 20, "status_code") == (("enum", ("200", "404")),)


def test_nothing_is_said_about_few_values_or_sentences() -> None:
    assert hints(["a", "b"]) == ()
    assert hints([f"This is sentence {n} of many." for n in range(40)]) == ()
    assert hints([1, "a"] * 20) == ()


def test_framed_json() -> None:
    found = infer([framed(7, b'{"a":1}'), b'{"a":2}'], JsonEncoding(framing="confluent"))
    assert ([(field.name, field.type) for field in found.fields], found.records, found.malformed) == (
        [("a", "long")],
        1,
        1,
    )
    assert found.notes == ("1 of 2 records couldn't be decoded: NOT_FRAMED.",)


def test_change_events_show_the_row_after_the_change() -> None:
    row = {"id": 1, "name": "a", "changed_at": 1767261600123}
    events = [
        {"op": "c", "before": None, "after": row},
        {"payload": {"op": "u", "before": row, "after": {**row, "name": None}}},
    ]
    others = [{"op": "d", "before": row, "after": None}, {"op": "t"}, {"no": "event"}]
    found = infer(sample(*events, *others), DebeziumEncoding())
    assert [(field.name, field.type, field.present) for field in found.fields] == [
        ("id", "long", 2),
        ("name", "string", 1),
        ("changed_at", "long", 2),
    ]
    assert (found.records, found.malformed) == (2, 1)
    assert found.event_times[0].event_time.field == "changed_at"


def test_lines_of_values() -> None:
    lines = [
        b'1,"x, y",true,007,1.5,2026-01-01T10:00:00Z,',
        b"2,NA,false,12,3,2026-01-01T10:00:01Z,",
        b'3,"NA",true,013,-1e3,2026-01-01T10:00:02Z,',
        b'"open',
    ]
    found = infer(lines, CsvEncoding(null_text="NA"))
    types = ["long", "string", "boolean", "string", "double", "timestamp", "string"]
    assert [(field.name, field.type) for field in found.fields] == [
        (f"c{at}", type_) for at, type_ in enumerate(types, start=1)
    ]
    assert (found.fields[1].present, found.fields[1].kinds) == (2, (("text", 2),))
    assert (found.records, found.malformed) == (3, 1)
    assert found.event_times[0].event_time.field == "c6"


@pytest.mark.parametrize(
    ("values", "proposed"),
    [
        ((b"90210", b"10001", b"01234"), ("string", (("text", 3),), ('"90210"', '"10001"', '"01234"'))),
        ((b"true", b"false", b"unknown"), ("string", (("text", 3),), ('"true"', '"false"', '"unknown"'))),
        ((b"1", b"true", b""), ("string", (("text", 2),), ('"1"', '"true"'))),
        ((b"1", b"2.5"), ("double", (("integer", 1), ("number", 1)), ("1", "2.5"))),
    ],
)
def test_values_of_a_line_that_look_like_several_kinds_are_texts(
    values: tuple[bytes, ...], proposed: tuple[str, tuple[tuple[str, int], ...], tuple[str, ...]]
) -> None:
    (field,) = infer(list(values), CsvEncoding(null_text="")).fields
    assert (field.type, field.kinds, field.examples) == proposed
    assert not any("different types" in note for note in field.notes)


@pytest.mark.parametrize(
    ("encoding", "can"),
    [
        (JsonEncoding(), True),
        (CsvEncoding(), True),
        (DebeziumEncoding(), True),
        (TextEncoding(), False),
        (AvroEncoding(subject="s"), False),
        (DebeziumEncoding(inner=AvroEncoding(subject="s")), False),
    ],
)
def test_what_a_sample_can_show(encoding: Encoding, can: bool) -> None:
    assert can_sample(encoding) is can


def test_what_no_type_can_hold_is_left_out_and_said() -> None:
    deep = b'{"a":' * 40 + b"1" + b"}" * 40
    found = infer([b'{"x":1,"y":{"n":1,"z":' + deep + b'},"w":' + b"[" * 30 + b"1" + b"]" * 30 + b"}"])
    assert {field.name: field.type for field in found.fields} == {"x": "long", "y": "struct<n:long>"}
    assert found.fields[1].notes[0] == "Values nested deeper than 12 levels are left out."
    assert found.notes == ("Members skipped because they are nested too deeply: 1.",)


@pytest.mark.parametrize(
    ("encoding", "write"),
    [
        (JsonEncoding(), json_record),
        (DebeziumEncoding(), change_record),
        (CsvEncoding(), lambda random: csv_record(random, ",", '"')),
    ],
    ids=["json", "debezium", "csv"],
)
def test_what_is_proposed_is_a_contract(encoding: Any, write: Callable[[Random], bytes]) -> None:
    random, proposed = Random("samples"), 0
    for _ in range(200):
        found = infer([write(random) for _ in range(random.choice((1, 2, 5, 25)))], encoding)
        fields = [
            {"name": field.name, "type": field.type, "path": field.path, "nullable": field.nullable}
            for field in found.fields
        ]
        for candidate in found.event_times if fields else ():
            contract = StreamContract.model_validate(
                {"encoding": encoding, "fields": fields, "event_time": candidate.event_time}
            )
            assert check_contract(contract) == []
            proposed += 1
    assert proposed > 100


def test_change_events_are_counted_as_jobs_count_them() -> None:
    events = [
        b'{"op":"c","after":{"a":1}}', b'{"op":"d","before":{"a":1}}', b'{"op":"t"}', b'{"op":"m"}',
        b'{"op":"c","after":null}', b'{"op":"q","after":{"a":1}}', b'{"op":["c"]}', b"{}",
    ]  # fmt: skip
    found = infer(events, DebeziumEncoding())
    assert (found.records, found.malformed) == (1, 4)


def test_digits_of_other_scripts_are_no_number() -> None:
    (field,) = infer(["\u0663".encode()] * 3, CsvEncoding()).fields
    assert field.type == "string"


def test_members_as_they_are_in_the_world() -> None:
    record = b'{"@timestamp":"2026-01-01T00:00:00Z","user-id":"u","_id":"i","a.b":7,"first name":"Ann","n":1}'
    found = infer([record] * 25)
    assert [(field.name, field.path, field.type) for field in found.fields] == [
        ("timestamp", ("@timestamp",), "timestamp"),
        ("user_id", ("user-id",), "string"),
        ("id", ("_id",), "string"),
        ("a_b", ("a.b",), "long"),
        ("first_name", ("first name",), "string"),
        ("n", ("n",), "long"),
    ]
    assert found.notes == ()
    assert found.event_times[0].event_time.field == "timestamp"


def test_an_object_that_is_neither_struct_nor_map_is_taken_apart() -> None:
    found = infer(
        [
            b'{"geo":{"lat-x":1.5,"place name":"Ulm","in":{"zip-code":1,"t o":"x"}},'
            b'"m":{"a-1":1,"b-2":2},"s":{"x":1}}'
        ]
        * 25
    )
    assert [(field.name, field.path, field.type) for field in found.fields] == [
        ("geo_lat_x", ("geo", "lat-x"), "double"),
        ("geo_place_name", ("geo", "place name"), "string"),
        ("geo_in_zip_code", ("geo", "in", "zip-code"), "long"),
        ("geo_in_t_o", ("geo", "in", "t o"), "string"),
        ("m", ("m",), "map<string,long>"),
        ("s", ("s",), "struct<x:long>"),
    ]


def test_the_columns_of_a_line_that_are_named() -> None:
    found = infer([b"Ann,7"] * 25, CsvEncoding(columns=("first name", "user-id")))
    assert [(field.name, field.path) for field in found.fields] == [
        ("first_name", ("first name",)),
        ("user_id", ("user-id",)),
    ]


@pytest.mark.parametrize(
    ("part", "encoding"),
    [
        ('"{at}_{i}":1', JsonEncoding()),
        ('"{at}_{i}":[]', JsonEncoding()),
        ('"{at}_{i}":{{"a":{{"b":1}}}}', JsonEncoding()),
        ("1", CsvEncoding()),
    ],
)
def test_a_sample_of_many_values_is_looked_at_in_part(
    part: str, encoding: Encoding, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight megabytes took up to 15 s and 600 MB."""
    lines = [",".join(part.format(at=at, i=i) for i in range(35_000)) for at in range(10)]
    samples = [(line if isinstance(encoding, CsvEncoding) else f"{{{line}}}").encode() for line in lines]
    monkeypatch.setattr(infer_records, "MAX_VALUES", 150_000)
    found = infer(samples, encoding)
    assert 0 < found.records < len(samples)
    assert any(f"of {len(samples)} records were looked at" in note for note in found.notes)


def test_keys_of_many_values_are_looked_at_in_part() -> None:
    began = time.thread_time()
    found = infer_keys([b"[" + b"1," * 150_000 + b"1]"] * 20)
    assert time.thread_time() - began < 5.0  # below 0.5 s where nothing else runs
    assert (found.format, found.present) == ("json", 20)


def times_of(samples: list[Any]) -> list[str | None]:
    found = infer([json.dumps(sample).encode() for sample in samples])
    return [candidate.event_time.field for candidate in found.event_times]


def test_a_time_that_records_lack_is_not_the_first_choice() -> None:
    """All of them would be malformed."""
    rows = [{"deleted_at": None, "at": 1_760_000_000_000 + number} for number in range(100)]
    rows[7]["deleted_at"] = "2026-01-01T00:00:00Z"  # type: ignore[assignment]
    assert times_of(rows) == ["at", None, "deleted_at"]
    found = infer([json.dumps(row).encode() for row in rows])
    assert found.event_times[-1].reason.endswith("Missing in 99 of 100 records, which would be malformed.")


def test_a_date_from_before_1970_is_no_event_time() -> None:
    assert times_of([{"birth_date": "1955-03-01", "id": 1}, {"birth_date": "1984-03-01", "id": 2}]) == [None]
    assert times_of([{"day": "2013-03-01"}, {"day": "2013-03-02"}]) == ["day", None]


@pytest.mark.parametrize("never", ["1970-01-01", "1970-01-01T00:00:00Z"])
def test_a_time_that_may_be_never_is_no_event_time(never: str) -> None:
    """A record of that time would be malformed."""
    assert times_of([{"updated_at": "2026-01-01"}, {"updated_at": never}]) == [None]


def test_half_a_surrogate_pair_is_shown_escaped() -> None:
    found = infer([b'{"t":"\\ud83d"}'] * 30)
    texts = [*found.fields[0].examples, *(value for hint in found.fields[0].hints for value in hint.values)]
    assert texts
    for text in texts:
        text.encode()
        assert "ud83d" in text


def test_lines_of_another_length_than_most_are_malformed() -> None:
    """With the columns that the sample shows, they are."""
    found = infer([b"1,2", b"1,2,3", b"3,4", b"5"], CsvEncoding())
    assert ([field.name for field in found.fields], found.records, found.malformed) == (["c1", "c2"], 2, 2)


@pytest.mark.parametrize("name", ["\\u0000", "\\ud800"])
def test_a_member_that_no_contract_can_name_is_left_out_and_said(name: str) -> None:
    found = infer([f'{{"a": 1, "b{name}": 2}}'.encode()] * 3)
    assert [field.name for field in found.fields] == ["a"]
    assert found.notes[0].startswith("1 members were skipped")
