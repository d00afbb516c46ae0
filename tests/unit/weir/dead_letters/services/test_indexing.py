"""Dead letters that are indexed from their topic, whatever is in it."""

from types import SimpleNamespace
from typing import Any

import pytest

from jobs.formats import dead_letters as fields
from tests.support.fake_topic import PROFILE, FakeTopic, Record
from tests.support.validator_factories import create_validator
from weir.dead_letters.models import DeadLetter
from weir.dead_letters.services import indexing
from weir.dead_letters.services.indexing import index_dead_letters
from weir.workspaces.models import Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
AT_MS = 1_750_000_000_000


def headers(offset: int, timestamp_ms: int) -> list[tuple[str, bytes | None]]:
    return [
        (fields.TOPIC, b"trades"),
        (fields.TOPIC_ID, b"id-1"),
        (fields.PARTITION, b"0"),
        (fields.OFFSET, str(offset).encode()),
        (fields.TIMESTAMP, str(timestamp_ms).encode()),
        (fields.REJECTED_BY, b"decode"),
        (fields.REASON, b"NOT_JSON"),
    ]


@pytest.mark.parametrize(
    ("timestamp_ms", "shown"),
    [
        (AT_MS * 1_000, "9999-12-31T23:59:59.999999+00:00"),  # microseconds for milliseconds
        (2**63 - 1, "9999-12-31T23:59:59.999999+00:00"),
        (-1, "1970-01-01T00:00:00+00:00"),
    ],
)
def test_a_letter_with_a_timestamp_that_no_datetime_can_hold_keeps_none_from_being_listed(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, timestamp_ms: int, shown: str
) -> None:
    validator = create_validator(workspace)
    log = FakeTopic(monkeypatch, 1)
    for number, at_ms in enumerate((AT_MS, timestamp_ms, AT_MS)):
        log.records[0].append(Record(0, number, b"{", None, header_list=headers(number, at_ms)))
    topic: Any = SimpleNamespace(
        profile=PROFILE, name="t", describe=lambda: SimpleNamespace(topic_id="id-9", partitions=1)
    )
    monkeypatch.setattr(indexing, "dead_letter_topic_of", lambda _: topic)
    monkeypatch.setattr(indexing, "watermarks", lambda *_, **__: log.ends())
    assert not index_dead_letters(validator)
    rows = DeadLetter.objects.order_by("offset")
    assert [row.offset for row in rows] == [0, 1, 2]
    assert rows[1].timestamp.isoformat() == shown
    validator.refresh_from_db()
    assert validator.indexed_offsets == {"0": 3}
