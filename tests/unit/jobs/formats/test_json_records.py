"""The table that Python and Spark share, run through Python."""

import json
from pathlib import Path
from typing import Any

import pytest

from jobs.base.instants import instant_text
from jobs.formats.contract import StreamContract
from jobs.formats.contract_check import check_contract
from jobs.formats.json_records import decode
from jobs.formats.reasons import REASONS
from jobs.formats.records import Malformed, Row

TABLE = json.loads((Path(__file__).parents[3] / "golden" / "json_records.json").read_text(encoding="utf-8"))
CASES = [(group["contract"], case, f"{group['title']}: {case['title']}") for group in TABLE["groups"] for case in group["cases"]]


def bytes_of(case: dict[str, Any]) -> bytes | None:
    if "value_hex" in case:
        return bytes.fromhex(case["value_hex"])
    return case["value"].encode().ljust(case.get("pad_to", 0)) if case["value"] is not None else None


@pytest.mark.parametrize(("contract", "case"), [row[:2] for row in CASES], ids=[row[2] for row in CASES])
def test_records(contract: dict[str, Any], case: dict[str, Any]) -> None:
    found = decode(bytes_of(case), StreamContract.model_validate(contract), TABLE["append_time_us"])
    if isinstance(found, Row):
        assert {"row": found.as_json(), "time": instant_text(found.event_time)} == {"row": case.get("row"), "time": case.get("time")}
    else:
        assert (found.reason, bool(found.detail)) == (case.get("reason"), True)


def test_every_reason_is_in_the_table() -> None:
    assert {case["reason"] for _, case, _ in CASES if "reason" in case} == set(REASONS)


def test_the_contracts_of_the_table_are_sound() -> None:
    for group in TABLE["groups"]:
        assert check_contract(StreamContract.model_validate(group["contract"])) == []


def test_deep_text_does_not_exhaust_the_stack() -> None:
    contract = StreamContract.model_validate({"fields": [{"name": "a", "type": "int"}]})
    for deep in (b'{"a":' + b"[" * 100_000, b"[" * 100_000 + b"]" * 100_000, b'{"a":' * 50_000 + b"1" + b"}" * 50_000):
        found = decode(deep, contract, 1)
        assert isinstance(found, Malformed)
        assert found.reason == "TOO_DEEP"


def test_a_lone_surrogate_is_no_text() -> None:
    contract = StreamContract.model_validate({"fields": [{"name": "a", "type": "string"}]})
    found = decode(b'{"a":"\\ud800"}', contract, 1)
    assert isinstance(found, Malformed)
    assert found.reason == "FIELD_TYPE"
