from typing import Any

import pytest

from jobs.formats.contract import StreamContract
from jobs.formats.contract_check import check_contract

FIELDS = [{"name": name, "type": type_} for name, type_ in (("n", "long"), ("s", "string"), ("t", "timestamp"), ("b", "boolean"))]


@pytest.mark.parametrize(
    ("changes", "code", "path"),
    [
        ({"fields": [*FIELDS, FIELDS[0]]}, "NAME_TAKEN", ("fields", "4", "name")),
        ({"fields": [{"name": "d", "type": "duration"}]}, "TYPE_NOT_OUTPUT", ("fields", "0", "type")),
        ({"fields": [{"name": "d", "type": "array<duration>"}]}, "TYPE_NOT_OUTPUT", ("fields", "0", "type")),
        ({"event_time": {"kind": "field"}}, "PARAMETER_MISSING", ("event_time", "field")),
        ({"event_time": {"kind": "field", "field": "x"}}, "FIELD_UNKNOWN", ("event_time", "field")),
        ({"event_time": {"kind": "field", "field": "n"}}, "PARAMETER_MISSING", ("event_time", "unit")),
        ({"event_time": {"kind": "field", "field": "s"}}, "PARAMETER_MISSING", ("event_time", "format")),
        ({"event_time": {"kind": "field", "field": "s", "format": "EEE dd"}}, "FORMAT_UNSUPPORTED", ("event_time", "format")),
        ({"event_time": {"kind": "field", "field": "b"}}, "TYPE_MISMATCH", ("event_time", "field")),
        ({"event_time": {"kind": "field", "field": "t", "zone": "+02:00"}}, "ZONE_UNKNOWN", ("event_time", "zone")),
        ({"event_time": {"kind": "append", "zone": "Nowhere/Else"}}, "ZONE_UNKNOWN", ("event_time", "zone")),
    ],
)
def test_problems(changes: dict[str, Any], code: str, path: tuple[str, ...]) -> None:
    contract = StreamContract.model_validate({"fields": FIELDS, **changes})
    assert [(found.code, found.path) for found in check_contract(contract, ("contract",))] == [(code, ("contract", *path))]


@pytest.mark.parametrize(
    "event_time",
    [
        {},
        {"kind": "field", "field": "n", "unit": "ns"},
        {"kind": "field", "field": "s", "format": "iso", "zone": "Europe/Berlin"},
        {"kind": "field", "field": "s", "format": "dd.MM.yyyy HH:mm:ss,SSS"},
        {"kind": "field", "field": "t"},
    ],
)
def test_sound_contracts(event_time: dict[str, Any]) -> None:
    assert check_contract(StreamContract.model_validate({"fields": FIELDS, "event_time": event_time})) == []
