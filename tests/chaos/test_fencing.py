"""Two drivers on one run: the lower epoch ends, and nothing of it reaches a reader."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from confluent_kafka import Producer

from jobs.kafka_messages import HEADER_EPOCH, REPORTS_TOPIC, RESULTS_PREFIX, RUNS_TOPIC
from tests.chaos.jobs import assert_exact, await_life, await_rows, create, register
from tests.chaos.load import Load
from tests.support.kafka_topics import records_of
from tests.support.processes import wait_until
from tests.support.rest import Rest
from tests.support.result_topics import result_topic_of
from tests.support.system import System
from weir.embedded.layout import REPOSITORY

pytestmark = [pytest.mark.integration, pytest.mark.chaos, pytest.mark.long, pytest.mark.timeout(900)]

NEVER = 999_999_999  # a sum that no window can have


def test_the_lower_epoch_ends_and_nobody_reads_it(system: System, rest: Rest, stream_name: str) -> None:
    register(rest, stream_name)
    job = create(rest, "contested", stream_name, "realtime")
    kafka = system.kafka_options
    with Load(system.bootstrap, stream_name) as load:
        job.start()
        await_life([job], load)
        topic = result_topic_of(kafka, job.id)
        # Nobody repairs what this test does.
        for name in ("beat", "worker"):
            system.supervisor.stop(name)
        first = psutil.Process(system.pid("engine"))
        first.suspend()
        with _second_engine(first, system) as engine_id:
            desired = _newest(kafka, RUNS_TOPIC, topic.removeprefix(RESULTS_PREFIX))
            taken = desired | {
                "epoch": desired["epoch"] + 1,
                "revision": desired["revision"] + 1,
                "engine_id": engine_id,
            }
            _send(kafka, RUNS_TOPIC, taken["run_id"], taken, None)
            wait_until(
                lambda: str(taken["epoch"]) in _epochs(kafka, topic), 240, "the second driver writes results"
            )
            first.resume()
            wait_until(
                lambda: _stopped(kafka, taken["run_id"], desired["epoch"]),
                120,
                "the first driver says that it stopped",
            )
            key = _any_key(kafka, topic)
            _send(
                kafka,
                topic,
                key,
                {"total": NEVER, "n": NEVER, "k": "ash", "window_start": "", "least": 0, "greatest": 0},
                "1",
            )
            await_rows(
                job, load
            )  # no engine that the database knows runs it, so its state is not to be asked for
            assert NEVER not in {measures["total"] for measures in job.content().values()}
        for name in ("worker", "beat"):
            system.supervisor.start(name)
        await_life([job], load)
        assert_exact(job, load.finish(), 120)
    rest.post(f"jobs/{job.id}/stop")


@contextmanager
def _second_engine(first: psutil.Process, system: System) -> Iterator[str]:
    settings = json.loads(Path(first.cmdline()[-1]).read_text())
    settings |= {
        "engine_id": "second",
        "incarnation": "second",
        "data_dir": str(system.layout.data / "second"),
    }
    file = system.layout.data / "second" / "second.json"
    file.parent.mkdir()
    file.write_text(json.dumps(settings))
    with (system.layout.data / "second" / "second.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "jobs.engine.submit", str(file)],
            cwd=REPOSITORY,
            env=first.environ(),
            stdout=log,
            stderr=log,
        )
    try:
        yield "second"
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait(20)


def _send(kafka: dict[str, str], topic: str, key: str, value: dict[str, Any], epoch: str | None) -> None:
    producer = Producer(dict(kafka))
    producer.produce(
        topic,
        json.dumps(value).encode(),
        key.encode(),
        headers=[(HEADER_EPOCH, epoch.encode())] if epoch else [],
    )
    assert producer.flush(20) == 0


def _newest(kafka: dict[str, str], topic: str, key: str) -> dict[str, Any]:
    return dict(
        json.loads(
            [record for record in records_of(kafka, topic) if record.key() == key.encode()][-1].value()
        )
    )


def _epochs(kafka: dict[str, str], topic: str) -> set[str]:
    return {dict(record.headers() or [])[HEADER_EPOCH].decode() for record in records_of(kafka, topic)}


def _any_key(kafka: dict[str, str], topic: str) -> str:
    return str(list(records_of(kafka, topic))[-1].key().decode())


def _stopped(kafka: dict[str, str], run_id: str, epoch: int) -> bool:
    reports = (json.loads(record.value()) for record in records_of(kafka, REPORTS_TOPIC) if record.value())
    return any(
        report["type"] == "run_state"
        and report["run_id"] == run_id
        and report["epoch"] == epoch
        and report["state"] == "stopped"
        for report in reports
    )
