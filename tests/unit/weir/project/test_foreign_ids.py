"""Every route of one's own workspace, asked for what belongs to another: it is not there, and
nothing of it is in any list.
"""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tests.support.alerting import channel, metric_rule
from tests.support.group_rows import stored_group
from tests.support.routes import filled, filled_with_unknown
from tests.support.run_factories import job_of, running, trades
from tests.support.users import client_of, create_user, member, workspace_of
from tests.unit.weir.project.test_strangers import CALLS
from weir.alerts.models import Alert, Notification
from weir.alerts.services.lifecycle import create_silence
from weir.alerts.services.objectives import create_objective
from weir.alerts.services.rules import create_rule
from weir.clusters.models import HOME, Cluster
from weir.dashboards.services.dashboards import create_dashboard
from weir.dashboards.services.share_links import create_link
from weir.job_tests.services.runs import request_run
from weir.job_tests.services.tests import create_test
from weir.runs.models import Engine, Job
from weir.schemas import urls
from weir.schemas.services.drafts import SchemaDraft
from weir.schemas.services.registration import register
from weir.streams.services import ownership
from weir.workspaces.models import Action, User, Workspace
from weir.workspaces.roles import Role
from weir.workspaces.services.events import record_event
from weir.workspaces.services.invitations import invite

pytestmark = pytest.mark.django_db(databases=["default", "results"])
PLANTED = "planted"  # in the name of everything that must not be seen
FILES = {"audit-trail/export"}  # read to their end by tests/unit/weir/workspaces/services/test_audit_trail.py
CREATED = {("post", "examples/<str:example_id>")}  # a template is the installation's own


@pytest.fixture
def theirs(workspace: Workspace, owner: User) -> dict[str, str]:
    """What a workspace may have, by the names that routes have for it."""
    trades(workspace, name="planted_stream", topic="planted.topic")
    job: Job = job_of(workspace, owner)
    Job.objects.filter(pk=job.pk).update(name="planted-job")
    running(job)
    Cluster.objects.create(
        id="c0", workspace=workspace, name="planted cluster", bootstrap="planted.example:9092"
    )
    register(
        workspace,
        "planted-value",
        SchemaDraft("AVRO", '{"type":"record","name":"planted","fields":[{"name":"a","type":"int"}]}', []),
        "ann",
    )
    somebody = member(workspace, "planted-person", Role.VIEWER)
    record_event(workspace, "stream", "planted words", actor="planted-person", action=Action.CHANGED)
    membership = workspace.memberships.get(user=somebody)
    dashboard = create_dashboard(workspace, owner, "planted dashboard", {"panels": []})
    link, _ = create_link(dashboard, owner, "planted note", 1)
    stored_group("planted-group", {"planted.topic": 1})
    alerting = alerts_of(workspace, owner, job)
    test = create_test(job, owner, "{format: 1, name: planted test, batches: [{}]}")
    test_run = request_run(job, owner)
    Engine.objects.create(id="planted-engine", kind=Engine.Kind.DEDICATED, host_queue="planted")
    offered = invite(workspace, "planted-name", Role.VIEWER, owner)
    return {
        "name": "planted_stream", "job_id": job.pk, "cluster": "c0", "topic": "planted.topic",
        "subject": "planted-value", "group": "planted-group",
        "dashboard_id": dashboard.pk, "link_id": link.pk,
        "test_id": test.pk, "test_run_id": test_run.pk,
        "member_id": str(membership.pk), "invitation_id": str(offered.pk),
        **alerting,
        "engine_id": "planted-engine",
        "redrive_id": "r1", "example_id": "none", "dead_letter_id": "1", "partition": "0", "offset": "0",
        "version": "1", "schema_id": "1", "guid": "00000000-0000-0000-0000-000000000001",
    }  # fmt: skip


