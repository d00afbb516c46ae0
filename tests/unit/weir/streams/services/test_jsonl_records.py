"""What a line of a file means: a value, a whole record, or a record of our own export."""

import json
from typing import Any

import pytest

from weir.streams.services.jsonl_records import TruncatedExportError, filled_lines, parse_line

EXPORTED = {
    "partition": 1, "offset": 7, "timestamp": "2026-01-01T00:00:00Z", "timestamp_type": "log_append_time",
    "key": "k", "key_is_text": True,
    "value": "{}", "value_is_text": True, "truncated": False, "size": 3, "key_fields": None,
    "row": {}, "event_time": None, "deleted": False, "malformed": None,
    "key_base64": "aw==", "value_base64": "e30=",
    "headers": [{"name": "a", "value": "1", "value_is_text": True},
        {"name": "b", "value": "/w==", "value_is_text": False}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("line", "plain", "structured"),
    [
        ('{"a": 1}', {"value": '{"a": 1}'}, {"value_json": '{"a": 1}'}),
        ("plain", {"value": "plain"}, {"value": "plain"}),
        ("[1]", {"value": "[1]"}, {"value": "[1]"}),
        (
            '{"value": 1, "other": 2}',
            {"value": '{"value": 1, "other": 2}'},
            {"value_json": '{"value": 1, "other": 2}'},
        ),
        ('{"key": "k", "value": {"a": 2}}', {"key": "k", "value": {"a": 2}}, {"key": "k", "value": {"a": 2}}),
        ('{"value": "{\\"a\\": 2}"}', {"value": '{"a": 2}'}, {"value_json": '{"a": 2}'}),
        (
            '{"value_base64": "AA==", "key_json": "1"}',
            {"value_base64": "AA==", "key_json": "1"},
            {"value_base64": "AA==", "key_json": "1"},
        ),
        ('{"value": null, "key": "k"}', {"value": None, "key": "k"}, {"value": None, "key": "k"}),
    ],
)
def test_lines(line: str, plain: dict[str, Any], structured: dict[str, Any]) -> None:
    assert parse_line(line, structured=False) == plain
    assert parse_line(line, structured=True) == structured


@pytest.mark.parametrize("structured", [False, True])
def test_an_exported_record_is_itself_again_without_its_place(structured: bool) -> None:
    headers = [{"name": "a", "value": "1"}, {"name": "b", "value_base64": "/w=="}]
    given = parse_line(json.dumps(EXPORTED), structured=structured)
    assert given == {"value_base64": "e30=", "key_base64": "aw==", "headers": headers}
    tombstone = parse_line(
        json.dumps({**EXPORTED, "value_base64": None, "key_base64": None, "headers": []}),
        structured=structured,
    )
    assert tombstone == {"value_base64": None, "key_base64": None, "headers": []}


def test_an_export_that_was_cut_says_so() -> None:
    with pytest.raises(TruncatedExportError, match="there may be more"):
        parse_line(
            '{"stopped": "10 records (the record limit was reached); there may be more"}', structured=False
        )


def test_an_exported_record_without_all_of_its_headers_is_refused() -> None:
    with pytest.raises(TruncatedExportError, match="more headers"):
        parse_line(json.dumps({**EXPORTED, "truncated": True}), structured=False)


def test_only_line_feeds_end_a_line() -> None:
    """JSON texts hold other line ends; a record was cut there, and both halves were values."""
    inside = json.dumps("a\u2028b\u2029c\x85d", ensure_ascii=False)
    assert filled_lines(f"{inside}\r\n \n{inside}\n") == [(1, inside), (3, inside)]
