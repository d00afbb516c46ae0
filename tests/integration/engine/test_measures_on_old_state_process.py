"""An engine process resumes a job with other measures, and in the other mode."""

import time
from typing import Any

import pytest

from jobs.kafka_messages import ProgressReport
from tests.support.event_count_job import CONTRACT, COUNTS, SECOND, START
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench, EngineProcess, Record, Reports, Results

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

STEP = COUNTS["steps"]["n"]
MORE = {
    **COUNTS,
    "steps": {"n": {**STEP, "measures": {"last": "max(at)", "n": "count()", "again": "count()"}}},
}
FIRST, SECOND_WINDOW = "T10:00:00", "T10:00:10"


def events(first: int, last: int) -> list[Record]:
    return [(time.time_ns() // 1000, {"at": START + at * SECOND, "k": "a"}) for at in range(first, last)]


def measured(results: Results) -> dict[str, dict[str, Any]]:
    """The measures, by start of the window."""
    return {
        row["window_start"][10:19]: {name: row.get(name) for name in ("n", "again", "last")}
        for row in results.read().values()
    }


def partial(results: Results, epoch: int) -> set[str]:
    return {
        seen.key.split(",")[0][12:21]
        for seen in results.records
        if seen.headers["epoch"] == str(epoch) and seen.headers.get("partial") == "1"
    }


@pytest.mark.long
def test_a_job_goes_on_with_more_measures(bench: Bench, engine: EngineProcess, reports: Reports) -> None:
    reports.ready(engine)
    topic = bench.topic("in")
    folder = (bench.folder / "checkpoints" / topic).as_uri()  # as the platform names it
    run = bench.run(
        COUNTS, {"s": (topic, CONTRACT)}, "microbatch", engine_id=engine.engine_id, checkpoint=folder
    )
    results = bench.results(run)

    def shows(expected: dict[str, dict[str, Any]]) -> None:
        wait_until(
            lambda: measured(results) == expected,
            120,
            f"{expected}",
            lambda: f"{results.content}\n{engine.tail()}",
        )

    bench.publish(run)
    bench.produce(topic, events(0, 8))
    shows({FIRST: {"n": 8, "again": None, "last": None}})
    # A batch that is not committed would be repeated, and lack nothing.
    reports.wait(
        "the batch is committed",
        lambda r: (
            isinstance(r, ProgressReport) and r.run_id == run.run_id and r.sources["s"][0].committed == 8
        ),
    )
    bench.publish(run.model_copy(update={"state": "stopped", "revision": 2}))
    reports.state(run, "stopped")

    bench.produce(topic, events(8, 14))
    edited = run.model_copy(update={"document": MORE, "mode": "realtime", "epoch": 2, "revision": 3})
    bench.publish(edited)
    first = {"n": 10, "again": 10, "last": START + 9 * SECOND}
    shows({FIRST: first, SECOND_WINDOW: {"n": 4, "again": 4, "last": START + 13 * SECOND}})
    assert partial(results, 2) == {FIRST}
    reports.state(edited, "running")
    bench.publish(edited.model_copy(update={"state": "stopped", "revision": 4}))
    reports.state(edited, "stopped")

    # The next epoch knows which windows lack rows, and a version that only drops measures marks no more.
    bench.produce(topic, [*events(3, 4), *events(14, 15)])
    fewer = edited.model_copy(update={"document": COUNTS, "mode": "microbatch", "epoch": 3, "revision": 5})
    bench.publish(fewer)
    shows(
        {
            FIRST: {"n": 11, "again": None, "last": None},
            SECOND_WINDOW: {"n": 5, "again": None, "last": None},
        }
    )
    assert partial(results, 3) == {FIRST}
    bench.publish(run.run_id)
    reports.state(fewer, "stopped")
    results.close()
