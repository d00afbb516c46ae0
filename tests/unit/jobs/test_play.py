"""Scripts of plays as JSON."""

import pytest
from pydantic import ValidationError

from jobs.play import MAX_BATCHES, Heartbeat, PlayBatch, PlayJob, PlayRecord, PlayScript, Restart

JOB = PlayJob(document={}, contracts={})


def test_bytes_come_back_as_they_were() -> None:
    every = bytes(range(256))
    record = PlayRecord(key=every, value=every, timestamp_us=1)
    batch = PlayBatch(before=(Restart(), Heartbeat(source="s", at_us=2)), records={"s": (record,)})
    script = PlayScript(job=JOB, batches=(batch,))
    assert PlayScript.model_validate_json(script.model_dump_json()) == script


def test_the_number_of_batches_is_bounded() -> None:
    with pytest.raises(ValidationError):
        PlayScript(job=JOB, batches=(PlayBatch(),) * (MAX_BATCHES + 1))
