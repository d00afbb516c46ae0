"""What a real engine leaves when it ends, by which the platform tells a crash from a kill, and its share."""

import os
import signal

import psutil
import pytest

from jobs.engine.host_engines import EngineShare
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench, EngineProcess, Reports
from weir.runs.services.engine_deaths import Death, how_it_ended

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600), pytest.mark.thorough]


@pytest.mark.parametrize(
    ("number", "death"),
    [
        pytest.param(signal.SIGKILL, Death.KILLED, id="killed from outside"),
        pytest.param(signal.SIGSEGV, Death.CRASHED, id="crash of the JVM", marks=pytest.mark.long),
    ],
)
def test_a_jvm_that_crashes_says_so_and_one_that_is_killed_does_not(
    bench: Bench, reports: Reports, number: signal.Signals, death: Death
) -> None:
    engine = EngineProcess(bench, f"ends-by-{number.name.lower()}")
    try:
        reports.ready(engine)
        told = engine.log.parent / "engines" / "host" / f"{engine.engine_id}.json"
        wait_until(told.exists, 60, "it tells the host's other engines what it has")
        share = EngineShare.model_validate_json(told.read_bytes())
        assert (share.engine_id, share.running) == (engine.engine_id, 0)
        family = psutil.Process(engine.pid).children(recursive=True)
        os.kill(engine.pid, number)
        wait_until(lambda: not engine.alive, 120, "its JVM ended")
        gone, alive = psutil.wait_procs(family, 60)
        assert alive == [], f"{len(gone)} ended with it"
        report = engine.log.parent / "engines" / engine.engine_id / "jvm-crash.log"
        assert report.exists() == (death is Death.CRASHED)
        assert how_it_ended(engine.log, "", was_ready=True, memory_kill=False) is death, engine.tail()
    finally:
        engine.kill()


def test_an_engine_that_stops_in_order_has_no_share_any_more(bench: Bench, reports: Reports) -> None:
    engine = EngineProcess(bench, "stops")
    reports.ready(engine)
    told = engine.log.parent / "engines" / "host" / "stops.json"
    wait_until(told.exists, 60, "it tells what it has")
    engine.stop()
    assert not told.exists()
