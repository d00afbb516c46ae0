"""A run of two queries in an engine process.

Killed in the middle, resumed by another, stopped and resumed.
"""

from pathlib import Path

import pytest

from tests.support.processes import wait_until
from tests.support.spark_engine import Bench, EngineProcess, Reports
from tests.support.two_query_job import (
    CONTRACT,
    DOCUMENT,
    Outputs,
    check_counts,
    counts,
    events,
    malformed,
    shown,
)

pytestmark = [pytest.mark.integration, pytest.mark.long, pytest.mark.timeout(1800)]

STARTED_WITHIN = 600  # seconds, from the start of an engine on


def test_both_queries_start_and_stop_together(bench: Bench, engine: EngineProcess, reports: Reports) -> None:
    topic = bench.topic("in")
    run = bench.run(
        DOCUMENT, {"s": (topic, CONTRACT)}, engine_id=engine.engine_id, topics={"now": bench.topic("now")}
    )
    written = Outputs(bench, run)
    bench.publish(run)
    bench.produce(topic, [*events(0, 100), *malformed()])
    try:
        reports.state(run, "running", STARTED_WITHIN, engine=engine)
        written.wait(100, engine.tail)
        assert {folder.name for folder in Path(run.checkpoint).iterdir()} == {"append", "update"}
        check_counts(reports, run)
        bench.produce(topic, events(100, 160))
        wait_until(
            lambda: len(shown(written.now)) > len(counts(100, 10**6)),
            300,
            "the engine is in the middle of it",
        )
    finally:
        engine.kill()
    bench.produce(topic, events(160, 220))

    engine.begin()
    try:
        again = run.model_copy(update={"epoch": 2, "replay_until": {"s": {0: 102}}})
        bench.publish(again)
        reports.state(again, "running", STARTED_WITHIN, engine=engine)
        written.wait(220, engine.tail)

        bench.publish(again.model_copy(update={"state": "stopped", "revision": 2}))
        reports.state(again, "stopped")
        bench.produce(topic, events(220, 300))
        resumed = run.model_copy(update={"epoch": 3, "revision": 3, "replay_until": {"s": {0: 222}}})
        bench.publish(resumed)
        reports.state(resumed, "running", engine=engine)
        written.wait(300, engine.tail)
        written.check_final()
    finally:
        bench.publish(run.run_id)
        written.close()
