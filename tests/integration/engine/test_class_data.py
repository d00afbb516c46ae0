"""An engine's class data are recorded by another process, and loaded by the next engine."""

from pathlib import Path

import pytest

from tests.support.processes import wait_until
from tests.support.spark_engine import Bench, EngineProcess, Reports

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900), pytest.mark.thorough]


def test_the_next_engine_loads_what_was_recorded_beside_one(
    bench: Bench, reports: Reports, tmp_path: Path
) -> None:
    archives = tmp_path / "engine" / "class-data"
    archives.mkdir(parents=True)  # of its own, so it has none
    engine = EngineProcess(Bench(bench.kafka, tmp_path), "lists-classes")
    reports.ready(engine)
    assert loaded(engine, archives) == []
    engine.stop()
    wait_until(lambda: list(archives.glob("*.jsa")), 300, "the archive is there")
    engine.begin()
    reports.ready(engine)
    assert loaded(engine, archives) == [str(path) for path in archives.glob("*.jsa")]
    engine.stop()
    assert not list(archives.glob("*.draft"))


def loaded(engine: EngineProcess, archives: Path) -> list[str]:
    """The archives of this folder that the engine's JVM has mapped into its memory."""
    maps = Path(f"/proc/{engine.pid}/maps").read_text()
    return sorted(
        {
            line.split()[-1]
            for line in maps.splitlines()
            if line.endswith(".jsa") and line.split()[-1].startswith(str(archives))
        }
    )
