"""When a checkpoint owes a batch without input, and what is written for it."""

import json

import pytest

from jobs.engine.owed_batch import owed_after

CONF = {"spark.sql.shuffle.partitions": "2"}


def offsets(watermark_ms: int, *sources: str) -> str:
    about = {"batchWatermarkMs": watermark_ms, "batchTimestampMs": 70, "conf": CONF}
    return "\n".join(["v1", json.dumps(about), *sources])


def commit(watermark_ms: int) -> str:
    return f'v1\n{{"nextBatchWatermarkMs":{watermark_ms},"stateUniqueIds":{{}}}}'


def test_the_next_batch_has_the_watermark_that_the_last_one_moved_to_and_the_same_offsets() -> None:
    sources = ('{"a":{"0":5,"1":7}}', '{"b":{"0":1}}')
    found = owed_after(offsets(10, *sources), commit(20), 90)
    assert found is not None
    version, about, *read = found[0].splitlines()
    assert version == "v1"
    assert json.loads(about) == {"batchWatermarkMs": 20, "batchTimestampMs": 90, "conf": CONF}
    assert tuple(read) == sources
    assert found[1] == {"a": {0: 5, 1: 7}, "b": {0: 1}}


def test_its_time_is_not_before_that_of_the_last_one() -> None:
    found = owed_after(offsets(10, '{"a":{"0":5}}'), commit(20), 60)
    assert found is not None
    assert json.loads(found[0].splitlines()[1])["batchTimestampMs"] == 70


def test_of_a_topic_that_is_read_twice_the_lesser_offset_counts() -> None:
    found = owed_after(offsets(10, '{"a":{"0":5,"1":2}}', '{"a":{"0":4,"1":3}}'), commit(20), 90)
    assert found is not None
    assert found[1] == {"a": {0: 4, 1: 2}}


@pytest.mark.parametrize(
    ("stored", "moved_to"),
    [
        (offsets(10, '{"a":{"0":5}}'), 10),
        (offsets(10, '{"a":{"0":5}}', "-"), 20),
        (offsets(10, '{"a":{"0":5}}').replace("v1", "v9"), 20),
    ],
    ids=["the watermark stands", "a source was not read", "another version of the file"],
)
def test_otherwise_none_is_owed(stored: str, moved_to: int) -> None:
    assert owed_after(stored, commit(moved_to), 90) is None


@pytest.mark.parametrize("stored", ["", "v1", "v1\n{", "v1\n5", 'v1\n{"batchWatermarkMs":1}\n{"a":'])
def test_nothing_is_written_after_what_cannot_be_read(stored: str) -> None:
    """A disk was full, or the power gone."""
    assert owed_after(stored, commit(20), 90) is None
    assert owed_after(offsets(10, '{"a":{"0":5}}'), stored, 90) is None
