"""Backlogs are of records that their contracts decode."""

import json

import pytest

from bench.drain import FIELDS
from bench.fill import KINDS
from bench.weir_job import CONTRACT
from jobs.formats.contract import StreamContract
from jobs.formats.decoding import decode
from jobs.formats.records import Row

SIX = {
    "fields": [{"name": name, "type": type_} for name, type_ in FIELDS.items()],
    "event_time": {"kind": "field", "field": "at", "unit": "ms"},
}
AT_US = 1_767_225_600_123_000


@pytest.mark.parametrize(("kind", "contract"), [("count", CONTRACT), ("keyed", CONTRACT), ("six", SIX)])
@pytest.mark.parametrize("number", [0, 1, 12_345_677])
def test_records_are_rows(kind: str, contract: dict[str, object], number: int) -> None:
    key, value = KINDS[kind](number, AT_US, 1_000)
    found = decode(value.encode(), key.encode(), StreamContract.model_validate(contract), AT_US)
    assert isinstance(found, Row), found
    assert found.event_time == AT_US
    assert found.values == json.loads(value)
    assert found.values["k"] == key
