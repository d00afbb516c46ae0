"""The tables that Python and Spark share, run through Python."""

from typing import Any

import pytest

from jobs.base.instants import instant_text
from jobs.formats.contract import StreamContract
from jobs.formats.decoding import DecodeResult, decode
from jobs.formats.malformed_reasons import MAX_BYTES, REASONS
from jobs.formats.record_formats import VALUE_FORMATS
from jobs.formats.records import Malformed, Skipped
from tests.support.record_tables import GROUP_IDS, GROUPS, TABLES, expected_of, headers_of, key_of, value_of


def seen(found: DecodeResult) -> dict[str, Any]:
    if isinstance(found, Malformed):
        assert found.detail
        return {"reason": found.reason}
    if isinstance(found, Skipped):
        return {"skipped": True}
    return {"row": found.as_json(), "time": instant_text(found.event_time), "deleted": found.deleted}


@pytest.mark.parametrize(("name", "group"), GROUPS, ids=GROUP_IDS)
def test_the_tables(name: str, group: dict[str, Any]) -> None:
    contract = StreamContract.model_validate(group["contract"])
    wrong = []
    for case in group["cases"]:
        got = seen(
            decode(
                value_of(case), key_of(case), contract, TABLES[name]["timestamp_us"], headers=headers_of(case)
            )
        )
        if got != expected_of(case):
            wrong.append(f"{case['title']}: {got} instead of {expected_of(case)}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("encoding", [{"format": "text"}, {"format": "json", "framing": "confluent"}])
def test_a_key_is_no_longer_than_a_value(encoding: dict[str, str]) -> None:
    contract = StreamContract.model_validate(
        {
            "kind": "table",
            "key": ["k"],
            "key_encoding": encoding,
            "fields": [{"name": "k", "type": "string"}, {"name": "v", "type": "int"}],
        }
    )
    head, foot = (b'\0\0\0\0\1"', b'"') if "framing" in encoding else (b"", b"")
    for size, expected in ((MAX_BYTES, None), (MAX_BYTES + 1, "KEY_INVALID")):
        key = head + b"k" * (size - len(head) - len(foot)) + foot
        found = decode(b"{}", key, contract, 1_767_261_600_000_000)
        assert (found.reason if isinstance(found, Malformed) else None) == expected


def test_every_reason_is_in_a_table() -> None:
    assert {case["reason"] for _, group in GROUPS for case in group["cases"] if "reason" in case} == set(
        REASONS
    )


def test_every_format_has_golden_records() -> None:
    played = {StreamContract.model_validate(group["contract"]).encoding.format for _, group in GROUPS}
    assert played == set(VALUE_FORMATS)
