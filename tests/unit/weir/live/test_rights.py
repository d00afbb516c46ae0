"""Rights of all connections of a process: who stands, in which role, with as many queries
for a hundred as for one.
"""

from datetime import timedelta

import pytest
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.support.run_factories import job_of, running, trades
from tests.support.users import create_user, member, workspace_of
from weir.clusters.models import HOME, Cluster
from weir.clusters.services.clusters import home_cluster
from weir.live.lookups import find_job, workspace_runs
from weir.live.rights import Need, Standing, read_rights
from weir.runs.models import Job, Run
from weir.runs.services.deletion import delete_job
from weir.streams.models import Stream
from weir.streams.services.ownership import TopicReading, allowed_readings, set_owner
from weir.workspaces.models import ApiToken, Membership, User, Workspace
from weir.workspaces.roles import Right, Role
from weir.workspaces.services.tokens import create_token

pytestmark = pytest.mark.django_db


def by_session(user: User) -> Standing:
    session = SessionStore()
    session[SESSION_KEY], session[HASH_SESSION_KEY] = str(user.pk), user.get_session_auth_hash()
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session.create()
    return Standing(user.pk, session_key=session.session_key)


def by_token(user: User) -> Standing:
    return Standing(user.pk, token=create_token(user, "ci", timedelta(days=1))[0].digest)


def stands(one: Standing) -> bool:
    return one in read_rights({one}).standing


@pytest.mark.parametrize("make", [by_session, by_token])
def test_a_person_stands_until_made_inactive(owner: User, make: type) -> None:
    one = make(owner)
    assert stands(one)
    User.objects.update(is_active=False)
    assert not stands(one)


@pytest.mark.parametrize("loss", ["signed out", "expired", "password", "another's"])
def test_a_session_ends(owner: User, loss: str) -> None:
    one = by_session(owner)
    if loss == "signed out":
        Session.objects.all().delete()
    elif loss == "expired":
        Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    elif loss == "password":
        owner.set_password("another long passphrase")
        owner.save()
    else:
        one = Standing(create_user("eve").pk, session_key=one.session_key)
    assert not stands(one)


@pytest.mark.parametrize("loss", ["revoked", "expired", "another's"])
def test_a_token_ends(owner: User, loss: str) -> None:
    one = by_token(owner)
    if loss == "revoked":
        ApiToken.objects.all().delete()
    elif loss == "expired":
        ApiToken.objects.update(expiry=timezone.now() - timedelta(seconds=1))
    else:
        one = Standing(create_user("eve").pk, token=one.token)
    assert not stands(one)


def test_roles_are_those_of_now(owner: User, workspace: Workspace) -> None:
    viewer = member(workspace, "vic", Role.EDITOR)
    one = by_session(viewer)
    assert read_rights({one}).may(viewer.pk, workspace.pk, Right.EDIT)
    Membership.objects.filter(user=viewer).update(role=Role.VIEWER)
    rights = read_rights({one})
    assert rights.may(viewer.pk, workspace.pk, Right.READ)
    assert not rights.may(viewer.pk, workspace.pk, Right.EDIT)
    Membership.objects.filter(user=viewer).delete()
    assert not read_rights({one}).may(viewer.pk, workspace.pk, Right.READ)


def test_many_connections_cost_no_more_queries_than_one(workspace: Workspace) -> None:
    standings = set()
    counts = []
    for number in (1, 40):
        for at in range(number):
            user = member(workspace, f"p{number}-{at}", Role.VIEWER)
            standings |= {by_session(user), by_token(user)}
        with CaptureQueriesContext(connection) as made:
            assert read_rights(standings).standing == standings
        counts.append(len(made))
    assert counts == [4, 4]


@pytest.fixture
def labs() -> Workspace:
    return workspace_of(create_user("eve"), "labs")


def reads(one: TopicReading) -> bool:
    return one in allowed_readings([one])


