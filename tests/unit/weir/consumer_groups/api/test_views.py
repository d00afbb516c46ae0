"""Groups by REST: what a workspace sees, and what it does not."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tests.support.group_rows import stored_group, watched
from tests.support.run_factories import trades
from tests.support.users import client_of, create_user, workspace_of
from weir.clusters.models import Cluster
from weir.clusters.services.clusters import home_cluster
from weir.streams.models import OwnedTopic
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
GROUPS = "/api/v1/workspaces/ops/consumer-groups"


@pytest.fixture
def labs(db: None) -> Workspace:
    return workspace_of(create_user("eve"), "labs")


def names(client: Client) -> list[str]:
    return [group["name"] for group in client.get(GROUPS).json()["results"]]


def test_the_worst_comes_first_with_its_watch(workspace: Workspace, owner: User) -> None:
    watched()
    stored_group("calm", {"a": 3})
    stored_group(
        "ill", {"a": 900, "b": 1}, health="stopped", cause="no_members", since_us=1_700_000_000_000_000
    )
    answer = client_of(owner).get(GROUPS).json()
    assert [group["name"] for group in answer["results"]] == ["ill", "calm"]
    ill = answer["results"][0]
    assert (ill["lag_records"], ill["health"], ill["cause"]) == (901, "stopped", "no_members")
    assert ill["since"] == "2023-11-14T22:13:20.000000Z"
    assert ill["topics"] == ["a", "b"]
    (watch,) = answer["watches"]
    assert watch["cluster"] == "home"
    assert watch["passed_at"]


def test_of_a_group_whose_offsets_may_not_be_read_nothing_is_known(workspace: Workspace, owner: User) -> None:
    unknown = {
        "lag_records": None,
        "lag_seconds": None,
        "seconds_by": "",
        "health": "unknown",
        "partitions": [],
    }
    denied = stored_group("denied", {"a": 3}, state="Empty", **unknown)
    denied.denied = True
    denied.save()
    ours = Cluster.objects.create(id="c1", workspace=workspace, name="ours", bootstrap="a:9092")
    never_read = stored_group("never-read", {}, cluster_id=ours.pk, state="Empty")
    never_read.denied = True
    never_read.save()
    listed = client_of(owner).get(GROUPS).json()["results"]
    assert {(one["lag_records"], one["health"], one["denied"]) for one in listed} == {(None, "unknown", True)}
    detail = client_of(owner).get(f"{GROUPS}/home/denied").json()
    assert [(one["topic"], one["lag_records"]) for one in detail["topic_lags"]] == [("a", None)]


def test_a_topic_says_when_its_numbers_were_found(workspace: Workspace, owner: User) -> None:
    watched()
    stored_group("turns", {"a": 3}, at_us=1_700_000_000_000_000)
    (topic,) = client_of(owner).get(f"{GROUPS}/home/turns").json()["topic_lags"]
    assert topic["at"] == "2023-11-14T22:13:20.000000Z"


def test_topics_and_groups_of_others_are_not_there(
    workspace: Workspace, owner: User, labs: Workspace
) -> None:
    OwnedTopic.objects.create(workspace=labs, cluster=home_cluster(), topic="theirs")
    trades(labs, name="registered", topic="registered")
    stored_group("both", {"theirs": 500, "ours": 7})
    stored_group("only-theirs", {"theirs": 5})
    stored_group("only-registered", {"registered": 5})
    stored_group("internal", {"weir.results.x.1": 5, "__consumer_offsets": 1})
    client = client_of(owner)
    assert names(client) == ["both"]
    (both,) = client.get(GROUPS).json()["results"]
    assert (both["lag_records"], both["topics"]) == (7, ["ours"])
    detail = client.get(f"{GROUPS}/home/both").json()
    assert "theirs" not in str(detail)
    assert detail["has_hidden"]
    for hidden in ("only-theirs", "only-registered", "internal", "none"):
        answer = client.get(f"{GROUPS}/home/{hidden}")
        assert answer.status_code == 404
        assert answer.json()["code"] == "GROUP_NOT_FOUND"


def test_mirrors_are_seen_by_their_workspace_alone(
    workspace: Workspace, owner: User, labs: Workspace
) -> None:
    del labs
    for name in ("weir.ops.minutes", "weir.labs.secret", "weir.ops2.x", "weir-no-group"):
        stored_group(name, {"a": 1}, state="Empty")
    client = client_of(owner)
    assert names(client) == ["weir.ops.minutes"]
    assert client.get(GROUPS).json()["results"][0]["mirrored_job"] == "minutes"
    assert client.get(f"{GROUPS}/home/weir.labs.secret").status_code == 404
    moved = client.post(
        "/api/v1/workspaces/ops/consumer-group-offsets/home/weir.labs.secret",
        {"target": "latest"},
        format="json",
    )
    assert moved.status_code == 404


def test_a_cluster_of_ones_own_shows_every_group(workspace: Workspace, owner: User, labs: Workspace) -> None:
    ours = Cluster.objects.create(id="c1", workspace=workspace, name="ours", bootstrap="a:9092")
    Cluster.objects.create(id="c2", workspace=labs, name="theirs", bootstrap="b:9092")
    stored_group("new", {}, cluster_id=ours.pk)
    stored_group("hidden", {"t": 1}, cluster_id="c2")
    client = client_of(owner)
    assert names(client) == ["new"]
    assert client.get(f"{GROUPS}/c2/hidden").status_code == 404


def test_a_group_of_any_name_has_its_page(workspace: Workspace, owner: User) -> None:
    name = "a/b c%d?/history"
    stored_group(name, {"t": 4})
    client = client_of(owner)
    answer = client.get(f"{GROUPS}/home/a%2Fb%20c%25d%3F%2Fhistory").json()
    assert answer["name"] == name
    (partition,) = answer["partitions"]
    assert (partition["committed"], partition["end"], partition["lag"], partition["owner"]) == (
        100,
        104,
        4,
        0,
    )
    assert answer["member_list"][0]["partitions"] == [{"topic": "t", "partition": 0}]


def test_as_many_queries_for_a_hundred_groups_as_for_one(
    workspace: Workspace, owner: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(100):
        stored_group(f"g{number}", {"a": number, "b": 1})
    client = client_of(owner)
    for using in ("default", "results"):
        with django_assert_max_num_queries(12, using=using):
            assert len(names(client)) == 100
