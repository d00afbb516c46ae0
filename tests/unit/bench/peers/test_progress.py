"""How far a Spark query has come is read from what it has committed."""

from pathlib import Path

from bench.peers.progress import checkpointed_records


def test_a_batch_counts_when_it_is_committed(tmp_path: Path) -> None:
    assert checkpointed_records(tmp_path, "events") == 0
    for folder in ("commits", "offsets"):
        (tmp_path / folder).mkdir()
    for batch in range(12):
        offsets = f'v1\n{{"batchWatermarkMs":0}}\n{{"events":{{"0":{batch * 10},"1":{batch}}}}}'
        (tmp_path / "offsets" / str(batch)).write_text(offsets)
        (tmp_path / "offsets" / f".{batch}.crc").write_text("")
        if batch < 11:
            (tmp_path / "commits" / str(batch)).write_text('v1\n{"nextBatchWatermarkMs":0}')
    assert checkpointed_records(tmp_path, "events") == 110