@pytest.mark.parametrize("loss", ["created", "registered"])
def test_a_topic_is_read_until_it_is_anothers(workspace: Workspace, labs: Workspace, loss: str) -> None:
    home = home_cluster()
    set_owner(home, labs, "trades", 1)
    ours, theirs = (TopicReading(one.pk, HOME, "trades") for one in (labs, workspace))
    assert reads(ours)
    assert not reads(theirs)
    if loss == "created":
        set_owner(home, workspace, "trades", 1)  # it was deleted, and made anew
    else:
        trades(workspace, topic="trades")
        assert not reads(ours)
        trades(labs, topic="trades")
        assert reads(ours), "both have a stream on it, as on the topics of an example"
        Stream.objects.filter(workspace=labs).delete()
    assert not reads(ours)
    assert reads(theirs)


def test_a_topic_of_nobody_is_read_until_another_registers_it(workspace: Workspace, labs: Workspace) -> None:
    home_cluster()
    one = TopicReading(labs.pk, HOME, "trades")
    assert reads(one)
    trades(workspace, topic="trades")
    assert not reads(one)


def test_a_stream_is_read_while_it_is_registered(workspace: Workspace, labs: Workspace) -> None:
    stream = trades(workspace, topic="trades")
    one = TopicReading(workspace.pk, HOME, "trades", stream.pk)
    assert reads(one)
    assert not reads(TopicReading(labs.pk, HOME, "trades", stream.pk)), "another workspace's"
    assert not reads(TopicReading(workspace.pk, HOME, "other", stream.pk)), "another topic"
    stream.delete()
    assert not reads(one)
    trades(workspace, topic="trades")
    assert not reads(one), "another stream of the same name, with a contract of its own"


def test_a_cluster_is_read_while_it_is_the_workspaces(workspace: Workspace, labs: Workspace) -> None:
    far = Cluster.objects.create(pk="far", workspace=workspace, name="far", bootstrap="far:9092")
    one = TopicReading(workspace.pk, "far", "trades")
    assert reads(one)
    assert not reads(TopicReading(labs.pk, "far", "trades"))
    far.delete()
    assert not reads(one)


def test_many_tails_cost_no_more_queries_than_one(workspace: Workspace, labs: Workspace) -> None:
    stream = trades(workspace, topic="trades")
    standing = by_session(labs.memberships.get().user)
    counts = []
    for number in (1, 40):
        topics = {
            TopicReading(one.pk, HOME, f"t{at}") for one in (workspace, labs) for at in range(number)
        } | {TopicReading(workspace.pk, HOME, "trades", stream.pk)}
        with CaptureQueriesContext(connection) as made:
            assert read_rights({standing}, topics).readings == topics
        counts.append(len(made))
    assert counts[0] == counts[1] <= 8


def test_what_follows_a_job_loses_it_as_soon_as_it_is_deleted(owner: User, workspace: Workspace) -> None:
    """Its engine may need a while to end; for people it is gone at once."""
    job = job_of(workspace, owner)
    need = Need(workspace.pk, Right.READ, job_id=job.pk)
    assert read_rights((), (), {job.pk}).find(need)
    assert find_job(workspace.pk, job.pk) is not None
    delete_job(job, owner)
    assert not read_rights((), (), {job.pk}).find(need)
    assert find_job(workspace.pk, job.pk) is None
    assert workspace_runs(workspace.pk) == []


def test_starts_of_former_times_are_not_read_for_a_list_of_jobs(owner: User, workspace: Workspace) -> None:
    """They stay as long as their job, and each open list is read every two seconds."""
    run = running(job_of(workspace, owner))
    job, generation = run.generation.job, run.generation
    for number in range(2, 6):
        generation.pk, generation.number = None, number
        generation.save()
        Run.objects.create(id=f"{job.pk}.{number}", generation=generation, version=1, mode="realtime")
    Job.objects.update(generation=3)
    with CaptureQueriesContext(connection) as asked:
        ((_, found),) = workspace_runs(workspace.pk)
    assert found is not None
    assert found.generation.number == 3
    read = asked[-1]["sql"].partition(" FROM ")[0]
    assert "runs_run" in read
    assert not [name for name in ("sources", '"result"', "positions", "avro") if name in read]
