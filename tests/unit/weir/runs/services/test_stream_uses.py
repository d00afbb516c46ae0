"""What a job uses: the streams of its newest version, and those of the version that
runs, until it runs no more.
"""

import pytest

from tests.support.quiet_topics import quiet_topics
from tests.support.run_factories import DOCUMENT, job_of, running, trades
from tests.support.users import client_of
from weir.runs.models import Desired, Job, JobVersion
from weir.runs.services import start
from weir.runs.services.start import start_job
from weir.runs.services.stop import stop_job
from weir.runs.services.stream_uses import record_uses
from weir.runs.services.versions import add_version
from weir.streams.models import StreamUse
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]
STREAMS = "/api/v1/workspaces/ops/streams"


def used() -> set[str]:
    return set(StreamUse.objects.values_list("stream__name", flat=True))


@pytest.fixture
def job(workspace: Workspace, owner: User) -> Job:
    """It runs by its first version, which reads `trades` and writes `copies`; its second, not
    started, reads `quotes` alone.
    """
    for name in ("trades", "copies", "quotes"):
        trades(workspace, name=name, topic=name)
    writing = DOCUMENT.replace("outputs:", "outputs:\n  copy: {input: trades, to: {topic: copies}}")
    found = job_of(workspace, owner, writing)
    running(found)
    add_version(
        found,
        owner,
        DOCUMENT.replace("{stream: trades}", "{stream: quotes}").replace("name: stats", "name: renamed"),
    )
    return found


def test_what_runs_keeps_its_streams(job: Job, owner: User) -> None:
    assert used() == {"trades", "copies", "quotes"}
    assert set(StreamUse.objects.values_list("job_name", flat=True)) == {"renamed"}
    for name in ("trades", "copies", "quotes"):
        refused = client_of(owner).delete(f"{STREAMS}/{name}")
        assert (refused.status_code, refused.json()["code"]) == (409, "IN_USE")
        assert "renamed" in refused.json()["detail"]


def test_once_stopped_it_uses_what_its_newest_version_reads(job: Job, owner: User) -> None:
    stop_job(job, owner)
    assert used() == {"quotes"}
    assert client_of(owner).delete(f"{STREAMS}/trades").status_code == 204


def test_a_later_version_forgets_the_one_between(job: Job, owner: User, workspace: Workspace) -> None:
    trades(workspace, name="ticks", topic="ticks")
    add_version(job, owner, DOCUMENT.replace("{stream: trades}", "{stream: ticks}"))
    assert used() == {"trades", "copies", "ticks"}


def test_starting_the_newest_frees_what_the_older_one_read(
    job: Job, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "confirm_topics", lambda streams: streams)
    quiet_topics(monkeypatch)
    start_job(job, owner, "earliest")
    assert used() == {"quotes"}
    start_job(job, owner, "earliest", version=1)
    assert used() == {"trades", "copies", "quotes"}


def test_once_the_newest_runs_the_older_one_counts_no_more(job: Job) -> None:
    generation = job.generations.get()
    generation.run.version = 2
    generation.run.save()
    record_uses(job)
    assert used() == {"quotes"}


def test_a_job_that_cannot_be_read_is_stopped_and_keeps_what_it_names(job: Job, owner: User) -> None:
    """An older version of Weir has saved it."""
    JobVersion.objects.update(document={"format": 1, "sources": {"trades": {"stream": "trades"}}, "gone": 1})
    assert stop_job(job, owner).desired == Desired.STOPPED
    assert used() == {"trades"}
