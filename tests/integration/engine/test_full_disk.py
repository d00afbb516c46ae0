"""The disk of the checkpoints is full: the run says so, and goes on from where it was once there is room."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.event_count_job import CONTRACT, COUNTS, counted, events_of_one_key
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench, EngineProcess, Reports

pytestmark = [pytest.mark.integration, pytest.mark.long, pytest.mark.timeout(600)]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 8 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)], check=False)
    if mounted.returncode:
        pytest.skip("only root may mount a file system here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """Take all that is left."""
    ballast = disk / "ballast"
    with ballast.open("wb") as file:
        try:
            while os.write(file.fileno(), b"x" * 4_096):
                pass
        except OSError:
            return ballast
    raise AssertionError("it has no end")


@pytest.mark.parametrize("mode", ["microbatch", "realtime"])
def test_a_full_disk_is_named_and_what_was_kept_is_whole(
    bench: Bench, engine: EngineProcess, reports: Reports, small_disk: Path, mode: str
) -> None:
    reports.ready(engine)
    topic = bench.topic("in")
    run = bench.run(
        COUNTS,
        {"s": (topic, CONTRACT)},
        mode,
        engine_id=engine.engine_id,
        checkpoint=str(small_disk / "checkpoint"),
        commit_interval_ms=1_000,
    )
    results = bench.results(run)

    bench.produce(topic, events_of_one_key(0, 50))
    bench.publish(run)
    wait_until(lambda: counted(results) == 50, 120, "the first are counted", engine.tail)
    ballast = fill(small_disk)
    bench.produce(topic, events_of_one_key(50, 60))
    failed = reports.state(run, "failed", 120, engine)
    assert failed.failure is not None
    assert (failed.failure.code, failed.failure.permanent) == ("DISK_FULL", False)
    ballast.unlink()
    again = run.model_copy(update={"epoch": 2, "revision": 2})
    bench.publish(again)
    wait_until(lambda: counted(results) == 60, 120, "all are counted", engine.tail)
    bench.publish(run.run_id)
    results.close()
