"""A run whose checkpoint is gone, as after a restore without it, or before its disk is mounted: it does not
begin anew without a word, and goes on once the checkpoint is back.
"""

import shutil
from pathlib import Path

import pytest

from jobs.kafka_messages import RunMode
from tests.support.event_count_job import CONTRACT, COUNTS, counted, events_of_one_key
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench, EngineProcess, Reports

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600), pytest.mark.thorough]


@pytest.mark.parametrize("mode", ["microbatch", pytest.param("realtime", marks=pytest.mark.long)])
def test_a_run_does_not_begin_anew(
    bench: Bench, engine: EngineProcess, reports: Reports, tmp_path: Path, mode: RunMode
) -> None:
    reports.ready(engine)
    topic = bench.topic("in")
    run = bench.run(COUNTS, {"s": (topic, CONTRACT)}, mode, engine_id=engine.engine_id)
    results = bench.results(run)

    bench.produce(topic, events_of_one_key(0, 50))
    bench.publish(run)
    wait_until(lambda: counted(results) == 50, 120, "the first are counted", engine.tail)
    bench.publish(run.model_copy(update={"state": "stopped", "revision": 2}))
    reports.state(run, "stopped")
    written = len(results.records)
    shutil.move(run.checkpoint, tmp_path / "elsewhere")
    resumed = run.model_copy(update={"epoch": 2, "revision": 3, "committed": {"s": {0: 50}}})
    bench.publish(resumed)
    failed = reports.state(resumed, "failed", engine=engine)
    assert failed.failure is not None
    assert (failed.failure.code, failed.failure.permanent) == ("CHECKPOINT_MISSING", False)
    assert run.checkpoint in failed.failure.raw
    assert not Path(run.checkpoint).exists()
    assert counted(results) == 50
    assert len(results.records) == written
    shutil.move(tmp_path / "elsewhere", run.checkpoint)
    bench.publish(resumed.model_copy(update={"epoch": 3, "revision": 4}))
    bench.produce(topic, events_of_one_key(50, 60))
    wait_until(lambda: counted(results) == 60, 120, "it goes on", engine.tail)
    bench.publish(run.run_id)
    results.close()
