"""A cluster's connection changes under a run: by what was given and what is there now, without a broker."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from jobs.connections import password_context
from jobs.kafka_messages import BoundSource
from tests.support.quiet_topics import quiet_topics
from tests.support.run_factories import DOCUMENT, job_of, running, state_report, trades
from weir.clusters.models import Cluster
from weir.clusters.services.clusters import profile_of
from weir.clusters.services.keyring import keyring
from weir.runs import tasks
from weir.runs.models import Generation, Job, Run
from weir.runs.services import connection_rollout, start
from weir.runs.services.connection_rollout import encrypted_with_older_keys, reconnect, roll_out_connections
from weir.runs.services.given_profiles import given_profiles
from weir.runs.services.job_lock import JobChangedError
from weir.runs.services.report_handlers import apply_report
from weir.runs.services.run_publisher import desired_run
from weir.runs.services.versions import add_version
from weir.workspaces.errors import UnreachableError
from weir.workspaces.models import Event, User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Streams whose topics were looked at by the new connection."""
    found: list[Any] = []

    def confirm(streams: list[Any]) -> list[Any]:
        found.extend(streams)
        return streams

    monkeypatch.setattr(start, "confirm_topics", confirm)
    quiet_topics(monkeypatch)
    return found


@pytest.fixture
def cluster(workspace: Workspace, settings: Any, tmp_path: Any) -> Cluster:
    settings.ENCRYPTION_KEY_FILE = tmp_path / "encryption.keys"
    row = Cluster(
        id="c1",
        workspace=workspace,
        name="Trading",
        bootstrap="far:9092",
        security="SASL_SSL",
        mechanism="SCRAM-SHA-512",
    )
    row.username, row.password, row.reachable = (
        "ann",
        keyring().encrypt("first", password_context("c1")),
        True,
    )
    row.save()
    return row


@pytest.fixture
def run(workspace: Workspace, owner: User, cluster: Cluster) -> Run:
    """A run that was given the connection of now."""
    stream = trades(workspace)
    stream.cluster = cluster
    stream.save()
    job = job_of(workspace, owner)
    found = running(job)
    bound = {
        "stream": "trades",
        "cluster": profile_of(cluster).model_dump(mode="json"),
        "topic": "trades",
        "topic_id": "id-1",
    }
    bound |= {"partitions": 2, "contract": stream.stream_contract.as_json(), "start": {"kind": "earliest"}}
    found.generation.sources = {"trades": bound}
    found.generation.save()
    return found


def rotate(cluster: Cluster, password: str = "second") -> None:
    cluster.password = keyring().encrypt(password, password_context("c1"))
    cluster.save()


def given() -> Any:
    return BoundSource.model_validate(Generation.objects.get().sources["trades"]).cluster


def test_what_has_not_changed_stays(run: Run, cluster: Cluster, owner: User, asked: list[Any]) -> None:
    assert reconnect(cluster, owner) == {}
    assert (asked, Run.objects.get().revision) == ([], run.revision)


def test_a_tick_over_many_jobs_costs_no_more_queries_than_over_one(
    run: Run, cluster: Cluster, workspace: Workspace, owner: User
) -> None:
    counts = []
    for number in (0, 1, 2):
        if number:
            more = running(job_of(workspace, owner, DOCUMENT.replace("name: stats", f"name: more-{number}")))
            Generation.objects.filter(pk=more.generation_id).update(sources=run.generation.sources)
        with CaptureQueriesContext(connection) as made:
            assert reconnect(cluster, owner) == {}
        counts.append(len(made))
    assert len(set(counts)) == 1, counts


def test_it_is_stopped_and_begins_again_by_the_new_one(run: Run, cluster: Cluster, owner: User) -> None:
    rotate(cluster)
    assert reconnect(cluster, owner) == {}
    stopping = Run.objects.get()
    assert (desired_run(stopping).state, stopping.epoch, given()) == ("stopped", 1, profile_of(cluster))
    roll_out_connections()
    assert Run.objects.get().revision == stopping.revision
    apply_report(state_report(stopping, "stopped"))
    again = desired_run(Run.objects.get())
    assert (again.state, again.epoch, again.generation, again.sources["trades"].cluster) == (
        "running",
        2,
        1,
        profile_of(cluster),
    )


