"""The control topic or the database is not what it was: both heal."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from jobs.kafka_messages import RUNS_TOPIC
from tests.chaos.jobs import assert_exact, await_life, create, register
from tests.chaos.load import Load
from tests.support.kafka_topics import delete_topic
from tests.support.rest import Rest
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.chaos, pytest.mark.long, pytest.mark.timeout(900)]

SERVICES = ("web", "worker", "beat", "relay")


def test_a_deleted_control_topic_is_written_again(system: System, rest: Rest, stream_name: str) -> None:
    register(rest, stream_name)
    job = create(rest, "reported-again", stream_name, "realtime")
    with Load(system.bootstrap, stream_name) as load:
        job.start()
        await_life([job], load)
        _delete_runs(system)
        await_life([job], load)
        # An engine that starts now knows only what was written again.
        system.kill("engine")
        await_life([job], load)
        assert_exact(job, load.finish(), 120)
    rest.post(f"jobs/{job.id}/stop")
    job.await_state("stopped", 120)


def test_a_restored_database_without_the_control_topic_heals(
    system: System, rest: Rest, stream_name: str
) -> None:
    register(rest, stream_name)
    job = create(rest, "restored", stream_name, "realtime")
    database = system.layout.data / "weir.sqlite3"
    kept = system.layout.data / "kept.sqlite3"
    with Load(system.bootstrap, stream_name) as load:
        job.start()
        await_life([job], load)
        _copy(database, kept)
        # The restored database does not know that this job was stopped and resumed, and so has another epoch.
        rest.post(f"jobs/{job.id}/stop")
        job.await_state("stopped", 120)
        job.start("resume")
        await_life([job], load)
        for name in SERVICES:
            system.supervisor.stop(name)
        _copy(kept, database)
        _delete_runs(system)
        for name in SERVICES:
            system.supervisor.start(name)
        await_life([job], load)
        assert_exact(job, load.finish(), 120)
    rest.post(f"jobs/{job.id}/stop")
    job.await_state("stopped", 120)


def _delete_runs(system: System) -> None:
    delete_topic(system.kafka_options, RUNS_TOPIC)


def _copy(source: Path, target: Path) -> None:
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)
