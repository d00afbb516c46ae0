"""Times and values of a test as records of Kafka."""

import json
from typing import Any

import pytest

from jobs.formats.contract import StreamContract
from jobs.job_tests.document import parse_test
from jobs.job_tests.sending import batches_of
from jobs.play import Advance, Heartbeat, PlayBatch, Restart

START = 1_767_261_600_000_000  # 2026-01-01T10:00:00Z
SECOND = 1_000_000
FIELDS = [{"name": "k", "type": "string"}, {"name": "x", "type": "double"}]


def contract(**more: Any) -> StreamContract:
    return StreamContract.model_validate({"fields": FIELDS, **more})


BY_FIELD = contract(
    fields=[*FIELDS, {"name": "at", "type": "long"}],
    event_time={"kind": "field", "field": "at", "unit": "ms"},
)
TABLE = contract(kind="table", key=["k"])
TIMED_TABLE = contract(
    kind="table",
    key=["k"],
    fields=[*FIELDS, {"name": "at", "type": "long"}],
    event_time={"kind": "field", "field": "at", "unit": "ms"},
)
CHANGES = contract(encoding={"format": "debezium"}, event_time={"kind": "change"})


def batches(steps: list[dict[str, Any]], **contracts: StreamContract) -> tuple[PlayBatch, ...]:
    found, problems = sent(steps, **contracts)
    assert problems == []
    return found


def sent(
    steps: list[dict[str, Any]], **contracts: StreamContract
) -> tuple[tuple[PlayBatch, ...], list[tuple[str, ...]]]:
    parsed = parse_test({"format": 1, "name": "t", "start": "2026-01-01T10:00:00Z", "batches": steps})
    assert parsed.test is not None, parsed.problems
    found, problems = batches_of(parsed.test, contracts)
    return found, [problem.path for problem in problems]


