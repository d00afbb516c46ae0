"""Which records are the newest of a topic."""

import pytest

from jobs.formats.contract import StreamContract
from tests.support.fake_topic import FakeTopic
from weir.streams.services import sampling
from weir.streams.services.sampling import newest_records

CONTRACT = StreamContract.model_validate({"fields": [{"name": "a", "type": "int"}]})


@pytest.mark.parametrize(
    ("partitions", "limit", "each"),
    [(2, 10, 5), (3, 10, 3), (4, 10, 2), (4, 3, 1), (3, 1, 1)],
)
def test_the_newest_of_each_partition_are_there(
    monkeypatch: pytest.MonkeyPatch, partitions: int, limit: int, each: int
) -> None:
    topic = FakeTopic(monkeypatch, partitions)
    monkeypatch.setattr(sampling, "watermarks", lambda profile, topics, **_: topic.ends())
    for partition in range(partitions):
        for _ in range(20):
            topic.write(None, b"{}", partition)
    found = newest_records(topic.ref(CONTRACT), limit)
    read = {(message.partition(), message.offset()) for message in found.messages}
    assert read == {(partition, 20 - back) for partition in range(partitions) for back in range(1, each + 1)}


def test_an_empty_topic_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    topic = FakeTopic(monkeypatch, 2)
    monkeypatch.setattr(sampling, "watermarks", lambda profile, topics, **_: topic.ends())
    assert newest_records(topic.ref(CONTRACT), 10).messages == []
