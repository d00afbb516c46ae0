"""What a record's structs may hold together, and other records that cost more than their length."""

import pytest

from jobs.formats.decoding import decode
from jobs.formats.records import Malformed, Skipped
from tests.support.resource_limit import resource_limit
from tests.support.wide_records import WIDE_RECORDS, WideRecord

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("record", WIDE_RECORDS, ids=[record.title for record in WIDE_RECORDS])
def test_wide_records(record: WideRecord) -> None:
    with resource_limit():
        found = decode(record.value, None, record.contract, 1_767_261_600_000_000)
    reason = (
        found.reason if isinstance(found, Malformed) else "SKIPPED" if isinstance(found, Skipped) else None
    )
    assert reason == record.reason, found if reason else ""
