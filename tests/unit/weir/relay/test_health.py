"""What the lag of a job means: from reports to the stored health, and to whoever asks for it."""

import pytest
from pytest_django import DjangoAssertNumQueries

from jobs.base.instants import Instant, datetime_of
from tests.support.group_rows import stored_group, watched
from tests.support.measured_jobs import started_job
from tests.support.played_lag import PlayedJob
from tests.support.run_factories import job_of, running
from tests.support.users import client_of
from weir.consumer_groups.models import ClusterWatch, GroupTopic
from weir.relay.health import HealthRecorder
from weir.runs.models import Generation, Run
from weir.runs.services.lag_health import NEEDS_A_LOOK
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]
JOBS = "/api/v1/workspaces/ops/jobs"
MIRROR = "weir.ops.stats"


@pytest.fixture
def job(workspace: Workspace, owner: User) -> PlayedJob:
    return PlayedJob(running(job_of(workspace, owner)))


def seen_from_now_on(job: PlayedJob) -> None:
    """The watch passes over the cluster all the time."""
    watched()
    ClusterWatch.objects.update(passed_at_us=job.at_us + 3_600_000_000)


@pytest.mark.parametrize("commit_s", [1, 30, 40])
def test_a_producer_that_doubles_is_told_within_60_seconds(job: PlayedJob, commit_s: int) -> None:
    job.commit_s = commit_s
    assert job.play(90, 100, 105)[-1] == "fine"
    assert job.seconds_until("falling_behind", job.play(90, 200, 105)) <= 60


def test_a_burst_that_is_caught_up_is_none(job: PlayedJob) -> None:
    job.play(90, 100, 200)
    seen = set(job.play(20, 400, 200)) | set(job.play(90, 100, 200))
    assert not seen & {kind.value for kind in NEEDS_A_LOOK}
    assert job.run.lag_health is not None
    assert job.run.lag_health["kind"] == "fine"


def test_the_list_and_the_job_say_it_with_the_same_number_of_queries(
    job: PlayedJob, workspace: Workspace, owner: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    job.play(90, 100, 105)
    job.play(90, 200, 105)
    for name in ("more", "and-more"):
        started_job(workspace, owner, name)
    client = client_of(owner)
    with django_assert_max_num_queries(12):
        (listed,) = [row for row in client.get(JOBS).json()["results"] if row["name"] == "stats"]
    shown = client.get(f"{JOBS}/{listed['id']}").json()["lag_health"]
    assert shown == listed["lag_health"]
    assert (shown["health"], shown["catch_up_s"], shown["lost_records"]) == ("falling_behind", None, 0)
    assert shown["in_rate"] == pytest.approx(200, rel=0.05)
    assert shown["out_rate"] == pytest.approx(105, rel=0.05)
    assert shown["since"].endswith("Z")


def test_when_records_are_lost_is_what_the_watch_found_of_the_mirror(job: PlayedJob) -> None:
    job.play(90, 100, 105)
    seen_from_now_on(job)
    stored_group(MIRROR, {"trades": 900}, health="behind", loss_s=1_800.0)
    job.play(3, 100, 105)
    assert job.run.lag_health is not None
    assert job.run.lag_health["loss_s"] is None  # it keeps up: the mirror is as old as the last checkpoint
    job.play(90, 200, 105)
    assert job.run.lag_health["loss_s"] == 1_800
    GroupTopic.objects.update(lost_records=40, loss_s=0.0, health="losing")
    assert job.play(3, 200, 105) == ["losing"]
    assert (job.run.lag_health["loss_s"], job.run.lag_health["lost_records"]) == (0, 40)


def test_topics_of_an_earlier_version_do_not_count(job: PlayedJob) -> None:
    job.play(90, 100, 105)
    seen_from_now_on(job)
    stored_group(MIRROR, {"trades": 900, "formerly": 5}, health="behind")
    GroupTopic.objects.filter(topic="formerly").update(loss_s=5.0, lost_records=9)
    job.play(90, 200, 105)
    assert job.run.lag_health is not None
    assert (job.run.lag_health["kind"], job.run.lag_health["lost_records"]) == ("falling_behind", 0)


@pytest.mark.parametrize("state", ["failed", "stopped"])
def test_a_job_that_does_not_run_is_judged_by_its_mirror(job: PlayedJob, state: str) -> None:
    job.play(90, 100, 105)
    seen_from_now_on(job)
    stored_group(MIRROR, {"trades": 900}, health="stopped", loss_s=600.0, since_us=5)
    Run.objects.update(observed=state)
    job.silence(3)
    assert job.run.lag_health is not None
    assert (job.run.lag_health["kind"], job.run.lag_health["loss_s"]) == ("stopped", 600)
    ClusterWatch.objects.update(passed_at_us=0)
    job.silence(3)
    assert job.run.lag_health is None


def test_an_engine_that_is_silent_says_nothing_of_lag(job: PlayedJob) -> None:
    job.play(90, 100, 105)
    job.silence(20)
    assert job.run.lag_health is None


@pytest.mark.parametrize("state", ["starting", "waiting"])
def test_a_job_that_is_about_to_read_is_not_judged_yet(job: PlayedJob, state: str) -> None:
    job.play(90, 100, 105)
    Run.objects.update(observed=state)
    assert job.play(30, 100, 0)[-1] == "unknown"


@pytest.mark.parametrize("state", ["starting", "queued"])
def test_what_the_generation_before_had_not_read_is_not_lost_by_the_new_one(
    job: PlayedJob, state: str
) -> None:
    """Its positions stay in the mirror until the new one commits, and their records may be gone."""
    seen_from_now_on(job)
    stored_group(MIRROR, {"trades": 900}, health="losing", loss_s=0.0, lost_records=40)
    Run.objects.update(observed=state, last_seen_at=datetime_of(Instant(job.at_us)))
    job.silence(3)
    assert job.run.lag_health is not None
    assert (job.run.lag_health["kind"], job.run.lag_health["lost_records"]) == ("unknown", 0)
    Run.objects.update(observed="running")
    assert "losing" not in job.play(90, 200, 105), "no pass since it has committed"
    GroupTopic.objects.update(at_us=job.at_us)
    assert job.play(3, 200, 105) == ["losing"]


def test_a_relay_that_begins_again_waits_until_it_has_seen_enough(job: PlayedJob) -> None:
    job.play(90, 100, 105)
    assert job.play(90, 200, 105)[-1] == "falling_behind"
    job.health = HealthRecorder(job.history.tracker)
    seen = job.play(60, 200, 105)
    assert (seen[0], seen[-1], set(seen)) == ("unknown", "falling_behind", {"unknown", "falling_behind"})


def test_what_is_read_is_the_same_however_many_jobs_there_are(
    job: PlayedJob, workspace: Workspace, owner: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    job.play(3, 100, 105)
    for name in ("more", "and-more"):
        started_job(workspace, owner, name)
    generation = job.run.generation
    generation.refresh_from_db()
    Generation.objects.update(sources=generation.sources)
    Run.objects.update(positions={"trades": {"0": {"committed": 5}}})
    job.history.follow_runs()
    job.health.store(job.at_us)
    with django_assert_num_queries(2), django_assert_num_queries(1, using="results"):
        job.health.store(job.at_us)