def test_one_that_does_not_open_it_costs_nothing(
    run: Run, cluster: Cluster, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = given()
    rotate(cluster, "mistyped")

    def refuse(_: Any) -> None:
        raise UnreachableError("BROKER_UNREACHABLE", "It refused the user 'ann'.")

    monkeypatch.setattr(start, "confirm_topics", refuse)
    assert reconnect(cluster, owner) == {"stats": "It refused the user 'ann'."}
    roll_out_connections()
    assert (desired_run(Run.objects.get()).state, Run.objects.get().revision, given()) == (
        "running",
        run.revision,
        old,
    )
    (said,) = Event.objects.filter(subject=run.generation.job_id, text__contains="old connection of Trading")
    assert "refused the user 'ann'" in said.text


def test_a_tick_does_what_was_left_undone_when_the_cluster_answers(run: Run, cluster: Cluster) -> None:
    rotate(cluster)
    apply_report(state_report(run, "failed"))
    Run.objects.update(retry_at=timezone.now())
    for answers, epoch in ((None, 1), (False, 1), (True, 2)):
        Cluster.objects.filter(pk="c1").update(reachable=answers)
        roll_out_connections()
        assert Run.objects.get().epoch == epoch
    assert given() == profile_of(cluster)


def test_a_newer_version_is_not_taken_up(run: Run, cluster: Cluster, owner: User) -> None:
    add_version(run.generation.job, owner, DOCUMENT.replace("min(price)", "max(price)"))
    rotate(cluster)
    assert reconnect(cluster, owner) == {}
    assert (Run.objects.get().version, Run.objects.get().awaiting_stop) == (1, True)


def test_a_job_that_was_restarted_while_others_were_looked_at_keeps_its_newer_version(
    run: Run, cluster: Cluster, workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = running(job_of(workspace, owner, DOCUMENT.replace("name: stats", "name: other")))
    Generation.objects.filter(pk=other.generation_id).update(sources=run.generation.sources)
    for job in Job.objects.all():
        newer = DOCUMENT.replace("name: stats", f"name: {job.name}").replace("[symbol]", "[symbol] # newer")
        add_version(job, owner, newer)
    rotate(cluster)
    begun: list[str] = []
    begin = start.start_job

    def begin_and_restart_the_other(job: Job, *given: Any, **named: Any) -> Job:
        """While the first is resumed, a person restarts the other one."""
        begun.append(job.name)
        if len(begun) == 1:
            (later,) = Job.objects.exclude(pk=job.pk)
            begin(later, owner, "resume", version=2)
        return begin(job, *given, **named)

    monkeypatch.setattr(connection_rollout, "start_job", begin_and_restart_the_other)
    assert reconnect(cluster, owner) == {}
    assert len(begun) == 1, "the other has the new connection"
    assert sorted(Run.objects.values_list("version", flat=True)) == [1, 2]
    assert {given_profiles(each) == {profile_of(cluster)} for each in Generation.objects.all()} == {True}


def test_a_job_that_is_restarted_at_the_same_moment_is_no_failure(
    run: Run, cluster: Cluster, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(job: Job, *_: Any, **__: Any) -> Job:
        raise JobChangedError(job)

    monkeypatch.setattr(connection_rollout, "start_job", refuse)
    rotate(cluster)
    assert reconnect(cluster, owner) == {}
    assert not Event.objects.filter(action="failed").exists()


def test_jobs_that_were_stopped_stay_so(run: Run, cluster: Cluster, owner: User, asked: list[Any]) -> None:
    job = run.generation.job
    job.desired = "stopped"
    job.save()
    rotate(cluster)
    assert (reconnect(cluster, owner), asked) == ({}, [])


def test_a_contract_that_cannot_be_read_does_not_keep_a_connection_from_being_compared(
    run: Run, cluster: Cluster
) -> None:
    """An older version of Weir has saved it; only the connection is of interest."""
    run.generation.sources["trades"]["contract"] = {"gone": True}
    run.generation.save()
    assert reconnect(cluster, None) == {}
    assert encrypted_with_older_keys() == []


def test_a_connection_that_cannot_be_read_keeps_no_other_from_being_compared(
    run: Run, cluster: Cluster
) -> None:
    run.generation.sources["old"] = {"cluster": {"cluster_id": "c2", "bootstrap": "no address"}}
    run.generation.save()
    assert given_profiles(run.generation) == {profile_of(cluster)}
    assert reconnect(cluster, None) == {}
    assert encrypted_with_older_keys() == []


def test_one_thread_of_a_worker_rolls_out(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds: list[str] = []

    def again() -> None:
        rounds.append("began")
        if len(rounds) == 1:
            tasks.roll_out_connections()  # as the next tick does on another thread

    monkeypatch.setattr(tasks.connection_rollout, "roll_out_connections", again)
    tasks.roll_out_connections()
    assert rounds == ["began"]
    tasks.roll_out_connections()
    assert len(rounds) == 2
