"""What a record's structs may hold together, and other records that cost more than their length."""

from typing import Final

import pytest

from jobs.formats.decoding import decode
from jobs.formats.records import Malformed, Skipped
from tests.support.hostile_schemas import HOSTILE_SCHEMAS
from tests.support.resource_limit import resource_limit
from tests.support.wide_records import WIDE_RECORDS, WideRecord

pytestmark = pytest.mark.thorough
_RECORDS: Final = (*WIDE_RECORDS, *HOSTILE_SCHEMAS)


@pytest.mark.parametrize("record", _RECORDS, ids=[record.title for record in _RECORDS])
def test_wide_records(record: WideRecord) -> None:
    with resource_limit():
        found = decode(record.value, None, record.contract, 1_767_261_600_000_000)
    reason = (
        found.reason if isinstance(found, Malformed) else "SKIPPED" if isinstance(found, Skipped) else None
    )
    assert reason == record.reason, found if reason else ""
