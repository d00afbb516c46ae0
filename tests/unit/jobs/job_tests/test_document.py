"""The form of a test document: what is read, and where a malformed one is wrong."""

import pytest

from jobs.job_tests.document import MAX_EXPECTED, MAX_RECORDS, JobTest, parse_test

WHOLE = """
format: 1
name: all parts
description: everything that a test may say
start: 2026-01-01T10:00:00Z
tolerance: 0.001
batches:
  - records:
      s:
        - {at: 1s, arrives: 2s, values: {x: 1}}
        - {key: a, value: "{"}
        - {delete: {k: a}}
  - {restart: crash, silent: [s], advance: 10m, heartbeats: {s: 12m}, records: {}}
  - {expect: {late: 1, late_by_step: {n: 1}}}
expect:
  outputs: {out: {rows: [{n: 1}], contains: [{n: 1}], absent: [{n: 2}], strict: true}}
  steps: {n.late: {rows: []}}
  malformed: {s: 1}
  errors: {n: 0}
  keyless: {n: 0}
"""


def test_a_document_with_all_parts_is_read_and_written_back() -> None:
    parsed = parse_test(WHOLE)
    assert parsed.problems == ()
    assert parsed.test is not None
    again = parse_test(parsed.test.as_json())
    assert again.test == parsed.test
    assert parsed.test.as_json() == parsed.value


ROW = """
format: 1
name: numbers
batches: [{}]
expect:
  outputs:
    out:
      rows:
        - {id: -9223372036854775808, mean: 0.0033333333333333335, low: 0.000001, small: 1.0e-7, text: "\\x7F"}
"""


@pytest.mark.parametrize("text", [WHOLE, ROW])
def test_a_turn_of_a_run_reads_what_the_one_before_has_written(text: str) -> None:
    """JSON writes small doubles without a point, which is text in a document."""
    test = parse_test(text).test
    assert test is not None
    assert JobTest.model_validate_json(test.model_dump_json(exclude_unset=True)) == test


def test_every_long_and_every_double_is_a_number() -> None:
    test = parse_test(ROW).test
    assert test is not None
    (row,) = test.as_json()["expect"]["outputs"]["out"]["rows"]
    assert row == {
        "id": -(2**63),
        "mean": 0.0033333333333333335,
        "low": 0.000001,
        "small": 1e-7,
        "text": "\x7f",
    }
    assert [type(row[name]) for name in ("id", "mean", "small")] == [int, float, float]


@pytest.mark.parametrize("text", ["0.12345678901234567890", "1234567890123456.78"])
def test_a_decimal_of_many_digits_keeps_them(text: str) -> None:
    test = parse_test(
        f"{{format: 1, name: t, batches: [{{}}], expect: {{outputs: {{o: {{rows: [{{d: {text}}}]}}}}}}}}"
    ).test
    assert test is not None
    assert test.as_json()["expect"]["outputs"]["o"]["rows"] == [{"d": text}]


def test_json_is_read_too() -> None:
    assert parse_test('{"format": 1, "name": "t", "batches": [{}]}').test is not None


MALFORMED = [
    ("no mapping", "- a", ()),
    ("no yaml", "a: [", ()),
    ("no format", "{name: t, batches: [{}]}", ("format",)),
    ("another format", "{format: 2, name: t, batches: [{}]}", ("format",)),
    ("no name", "{format: 1, batches: [{}]}", ("name",)),
    ("a blank name", '{format: 1, name: " ", batches: [{}]}', ("name",)),
    ("no batches", "{format: 1, name: t}", ("batches",)),
    ("empty batches", "{format: 1, name: t, batches: []}", ("batches",)),
    ("unknown part", "{format: 1, name: t, batches: [{sleep: 1s}]}", ("batches", "0", "sleep")),
    (
        "unknown part of a record",
        "{format: 1, name: t, batches: [{}, {records: {s: [{time: 1s}]}}]}",
        ("batches", "1", "records", "s", "0", "time"),
    ),
    (
        "records without a source",
        "{format: 1, name: t, batches: [{records: [{at: 1s}]}]}",
        ("batches", "0", "records"),
    ),
    ("unknown restart", "{format: 1, name: t, batches: [{restart: hard}]}", ("batches", "0", "restart")),
    ("time that is a number", "{format: 1, name: t, batches: [{advance: 10}]}", ("batches", "0", "advance")),
    (
        "rows that are no rows",
        "{format: 1, name: t, batches: [{}], expect: {outputs: {o: {rows: [1]}}}}",
        ("expect", "outputs", "o", "rows", "0"),
    ),
    (
        "a negative count",
        "{format: 1, name: t, batches: [{expect: {late: -1}}]}",
        ("batches", "0", "expect", "late"),
    ),
    (
        "a count that is a word",
        "{format: 1, name: t, batches: [{}], expect: {malformed: {s: none}}}",
        ("expect", "malformed", "s"),
    ),
    (
        "a number that no double holds",
        "{format: 1, name: t, batches: [{}], expect: {outputs: {o: {rows: [{x: 1.0e999}]}}}}",
        ("expect", "outputs", "o", "rows", "0", "x"),
    ),
    ("a tolerance above 1", "{format: 1, name: t, tolerance: 2, batches: [{}]}", ("tolerance",)),
]


@pytest.mark.parametrize(("text", "path"), [pytest.param(t, p, id=i) for i, t, p in MALFORMED])
def test_a_malformed_document_says_where(text: str, path: tuple[str, ...]) -> None:
    parsed = parse_test(text)
    assert parsed.test is None
    assert path in [found.path for found in parsed.problems]
    assert all(found.message for found in parsed.problems)


def test_several_problems_come_at_once() -> None:
    parsed = parse_test("{format: 1, batches: [{sleep: 1s}, {restart: hard}]}")
    assert {found.path for found in parsed.problems} == {
        ("name",),
        ("batches", "0", "sleep"),
        ("batches", "1", "restart"),
    }


def test_size_is_bounded() -> None:
    many = {"format": 1, "name": "t", "batches": [{"records": {"s": [{"values": {}}] * (MAX_RECORDS + 1)}}]}
    assert [found.path for found in parse_test(many).problems] == [("batches",)]
    rows = [{"n": 1}] * (MAX_EXPECTED + 1)
    asked = {"format": 1, "name": "t", "batches": [{}], "expect": {"outputs": {"o": {"rows": rows}}}}
    assert [found.path for found in parse_test(asked).problems] == [("expect",)]