def test_event_time_is_written_into_the_field_that_the_contract_reads() -> None:
    (batch,) = batches([{"records": {"s": [{"at": "1.5s", "values": {"k": "a"}}]}}], s=BY_FIELD)
    (record,) = batch.records["s"]
    assert json.loads(record.value or b"") == {"k": "a", "at": START // 1000 + 1500}
    assert record.timestamp_us == START + 1_500_000


def test_event_time_of_a_stream_by_kafka_timestamp_is_that() -> None:
    steps = [{"records": {"s": [{"at": "-2s", "values": {"k": "a"}}, {"values": {"k": "b"}}]}}]
    (batch,) = batches(steps, s=contract())
    assert [record.timestamp_us - START for record in batch.records["s"]] == [-2 * SECOND, 0]


def test_a_record_arrives_at_its_event_time_or_at_the_clock_where_that_is_later() -> None:
    steps = [
        {"records": {"s": [{"at": "5s", "values": {}}, {"at": "1s", "values": {}}]}},
        {"records": {"s": [{"at": "2s", "arrives": "1m", "values": {}}, {"values": {}}]}},
    ]
    first, second = batches(steps, s=BY_FIELD)
    assert [record.timestamp_us - START for record in first.records["s"]] == [5 * SECOND, 5 * SECOND]
    assert [record.timestamp_us - START for record in second.records["s"]] == [60 * SECOND, 60 * SECOND]
    last = json.loads(second.records["s"][1].value or b"")
    assert last["at"] == START // 1000 + 60_000


@pytest.mark.parametrize(
    "sent_record",
    [
        {"values": {"at": START // 1000 + 60_000}},
        {"value": json.dumps({"at": START // 1000 + 60_000})},
    ],
    ids=["values", "text"],
)
def test_a_record_arrives_at_the_event_time_that_its_own_field_says(sent_record: dict[str, Any]) -> None:
    """It would otherwise come before its time, which `max_ahead` refuses, and the clock stay behind it."""
    steps = [{"records": {"s": [sent_record]}}, {"advance": "1s"}]
    ahead = BY_FIELD.model_copy(update={"max_ahead": "1s"})
    first, second = batches(steps, s=ahead)
    assert first.records["s"][0].timestamp_us == START + 60 * SECOND
    assert second.before == (Advance(by_us=SECOND), Heartbeat(source="s", at_us=START + 61 * SECOND))


def test_the_clock_does_not_follow_an_event_time_of_the_past_or_one_that_cannot_be_read() -> None:
    sent_records = [{"values": {"at": START // 1000 - 1}}, {"values": {"at": "soon"}}, {"value": "{"}]
    late = {"arrives": "5s", "values": {"at": START // 1000 + 60_000}}
    (batch,) = batches([{"records": {"s": [*sent_records, late]}}], s=BY_FIELD)
    assert [record.timestamp_us - START for record in batch.records["s"]] == [0, 0, 0, 5 * SECOND]


def test_the_corrected_event_time_of_a_record_is_when_it_arrives() -> None:
    corrected = contract(
        fields=[{"name": name, "type": "timestamp"} for name in ("device", "sent", "received")],
        event_time={
            "kind": "corrected",
            **{name: {"field": name} for name in ("device", "sent", "received")},
        },
    )
    values = {"device": "10s", "sent": "15s", "received": "1m"}
    (batch,) = batches([{"records": {"s": [{"values": values}]}}], s=corrected)
    assert batch.records["s"][0].timestamp_us == START + 55 * SECOND


def test_when_time_passes_streams_go_on_that_are_not_silent() -> None:
    steps = [
        {"records": {"a": [{"at": "5s", "values": {}}]}},
        {"advance": "10m"},
        {"silent": ["b"], "advance": "1m"},
        {"silent": [], "advance": "1m"},
    ]
    found = batches(steps, a=contract(), b=contract(), t=TABLE)
    at = START + 605 * SECOND
    assert found[1].before == (
        Advance(by_us=600 * SECOND),
        Heartbeat(source="a", at_us=at),
        Heartbeat(source="b", at_us=at),
    )
    assert found[2].before == (Advance(by_us=60 * SECOND), Heartbeat(source="a", at_us=at + 60 * SECOND))
    assert [type(action) for action in found[3].before] == [Advance, Heartbeat, Heartbeat]


def test_restarts_come_before_time_and_heartbeats() -> None:
    steps = [{}, {"restart": "crash", "heartbeats": {"s": "3s"}}, {"restart": "clean"}]
    found = batches(steps, s=contract())
    assert found[1].before == (
        Restart(uncommitted=True),
        Heartbeat(source="s", at_us=START + 3 * SECOND),
    )
    assert found[2].before == (Restart(),)


def test_a_row_of_a_table_is_deleted_by_its_key() -> None:
    steps = [{"records": {"t": [{"values": {"k": "a", "x": 1.5}}, {"delete": {"k": "a"}}]}}]
    (batch,) = batches(steps, t=TABLE)
    assert [(record.key, record.value) for record in batch.records["t"]] == [
        (b'{"k":"a"}', b'{"x":1.5}'),
        (b'{"k":"a"}', None),
    ]


def test_the_event_time_of_a_deletion_is_its_kafka_timestamp_unless_the_key_has_it() -> None:
    """What `at` says is what the job reads, or it is refused (`REFUSED`)."""
    steps = [{"records": {"t": [{"values": {"k": "a"}, "at": "1m"}, {"delete": {"k": "a"}, "at": "5s"}]}}]
    (batch,) = batches(steps, t=TIMED_TABLE)
    assert [record.timestamp_us - START for record in batch.records["t"]] == [60 * SECOND, 5 * SECOND]
    by_key = TIMED_TABLE.model_copy(update={"key": ("k", "at")})
    (batch,) = batches([{"records": {"t": [{"delete": {"k": "a"}, "at": "5s"}]}}], t=by_key)
    assert json.loads(batch.records["t"][0].key or b"") == {"k": "a", "at": START // 1000 + 5_000}


def test_records_as_they_are_in_kafka() -> None:
    steps = [{"records": {"s": [{"value": "{"}, {"key": "k", "value": None}]}}]
    (batch,) = batches(steps, s=contract())
    assert [(record.key, record.value) for record in batch.records["s"]] == [(None, b"{"), (b"k", None)]


REFUSED = [
    ("unknown source", {"records": {"z": []}}, ("batches", "0", "records", "z")),
    ("unknown silent source", {"silent": ["z"]}, ("batches", "0", "silent", "0")),
    ("unknown heartbeat", {"heartbeats": {"z": "1s"}}, ("batches", "0", "heartbeats", "z")),
    (
        "no time",
        {"records": {"s": [{"at": "soon", "values": {}}]}},
        ("batches", "0", "records", "s", "0", "at"),
    ),
    (
        "no arrival",
        {"records": {"f": [{"arrives": "soon", "values": {}}]}},
        ("batches", "0", "records", "f", "0", "arrives"),
    ),
    ("time goes back", {"advance": "-1s"}, ("batches", "0", "advance")),
    ("no duration", {"advance": "a while"}, ("batches", "0", "advance")),
    ("nothing said", {"records": {"s": [{"at": "1s"}]}}, ("batches", "0", "records", "s", "0")),
    ("said twice", {"records": {"s": [{"values": {}, "value": "x"}]}}, ("batches", "0", "records", "s", "0")),
    (
        "unknown field",
        {"records": {"s": [{"values": {"y": 1}}]}},
        ("batches", "0", "records", "s", "0", "values"),
    ),
    (
        "two event times",
        {"records": {"f": [{"at": "1s", "values": {"at": 1}}]}},
        ("batches", "0", "records", "f", "0", "values"),
    ),
    (
        "two timestamps",
        {"records": {"s": [{"at": "1s", "arrives": "2s", "values": {}}]}},
        ("batches", "0", "records", "s", "0", "arrives"),
    ),
    (
        "a Kafka timestamp with a fraction",
        {"records": {"s": [{"at": "1.0005s", "values": {}}]}},
        ("batches", "0", "records", "s", "0", "at"),
    ),
    (
        "an arrival with a fraction",
        {"records": {"f": [{"arrives": "2026-01-01T10:00:00.000001Z", "values": {}}]}},
        ("batches", "0", "records", "f", "0", "arrives"),
    ),
    (
        "a change with a fraction",
        {"records": {"c": [{"at": "1.0005s", "values": {}}]}},
        ("batches", "0", "records", "c", "0", "at"),
    ),
    (
        "two timestamps of a deletion",
        {"records": {"t": [{"at": "5s", "arrives": "1m", "delete": {"k": "a"}}]}},
        ("batches", "0", "records", "t", "0", "arrives"),
    ),
    (
        "a stream has no deletions",
        {"records": {"s": [{"delete": {"k": "a"}}]}},
        ("batches", "0", "records", "s", "0", "delete"),
    ),
]


@pytest.mark.parametrize(("step", "path"), [pytest.param(s, p, id=i) for i, s, p in REFUSED])
def test_what_cannot_be_sent_says_where(step: dict[str, Any], path: tuple[str, ...]) -> None:
    assert sent([step], s=contract(), f=BY_FIELD, c=CHANGES, t=TIMED_TABLE)[1] == [path]


def test_a_start_that_is_no_instant() -> None:
    parsed = parse_test({"format": 1, "name": "t", "start": "10:00", "batches": [{}]})
    assert parsed.test is not None
    assert [found.path for found in batches_of(parsed.test, {})[1]] == [("start",)]