def alerts_of(workspace: Workspace, owner: User, job: Job) -> dict[str, str]:
    rule = create_rule(workspace, owner, "planted rule", metric_rule("job.failed", above=0, job=job.pk))
    now = timezone.now()
    alert = Alert.objects.create(
        workspace=workspace, rule=rule, job=job, severity="info", digest="d", title="planted alert",
        state="firing", since=now, fired_at=now, last_met_at=now,
    )  # fmt: skip
    told = channel(workspace, "planted channel")
    Notification.objects.create(workspace=workspace, channel=told, alert=alert, change="fired")
    silence = create_silence(
        workspace, owner, starts_at=now, ends_at=now + timedelta(hours=1), note="planted note", alert=alert
    )
    objective = create_objective(job, owner, "availability", None, 0.99, 28)
    return {
        "rule_id": rule.pk, "alert_id": alert.pk, "channel_id": told.pk, "silence_id": silence.pk,
        "objective_id": objective.pk,
    }  # fmt: skip


@pytest.fixture
def eve(db: None) -> Client:
    """The owner of another workspace."""
    somebody = create_user("eve")
    workspace_of(somebody, "labs")
    return client_of(somebody)


# What is theirs takes longer to make than a route to be asked: each of these asks all of its routes.
def test_what_is_anothers_is_not_there(
    theirs: dict[str, str], eve: Client, subtests: pytest.Subtests
) -> None:
    for method, route in [call for call in CALLS if "<" in call[1] and call not in CREATED]:
        with subtests.test(method=method, route=route):
            path = "/api/v1/workspaces/labs/" + filled(route, theirs)
            answer = getattr(eve, method)(path)
            unknown = getattr(eve, method)("/api/v1/workspaces/labs/" + filled_with_unknown(route))
            assert answer.status_code == unknown.status_code
            assert answer.status_code in (404, 422, 400), answer.content
            said = answer.content.decode()
            for name in theirs.values():
                said = said.replace(name, "unknown")  # what was asked for may be repeated
            assert PLANTED not in said


def test_no_list_holds_it(theirs: dict[str, str], eve: Client, subtests: pytest.Subtests) -> None:
    for route in sorted({route for method, route in CALLS if method == "get" and "<" not in route} - FILES):
        with subtests.test(route=route):
            answer = eve.get(f"/api/v1/workspaces/labs/{route}")
            assert answer.status_code == 200
            assert PLANTED not in answer.content.decode()


def test_another_workspaces_registry_is_another(
    theirs: dict[str, str], eve: Client, subtests: pytest.Subtests
) -> None:
    for route in (str(pattern.pattern) for pattern in urls.urlpatterns):
        with subtests.test(route=route):
            answer = eve.get("/registry/labs/" + filled(route, theirs))
            assert answer.status_code in (200, 404, 405)
            assert PLANTED not in answer.content.decode().replace("planted-value", "")
            assert PLANTED not in (answer.content.decode() if answer.status_code == 200 else "")


def test_topics_of_others_are_known_by_their_streams(
    theirs: dict[str, str], workspace: Workspace, eve: Client
) -> None:
    home, labs = Cluster.objects.get(pk=HOME), Workspace.objects.get(slug="labs")
    assert ownership.topics_of_others(home, labs) >= {"planted.topic", "trades"}
    trades(labs, topic="trades")
    assert "trades" not in ownership.topics_of_others(home, labs)
    assert not ownership.topics_of_others(home, workspace)
    assert not ownership.topics_of_others(Cluster.objects.get(pk="c0"), workspace)


def test_topics_that_another_had_made_are_not_there(
    theirs: dict[str, str], workspace: Workspace, eve: Client
) -> None:
    home, labs = Cluster.objects.get(pk=HOME), Workspace.objects.get(slug="labs")
    ownership.set_owner(home, workspace, "planted.made", 1)
    assert ownership.topics_of_others(home, labs) >= {"planted.made"}
    assert "planted.made" not in ownership.topics_of_others(home, workspace)
    ownership.set_owner(home, labs, "planted.made", 1)  # it was deleted by other means, and made anew
    assert "planted.made" in ownership.topics_of_others(home, workspace)
    ownership.delete_owner(home, labs, "planted.made")
    assert "planted.made" not in ownership.topics_of_others(home, workspace)
    far = Cluster.objects.get(pk="c0")
    ownership.set_owner(far, workspace, "planted.far", 1)  # its password says who may see it
    assert not ownership.OwnedTopic.objects.filter(topic="planted.far").exists()
