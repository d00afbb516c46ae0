"""Samples of several sources meet in time; what a topic holds is made up here."""

from collections.abc import Callable

import pytest

from jobs.play import PlayRecord
from tests.support.run_factories import trades
from weir.preview.services import aligned_samples as service
from weir.preview.services.aligned_samples import Wanted, aligned_samples
from weir.preview.services.samples import Kind, Sample, SourceChoice
from weir.streams.models import Stream
from weir.workspaces.models import Workspace

pytestmark = pytest.mark.django_db

SECOND = 1_000_000

Read = Callable[..., dict[str, list[int]]]


class Topics:
    """Kafka timestamps in s, by topic; a sample is of four records."""

    def __init__(self, **times: range) -> None:
        self.times = times

    def sample(self, stream: Stream, choice: SourceChoice, room: int, around_us: int | None = None) -> Sample:
        held = [at * SECOND for at in self.times[stream.topic]]
        if around_us is not None:
            held = [at for at in held if at < around_us][-2:] + [at for at in held if at >= around_us][:2]
        return Sample(tuple(PlayRecord(timestamp_us=at) for at in held[-4:]), "", around_us)


def seconds(one: Sample) -> list[int]:
    return [record.timestamp_us // SECOND for record in one.records]


@pytest.fixture
def read(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Read:
    def read(kind: Kind = "newest", table: bool = False, **times: range) -> dict[str, list[int]]:
        monkeypatch.setattr(service, "sample", Topics(**times).sample)
        wanted = {}
        for name in times:
            stream = trades(workspace, name=name, topic=name)
            if table and name == "slow":
                stream.contract = {**stream.contract, "kind": "table", "key": ["symbol"]}
            wanted[name] = Wanted(stream, SourceChoice(kind=kind if name == "fast" else "newest"))
        return {name: seconds(one) for name, one in aligned_samples(wanted, 100).items()}

    return read


def test_a_fast_stream_gives_the_records_around_the_end_of_a_slow_one(read: Read) -> None:
    assert read(fast=range(1_000), slow=range(0, 600, 100)) == {
        "fast": [498, 499, 500, 501],
        "slow": [200, 300, 400, 500],
    }


def test_streams_that_meet_give_their_newest(read: Read) -> None:
    assert read(fast=range(100), slow=range(99)) == {"fast": [96, 97, 98, 99], "slow": [95, 96, 97, 98]}


@pytest.mark.parametrize("kind", ["time", "key", "lines"])
def test_records_that_a_person_chose_stay(read: Read, kind: Kind) -> None:
    assert read(kind, fast=range(1_000), slow=range(0, 600, 100))["fast"] == [996, 997, 998, 999]


def test_a_table_moves_nothing(read: Read) -> None:
    assert read(table=True, fast=range(1_000), slow=range(9))["fast"] == [996, 997, 998, 999]


def test_an_empty_topic_moves_nothing(read: Read) -> None:
    assert read(fast=range(1_000), slow=range(0)) == {"fast": [996, 997, 998, 999], "slow": []}
