"""Previews of one reading are of the same records, in whatever web process they are asked for."""

import json
from typing import Any

import pytest
from django.core.cache import caches
from redis.exceptions import ConnectionError as ValkeyAwayError

from jobs.play import PlayHeader, PlayRecord
from tests.support.run_factories import trades
from weir.preview.services import pinned_samples as service
from weir.preview.services.aligned_samples import Wanted
from weir.preview.services.pinned_samples import MOST_KEPT, pinned_samples
from weir.preview.services.samples import Sample, SourceChoice
from weir.streams.models import Stream
from weir.workspaces.models import Workspace

pytestmark = pytest.mark.django_db

RECORD = PlayRecord(
    key=b"\xff\x00", value=None, timestamp_us=7, headers=(PlayHeader(key="h", value=b"\xfe"),), offset=3
)


@pytest.fixture
def stream(workspace: Workspace) -> Stream:
    return trades(workspace)


class Topic:
    """Gives another record at each reading."""

    def __init__(self) -> None:
        self.readings = 0

    def __call__(self) -> dict[str, Sample]:
        self.readings += 1
        record = RECORD.model_copy(update={"offset": self.readings})
        return {"trades": Sample((record,), "note", around_us=5)}


def read(topic: Topic, stream: Stream, owner: str = "ops/1/page", reading: int = 0, **choice: Any) -> int:
    wanted = {"trades": Wanted(stream, SourceChoice(**choice))}
    found = pinned_samples(owner, reading, wanted, topic)
    (record,) = found.samples["trades"].records
    assert record == RECORD.model_copy(update={"offset": record.offset})  # bytes that are no text, too
    return record.offset or 0


def test_the_same_reading_gives_the_same_records(stream: Stream) -> None:
    topic = Topic()
    assert [read(topic, stream), read(topic, stream)] == [1, 1]
    assert pinned_samples("ops/1/page", 0, {"trades": Wanted(stream, SourceChoice())}, topic).samples[
        "trades"
    ] == Sample((RECORD.model_copy(update={"offset": 1}),), "note", 5)


def test_another_reading_choice_page_person_or_contract_reads_again(stream: Stream) -> None:
    topic = Topic()
    read(topic, stream)
    assert read(topic, stream, reading=1) == 2
    assert read(topic, stream, records=7) == 3
    assert read(topic, stream, owner="ops/1/other") == 4
    assert read(topic, stream, owner="ops/2/page") == 5
    stream.contract = {**stream.contract, "delay": "9s"}
    assert read(topic, stream) == 6


def test_of_one_person_only_the_newest_are_kept(stream: Stream) -> None:
    topic = Topic()
    for reading in range(MOST_KEPT + 1):
        read(topic, stream, owner=f"ops/1/page{reading}")
    assert read(topic, stream, owner="ops/1/page1") == 2
    assert read(topic, stream, owner="ops/1/page0") == MOST_KEPT + 2


def test_without_valkey_topics_are_read_each_time(stream: Stream, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any) -> None:
        raise ValkeyAwayError

    for name in ("get", "set"):
        monkeypatch.setattr(caches["shared"], name, away)
    topic = Topic()
    assert [read(topic, stream), read(topic, stream)] == [1, 2]


def test_a_sample_of_another_version_is_read_again(stream: Stream) -> None:
    topic = Topic()
    read(topic, stream)
    key = service._key("ops/1/page", 0, {"trades": Wanted(stream, SourceChoice())})
    caches["shared"].set(key, json.dumps({"other": 1}).encode())
    assert read(topic, stream) == 2
