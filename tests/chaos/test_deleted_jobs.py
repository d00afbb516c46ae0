"""Deleted jobs leave nothing on disk, in Kafka or in the databases, except their activity entries."""

import sqlite3
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient

from jobs.kafka_messages import RUNS_TOPIC, DesiredRun
from tests.chaos.jobs import Job, await_rows, create, register
from tests.chaos.load import Load
from tests.support.kafka_topics import records_of
from tests.support.living_folders import paths_below
from tests.support.processes import wait_until
from tests.support.rest import Rest
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.chaos, pytest.mark.timeout(900)]

TOLD_FOR_GOOD = {"workspaces_event"}  # who did what, which a workspace keeps


def rows_about(system: System, word: str) -> dict[str, int]:
    """Table → rows in which a word stands, over all databases of the system."""
    found = {}
    for file in system.layout.data.glob("*.sqlite3"):
        connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=20)
        try:
            for (table,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
            ).fetchall():
                columns = [column[1] for column in connection.execute(f'PRAGMA table_info("{table}")')]
                condition = " OR ".join(f'CAST("{column}" AS TEXT) LIKE ?' for column in columns)
                count = connection.execute(
                    f'SELECT COUNT(*) FROM "{table}" WHERE {condition}', [f"%{word}%"] * len(columns)
                ).fetchone()[0]
                if count and table not in TOLD_FOR_GOOD:
                    found[f"{file.name} {table}"] = count
        finally:
            connection.close()
    return found


def files_about(system: System, word: str) -> list[Path]:
    """The system's files and folders with a word in their path.

    Kafka deletes a topic's files a minute later.
    """
    return [
        path
        for path in paths_below(system.layout.data, without="kafka")
        if word in str(path.relative_to(system.layout.data))
    ]


def topics_about(admin: AdminClient, word: str) -> list[str]:
    return [topic for topic in admin.list_topics(timeout=10).topics if word in topic]


def groups_of(admin: AdminClient, prefix: str) -> set[str]:
    return {
        group.group_id
        for group in admin.list_consumer_groups(request_timeout=10).result().valid
        if group.group_id.startswith(prefix)
    }


@pytest.mark.long
def test_nothing_of_a_deleted_job_is_left(system: System, rest: Rest, stream_name: str) -> None:
    register(rest, stream_name)
    admin = AdminClient(dict(system.kafka_options))
    jobs = [
        create(rest, "in-real-time", stream_name, "realtime"),
        create(rest, "in-batches", stream_name, "microbatch"),
        create(rest, "on-its-own", stream_name, "microbatch", engine="dedicated"),
    ]
    with Load(system.bootstrap, stream_name) as load:
        for job in jobs:
            job.start()
        for job in jobs:
            await_rows(job, load)
    groups = f"weir.{rest.workspace}."
    wait_until(lambda: len(groups_of(admin, groups)) == len(jobs), 60, "every job has its mirror group")
    for job in jobs:
        assert files_about(system, job.id), "there is a checkpoint"
        assert topics_about(admin, job.id), "there is a result topic"
        assert rows_about(system, job.id)
    jobs[0].rest.post(f"jobs/{jobs[0].id}/stop")
    jobs[0].await_state("stopped", 60)
    for job in jobs:  # two of them while they run
        rest.delete(f"jobs/{job.id}")
    for job in jobs:
        assert_gone(system, admin, job)
    assert groups_of(admin, groups) == set()


def assert_gone(system: System, admin: AdminClient, job: Job) -> None:
    def is_gone() -> bool:
        return not (rows_about(system, job.id) or files_about(system, job.id) or topics_about(admin, job.id))

    try:
        wait_until(is_gone, 120, f"all of {job.id} is gone")
    except AssertionError as error:
        left = (rows_about(system, job.id), files_about(system, job.id), topics_about(admin, job.id))
        raise AssertionError(f"{error}; left are {left}") from None
    newest = {record.key(): record.value() for record in records_of(system.kafka_options, RUNS_TOPIC)}
    assert job.id not in {
        DesiredRun.model_validate_json(run).job_id for run in newest.values() if run is not None
    }, "its runs are tombstones"
