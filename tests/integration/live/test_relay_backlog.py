"""Reports do not wait behind results: a relay with a long backlog still says truly what runs."""

import json
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from jobs.kafka_messages import RunHeartbeat
from jobs.run_states import SILENT_AFTER_US, UNKNOWN
from tests.integration.live.conftest import Results
from tests.support.processes import wait_until
from tests.support.run_factories import heartbeat
from weir.runs.models import Run, reports_read_until

pytestmark = [
    pytest.mark.integration,
    pytest.mark.long,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]

RECORDS = 100_000  # in one queue with them, a report waited 10 s
BEAT_SECONDS = 2.0


@contextmanager
def beating(results: Results) -> Iterator[None]:
    """An engine that says every two seconds that the run runs."""
    stop = threading.Event()
    engine, beat = results.run.engine, RunHeartbeat(epoch=1, revision=1, state="running", failure=None)
    assert engine is not None

    def beat_on() -> None:
        while True:
            results.report(heartbeat(engine, {results.run.pk: beat}))
            if stop.wait(BEAT_SECONDS):
                return

    thread = threading.Thread(target=beat_on)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(20)


def test_a_backlog_of_results_makes_no_run_unknown(
    results: Results, relay_process: Callable[[], subprocess.Popen[bytes]]
) -> None:
    for at in range(RECORDS):
        results.write(f"k{at}", json.dumps({"n": at, "text": "x" * 100}))
        if at % 50_000 == 0:
            results.flush()
    results.flush()
    silences: list[float] = []
    states: set[str] = set()
    with beating(results):
        relay_process()
        wait_until(lambda: Run.objects.get().last_seen_at is not None, 60, "the first heartbeat is read")

        def is_stored() -> bool:
            read_until, run = reports_read_until(), Run.objects.get()
            assert run.last_seen_at is not None
            silences.append(time.time() - run.last_seen_at.timestamp())
            states.add(run.shown_state(read_until))
            return results.stored_offsets() == RECORDS

        wait_until(is_stored, 240, "the backlog is stored")
    assert states == {"running"}
    assert max(silences) < SILENT_AFTER_US / 1e6, "a heartbeat waited for results"
    wait_until(
        lambda: Run.objects.get().shown_state(reports_read_until()) == UNKNOWN,
        30,
        "an engine that falls silent is noticed",
    )
