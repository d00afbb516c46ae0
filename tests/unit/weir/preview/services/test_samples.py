"""What a preview's sources give: typed records, bounds, and why there are none."""

import json
from typing import Any

import pytest

from jobs.base.budget import Budget, bounded
from jobs.play import PlayRecord
from tests.support.run_factories import trades
from weir.preview.services import samples
from weir.preview.services.samples import MAX_RECORDS, SourceChoice, sample, with_times
from weir.streams.services.browse_page import BrowseQuery, Page
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import Workspace

pytestmark = pytest.mark.django_db

ROOM = 100_000
LINE = json.dumps({"symbol": "A", "price": 1.5, "at": 1_767_261_600_000})


def test_each_line_is_a_record_that_arrives_after_the_one_before(workspace: Workspace) -> None:
    found = sample(trades(workspace), SourceChoice(kind="lines", lines=f"{LINE}\n\n{LINE}\n"), ROOM)
    assert [record.value for record in found.records] == [LINE.encode(), LINE.encode()]
    first, second = (record.timestamp_us for record in found.records)
    assert second - first == 1_000


def test_a_text_with_a_line_separator_is_one_record(workspace: Workspace) -> None:
    line = json.dumps({"symbol": "A\u2028B"}, ensure_ascii=False)
    found = sample(trades(workspace), SourceChoice(kind="lines", lines=f"{line}\n{line}"), ROOM)
    assert [record.value for record in found.records] == [line.encode()] * 2
    assert [record.offset for record in found.records] == [0, 1]


def test_a_value_that_is_no_row_is_a_record_too(workspace: Workspace) -> None:
    found = sample(trades(workspace), SourceChoice(kind="lines", lines="{nonsense"), ROOM)
    assert [record.value for record in found.records] == [b"{nonsense"]


def test_a_line_of_an_export_keeps_its_bytes_and_its_timestamp(workspace: Workspace) -> None:
    line = json.dumps(
        {
            "offset": 7,
            "timestamp": "2026-01-01T10:00:00.000000Z",
            "value_base64": "e30=",
            "key_base64": "aw==",
            "headers": [],
        }
    )
    (record,) = sample(trades(workspace), SourceChoice(kind="lines", lines=line), ROOM).records
    assert (record.key, record.value, record.timestamp_us) == (b"k", b"{}", 1_767_261_600_000_000)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"value_base64": "%", "key": "a"}', "value_base64 isn't"),
        ('{"value": 1, "headers": {"trace": "1"}}', "headers must be"),
        ('{"value": 1, "key": "\\ud800"}', "has half a surrogate pair"),
        ('{"value": 1, "partition": "first"}', "partition isn't"),
    ],
)
def test_an_invalid_line_is_named(workspace: Workspace, line: str, says: str) -> None:
    lines = f"{LINE}\n{line}"
    with pytest.raises(ServiceError, match=f"Line 2 {says}"):
        sample(trades(workspace), SourceChoice(kind="lines", lines=lines), ROOM)


def test_too_many_lines_are_refused(workspace: Workspace) -> None:
    lines = "1\n" * (MAX_RECORDS + 1)
    with pytest.raises(ServiceError, match="at most 1,000 records"):
        sample(trades(workspace), SourceChoice(kind="lines", lines=lines), ROOM)


def test_records_without_room_are_left_out_and_counted(workspace: Workspace) -> None:
    lines = "\n".join('"' + "x" * 100 + '"' for _ in range(10))
    found = sample(trades(workspace), SourceChoice(kind="lines", lines=lines), 300)
    assert len(found.records) == 2
    assert found.note.startswith("8 of 10 records are left out")


@pytest.mark.parametrize(("kind", "kept"), [("newest", [b"2", b"3"]), ("time", [b"1", b"2"])])
def test_the_newest_records_stay_where_the_newest_are_asked_for(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, kind: samples.Kind, kept: list[bytes]
) -> None:
    monkeypatch.setattr(samples, "_messages", lambda stream, choice, around_us: [1, 2, 3])
    monkeypatch.setattr(samples, "in_order", lambda messages: messages)
    monkeypatch.setattr(
        samples, "_played", lambda number: PlayRecord(value=str(number).encode(), timestamp_us=number)
    )
    found = sample(trades(workspace), SourceChoice(kind=kind), 90)
    assert [record.value for record in found.records] == kept


def test_an_empty_topic_says_so(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "_messages", lambda stream, choice, around_us: [])
    assert sample(trades(workspace), SourceChoice(), ROOM).note == "The topic trades has no records."


def test_event_times_are_those_of_the_contract(workspace: Workspace) -> None:
    stream = trades(workspace)
    found = sample(stream, SourceChoice(kind="lines", lines=f"{LINE}\n{{nonsense"), ROOM)
    assert with_times(stream, found).times == (1_767_261_600_000_000, None)


def test_without_the_time_to_decode_them_they_are_unknown(workspace: Workspace) -> None:
    stream = trades(workspace)
    found = sample(stream, SourceChoice(kind="lines", lines=LINE), ROOM)
    with bounded(Budget(0, 0.0)):
        assert with_times(stream, found) == found


def test_typed_records_are_known_by_their_line(workspace: Workspace) -> None:
    found = sample(trades(workspace), SourceChoice(kind="lines", lines=f"\n{LINE}\n\n{LINE}"), ROOM)
    assert found.typed
    assert [record.offset for record in found.records] == [1, 3]  # of lines 2 and 4


def test_the_stream_has_a_sample_of_its_own(workspace: Workspace) -> None:
    stream = trades(workspace)
    found = sample(stream, SourceChoice(kind="sample", lines=LINE), ROOM)
    assert [record.value for record in found.records] == [LINE.encode()]
    assert "has no sample" in sample(stream, SourceChoice(kind="sample"), ROOM).note


class Held:
    """A record of a topic, as its client gives it."""

    def __init__(self, partition: int, offset: int, at_ms: int) -> None:
        self.held = partition, offset, at_ms

    def partition(self) -> int:
        return self.held[0]

    def offset(self) -> int:
        return self.held[1]

    def timestamp(self) -> tuple[int, int]:
        return 1, self.held[2]

    def key(self) -> None:
        return None

    def value(self) -> bytes:
        return b"{}"

    def headers(self) -> list[tuple[str, bytes]]:
        return []


@pytest.mark.parametrize("choice", [SourceChoice(), SourceChoice(kind="key", key="A")])
def test_records_of_a_page_come_in_the_order_of_their_partitions(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, choice: SourceChoice
) -> None:
    """A page of the newest records begins with the newest; around a moment it is followed by one forwards."""

    def scan_page(ref: Any, query: BrowseQuery) -> Page:
        older = [Held(0, 2, 20), Held(1, 7, 15), Held(0, 1, 20), Held(0, 0, 10)]
        found: Any = [Held(0, 3, 30)] if query.origin == "time" else older
        return Page(found, {}, {}, backwards=query.origin == "newest")

    monkeypatch.setattr(samples, "scan_page", scan_page)
    around = 25_000 if choice.kind == "newest" else None
    found = sample(trades(workspace), choice, ROOM, around_us=around)
    offsets = [(record.partition, record.offset) for record in found.records]
    assert offsets == [(0, 0), (1, 7), (0, 1), (0, 2), *([(0, 3)] if around else [])]
    assert found.around_us == around
