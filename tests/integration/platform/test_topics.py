"""Topics on a real broker: list, make, change, delete; who is in the way is named."""

import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import NewPartitions, NewTopic, OffsetSpec
from django.core.cache import cache
from django.db import connections
from pytest_django import Settings

from jobs.connections import ClusterProfile
from tests.support.kafka_cluster import KafkaCluster
from tests.support.kafka_node import KafkaServer
from tests.support.processes import wait_until
from tests.support.run_factories import CONTRACT
from tests.support.users import client_of, create_user, member, workspace_of
from weir.clusters.services import clients
from weir.clusters.services.clusters import home_cluster
from weir.clusters.services.offsets import offsets
from weir.clusters.services.topic_settings import read_partitions, read_settings
from weir.clusters.services.topics import (
    TopicInfo,
    create_new_topic,
    create_topic,
    delete_topics,
    describe_topics,
)
from weir.streams.models import OwnedTopic, Stream, StreamUse
from weir.streams.services.streams import register_stream
from weir.workspaces.errors import UnreachableError
from weir.workspaces.models import User, Workspace
from weir.workspaces.roles import Role

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]
TOPICS = "/api/v1/workspaces/ops/clusters/home/topics"


@pytest.fixture
def name(broker: KafkaServer) -> Any:
    name = f"made.{uuid.uuid4().hex[:8]}"
    yield name
    delete_topics(clients.home_profile(), [name])


def test_a_topic_is_made_again_as_soon_as_it_was_deleted(broker: KafkaServer, name: str) -> None:
    """A topic recreated again and again: the deleted one neither blocks it nor is described in its place."""
    profile, ids = clients.home_profile(), set[str]()
    for _ in range(15):
        ids.add(create_new_topic(profile, name, 3, {}).topic_id)
        delete_topics(profile, [name])
        assert name not in describe_topics(profile, [name])
    assert len(ids) == 15
    for _ in range(5):
        broker.create_topic(name)
        before = broker.topic_id(name)
        broker.recreate_topic(name)
        assert broker.topic_id(name) != before
        broker.delete_topic(name)


def test_a_topic_is_made_seen_changed_and_deleted(
    workspace: Workspace, owner: User, name: str, settings: Settings
) -> None:
    client = client_of(owner)
    made = client.post(
        TOPICS, {"name": name, "partitions": 2, "retention_ms": 3_600_000, "cleanup": "compact,delete"}
    )
    assert made.status_code == 201, made.content
    assert [part["partition"] for part in made.json()["partitions"]] == [0, 1]
    assert {key: made.json()["settings"][key] for key in ("retention_ms", "cleanup")} == {
        "retention_ms": 3_600_000,
        "cleanup": "compact,delete",
    }
    again = client.post(TOPICS, {"name": name, "partitions": 1})
    assert (again.status_code, again.json()["code"]) == (409, "NAME_TAKEN")
    listed = client.get(f"{TOPICS}?name={name.upper()}").json()
    assert [
        (row["name"], row["partitions"], row["records"], row["streams"]) for row in listed["results"]
    ] == [(name, 2, 0, [])]
    assert listed["error"] is None
    changed = client.patch(f"{TOPICS}/{name}", {"partitions": 3, "retention_ms": -1})
    assert changed.status_code == 200, changed.content
    assert (len(changed.json()["partitions"]), changed.json()["settings"]["retention_ms"]) == (3, -1)
    settings.QUOTAS = settings.QUOTAS | {"partitions": 4}
    beyond = client.patch(f"{TOPICS}/{name}", {"partitions": 5})
    assert (beyond.status_code, beyond.json()["code"]) == (422, "QUOTA_REACHED")
    assert client.post(TOPICS, {"name": f"{name}-2", "partitions": 2}).json()["code"] == "QUOTA_REACHED"
    fewer = client.patch(f"{TOPICS}/{name}", {"partitions": 1})
    assert (fewer.status_code, fewer.json()["code"]) == (422, "PARTITIONS_FEWER")
    assert client.delete(f"{TOPICS}/{name}").status_code == 204
    assert client.get(f"{TOPICS}/{name}").status_code == 404
    assert client.get(f"{TOPICS}?name={name}").json()["results"] == []


def test_a_change_that_the_cluster_rejects_changes_nothing(
    workspace: Workspace, owner: User, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else adds partitions at the same moment."""
    client = client_of(owner)
    assert client.post(TOPICS, {"name": name, "partitions": 3, "retention_ms": 7_200_000}).status_code == 201
    monkeypatch.setattr(
        "weir.streams.services.topics.describe_topic", lambda _, topic: TopicInfo(topic, "id", 1)
    )
    refused = client.patch(f"{TOPICS}/{name}", {"partitions": 2, "retention_ms": 3_600_000})
    assert (refused.status_code, refused.json()["code"]) == (422, "BROKER_REJECTED")
    assert read_settings(clients.home_profile(), name).retention_ms == 7_200_000


def _add_partitions(name: str, number: int) -> None:
    """The broker confirms them before its metadata has them."""
    profile = clients.home_profile()
    clients.admin(profile).create_partitions([NewPartitions(name, number)])[name].result(60)
    wait_until(lambda: len(read_partitions(profile, name)) == number, 20, "the broker shows the partitions")


def test_partitions_added_by_other_means_are_read_and_written(
    workspace: Workspace, owner: User, name: str
) -> None:
    client, streams = client_of(owner), "/api/v1/workspaces/ops/streams"
    created = {"name": "grown", "topic": name, "create": {"partitions": 1}, "contract": CONTRACT}
    assert client.post(streams, created).status_code == 201
    _add_partitions(name, 2)
    record = {"value": '{"symbol": "A", "price": 1.0, "at": 1}', "partition": 1}
    written = client.post(f"{streams}/grown/records", {"records": [record]}, format="json")
    assert written.json() == {"written": [{"partition": 1, "offset": 0}]}
    cache.clear()
    shown = client.get(f"{streams}/grown").json()
    assert (shown["partitions"], shown["records"]) == (2, 1)
    _add_partitions(name, 3)
    page = client.get(f"{streams}/grown/records").json()
    assert [row["partition"] for row in page["scan"]["partitions"]] == [0, 1, 2]


@pytest.mark.thorough
def test_a_partition_that_nobody_leads_is_shown_and_the_others_with_their_records(
    workspace: Workspace, owner: User, tmp_path: Path, settings: Settings
) -> None:
    cluster = KafkaCluster(tmp_path)
    try:
        cluster.start()
        settings.KAFKA_BOOTSTRAP_SERVERS = cluster.bootstrap
        client, streams = client_of(owner), "/api/v1/workspaces/ops/streams"
        profile = clients.home_profile()
        record = {"value": '{"symbol": "A", "price": 1.0, "at": 1}', "partition": 0}
        for name, brokers in (("half", [[1], [3]]), ("whole", [[1], [1]])):
            topic = NewTopic(name, len(brokers), replica_assignment=brokers)
            clients.admin(profile).create_topics([topic])[name].result(20)
            wait_until(lambda name=name: describe_topics(profile, [name]), 20, "the topic is there")
            assert (
                client.post(streams, {"name": name, "topic": name, "contract": CONTRACT}).status_code == 201
            )
            written = client.post(f"{streams}/{name}/records", {"records": [record] * 2}, format="json")
            assert written.status_code == 201, written.content
        cluster.nodes[2].kill()
        wait_until(lambda: _is_leaderless(profile, "half", 1), 60, "the partition has no leader")
        cache.clear()
        shown = client.get(f"{TOPICS}/half")
        assert shown.status_code == 200, shown.content
        assert [(part["leader"], part["start"], part["end"]) for part in shown.json()["partitions"]] == [
            (1, 0, 2),
            (-1, None, None),
        ]
        assert {row["name"]: row["records"] for row in client.get(TOPICS).json()["results"]} == {
            "half": None,
            "whole": 2,
        }
        records = client.get(f"{TOPICS}/half/records")
        assert (records.status_code, records.json()["code"]) == (503, "PARTITION_LEADERLESS")
        assert "Partition 1 of half has no leader" in records.json()["detail"]
        assert len(client.get(f"{TOPICS}/half/records?partition=0").json()["records"]) == 2
        assert client.get(f"{TOPICS}/half/records/0/1").status_code == 200
        registered = client.get(streams).json()["results"]
        assert {row["name"]: row["records"] for row in registered} == {"half": None, "whole": 2}
    finally:
        cluster.stop()


def in_labs() -> User:
    """The owner of another workspace, *labs*."""
    user = create_user("ada")
    workspace_of(user, "labs")
    return user


def test_of_two_who_make_a_topic_at_once_one_owns_it(workspace: Workspace, owner: User, name: str) -> None:
    asked = {"ops": client_of(owner), "labs": client_of(in_labs())}

    def make(slug: str) -> int:
        try:
            path = f"/api/v1/workspaces/{slug}/clusters/home/topics"
            return asked[slug].post(path, {"name": name, "partitions": 1}).status_code
        finally:
            connections.close_all()

    for _ in range(5):
        with ThreadPoolExecutor(2) as pool:
            answers = dict(zip(asked, pool.map(make, asked), strict=True))
        assert sorted(answers.values()) == [201, 409], answers
        (winner,) = [slug for slug, status in answers.items() if status == 201]
        assert OwnedTopic.objects.get(topic=name).workspace.slug == winner
        topic = f"/api/v1/workspaces/{winner}/clusters/home/topics/{name}"
        assert asked[winner].delete(topic).status_code == 204


def test_a_name_on_which_another_workspace_has_a_stream_stays_taken(
    workspace: Workspace, owner: User, name: str
) -> None:
    """Its topic was deleted by other means: what is written to a new one would be read there."""
    created = {"name": "left", "topic": name, "create": {"partitions": 1}, "contract": CONTRACT}
    assert client_of(owner).post("/api/v1/workspaces/ops/streams", created).status_code == 201
    delete_topics(clients.home_profile(), [name])
    OwnedTopic.objects.all().delete()
    refused = client_of(in_labs()).post(
        "/api/v1/workspaces/labs/clusters/home/topics", {"name": name, "partitions": 1}
    )
    assert (refused.status_code, refused.json()["code"]) == (409, "NAME_TAKEN")


def test_a_topic_that_could_not_be_made_belongs_to_nobody(
    workspace: Workspace, owner: User, name: str
) -> None:
    refused = client_of(owner).post(TOPICS, {"name": name, "partitions": 1, "retention_ms": -5})
    assert refused.status_code >= 400
    assert not OwnedTopic.objects.filter(topic=name).exists()


@pytest.mark.parametrize("registered", [False, True])
def test_an_example_does_not_open_a_topic_of_its_name(
    broker: KafkaServer, workspace: Workspace, owner: User, registered: bool
) -> None:
    client, labs = client_of(owner), client_of(in_labs())
    try:
        if registered:
            stream = {"name": "p", "topic": "profiles", "create": {"partitions": 1}, "contract": CONTRACT}
            assert client.post("/api/v1/workspaces/ops/streams", stream).status_code == 201
        else:
            assert client.post(TOPICS, {"name": "profiles", "partitions": 1}).status_code == 201
        refused = labs.post("/api/v1/workspaces/labs/examples/clicks")
        assert (refused.status_code, refused.json()["code"]) == (409, "NAME_TAKEN")
        assert labs.get("/api/v1/workspaces/labs/streams/profiles/records").status_code == 404
        assert not Stream.objects.filter(workspace__slug="labs", topic="profiles").exists()
        own = client.post("/api/v1/workspaces/ops/examples/clicks")
        assert own.status_code == 409, "nor does its feed write into one's own topic"
        assert not describe_topics(clients.home_profile(), ["searches"]), "a refused example makes nothing"
    finally:
        delete_topics(clients.home_profile(), ["profiles"])


def test_two_workspaces_share_the_topics_of_an_example(
    broker: KafkaServer, workspace: Workspace, owner: User
) -> None:
    labs = client_of(in_labs())
    try:
        for client, slug in ((client_of(owner), "ops"), (labs, "labs")):
            used = client.post(f"/api/v1/workspaces/{slug}/examples/clicks")
            assert used.status_code in (200, 201), used.content
        assert client_of(owner).delete(f"{TOPICS}/profiles").json()["code"] == "IN_USE"
    finally:
        delete_topics(clients.home_profile(), ["page_views", "searches", "profiles"])


def test_a_topic_in_use_is_not_deleted_and_the_users_are_named(
    workspace: Workspace, owner: User, name: str
) -> None:
    client = client_of(owner)
    created = {"name": "used", "topic": name, "create": {"partitions": 1}, "contract": CONTRACT}
    assert client.post("/api/v1/workspaces/ops/streams", created).status_code == 201
    refused = client.delete(f"{TOPICS}/{name}")
    assert (refused.status_code, refused.json()["code"]) == (409, "IN_USE")
    assert "used" in refused.json()["detail"]
    StreamUse.objects.create(stream=Stream.objects.get(name="used"), job_id="j1", job_name="prices-by-symbol")
    assert "prices-by-symbol" in client.delete(f"{TOPICS}/{name}").json()["detail"]
    detail = client.get(f"{TOPICS}/{name}").json()
    assert (detail["streams"], detail["jobs"]) == (["used"], ["prices-by-symbol"])


def test_a_table_keeps_its_partitions(workspace: Workspace, owner: User, name: str) -> None:
    """Its keys would move: old rows would stay beside new ones for ever."""
    client = client_of(owner)
    table = {
        "kind": "table",
        "key": ["symbol"],
        "fields": [{"name": "symbol", "type": "string"}, {"name": "price", "type": "double"}],
    }
    created = {"name": "prices", "topic": name, "create": {"partitions": 2}, "contract": table}
    made = client.post("/api/v1/workspaces/ops/streams", created)
    assert made.status_code == 201, made.content
    StreamUse.objects.create(stream=Stream.objects.get(), job_id="j1", job_name="enriched")
    refused = client.patch(f"{TOPICS}/{name}", {"partitions": 3, "retention_ms": 3_600_000})
    assert (refused.status_code, refused.json()["code"]) == (409, "KEYS_WOULD_MOVE")
    assert "the table prices, used by enriched" in refused.json()["detail"]
    detail = client.get(f"{TOPICS}/{name}").json()
    assert len(detail["partitions"]) == 2
    assert detail["settings"]["retention_ms"] != 3_600_000
    assert client.patch(f"{TOPICS}/{name}", {"partitions": 2, "retention_ms": 3_600_000}).status_code == 200


@pytest.fixture
def labs(name: str) -> User:
    """Somebody whose workspace has a stream on the topic."""
    bob = create_user("bob")
    workspace_of(bob, "labs")
    created = {"name": "secret_name", "topic": name, "create": {"partitions": 1}, "contract": CONTRACT}
    assert client_of(bob).post("/api/v1/workspaces/labs/streams", created).status_code == 201
    return bob


def test_a_topic_of_another_workspace_is_not_there(
    workspace: Workspace, owner: User, labs: User, name: str
) -> None:
    client = client_of(owner)
    streams = "/api/v1/workspaces/ops/streams"
    registered = {"name": "mine", "contract": CONTRACT}
    assert client.get(f"{TOPICS}?fresh=true&name={name}").json()["results"] == []
    for answer in (
        client.get(f"{TOPICS}/{name}"),
        client.get(f"{TOPICS}/{name}/records"),
        client.get(f"{TOPICS}/{name}/records/0/0"),
        client.delete(f"{TOPICS}/{name}"),
        client.patch(f"{TOPICS}/{name}", {"retention_ms": 1}),
        client.post("/api/v1/workspaces/ops/samples/infer", {"topic": name}),
        client.post(
            "/api/v1/workspaces/ops/samples/validate", {"topic": name, "contract": registered["contract"]}
        ),
        client.post(streams, {**registered, "topic": name}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (404, "TOPIC_NOT_FOUND")
    taken = client.post(streams, {**registered, "topic": name, "create": {"partitions": 1}})
    assert (taken.status_code, taken.json()["code"]) == (409, "NAME_TAKEN")
    theirs = client_of(labs).get("/api/v1/workspaces/labs/clusters/home/topics?fresh=true").json()["results"]
    assert name in {row["name"] for row in theirs}


def test_a_topic_that_another_workspace_had_made_is_not_there(
    workspace: Workspace, owner: User, name: str
) -> None:
    """Registered or not; and after the one who had it made has deleted it, the name is free."""
    bob = create_user("bob")
    workspace_of(bob, "labs")
    theirs, client = client_of(bob), client_of(owner)
    topics = "/api/v1/workspaces/labs/clusters/home/topics"
    assert theirs.post(topics, {"name": name, "partitions": 1}).status_code == 201
    assert client.get(f"{TOPICS}?fresh=true&name={name}").json()["results"] == []
    for answer in (
        client.get(f"{TOPICS}/{name}"),
        client.get(f"{TOPICS}/{name}/records"),
        client.patch(f"{TOPICS}/{name}", {"retention_ms": 1}),
        client.delete(f"{TOPICS}/{name}"),
        client.post("/api/v1/workspaces/ops/streams", {"name": "mine", "topic": name, "contract": CONTRACT}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (404, "TOPIC_NOT_FOUND")
    taken = client.post(TOPICS, {"name": name, "partitions": 1})
    assert (taken.status_code, taken.json()["code"]) == (409, "NAME_TAKEN")
    made = {"name": "made", "topic": f"{name}.s", "create": {"partitions": 1}, "contract": CONTRACT}
    assert theirs.post("/api/v1/workspaces/labs/streams", made).status_code == 201
    assert theirs.delete("/api/v1/workspaces/labs/streams/made").status_code == 204
    assert client.get(f"{TOPICS}/{name}.s").status_code == 404
    assert [row["name"] for row in theirs.get(f"{topics}?fresh=true&name={name}").json()["results"]] == [
        name,
        f"{name}.s",
    ]
    for topic in (name, f"{name}.s"):
        assert theirs.delete(f"{topics}/{topic}").status_code == 204
    assert client.post(TOPICS, {"name": name, "partitions": 1}).status_code == 201
    assert client.get(f"{TOPICS}/{name}").status_code == 200
    assert theirs.get(f"{topics}/{name}").status_code == 404


def test_a_topic_that_two_have_registered_is_neithers_to_change(
    workspace: Workspace, owner: User, labs: User, name: str
) -> None:
    register_stream(
        workspace, owner, name="ours", cluster=home_cluster(), topic=name, contract=CONTRACT, shared=True
    )
    client = client_of(owner)
    assert client.get(f"{TOPICS}/{name}").json()["streams"] == ["ours"]
    for answer in (client.delete(f"{TOPICS}/{name}"), client.patch(f"{TOPICS}/{name}", {"retention_ms": 1})):
        assert (answer.status_code, answer.json()["code"]) == (409, "IN_USE")
        assert "secret_name" not in answer.json()["detail"]


@pytest.mark.parametrize(
    "topic",
    [
        "weir.runs",
        "weir.reports",
        "weir.warmup",
        "__consumer_offsets",
        "weir.results.j.1",
        "weir.exchange.j.1",
        "no.such.topic",
    ],
)
def test_the_systems_topics_are_not_there_for_people(
    broker: KafkaServer, workspace: Workspace, owner: User, topic: str
) -> None:
    client = client_of(owner)
    assert topic not in [row["name"] for row in client.get(TOPICS).json()["results"]]
    for answer in (
        client.get(f"{TOPICS}/{topic}"),
        client.patch(f"{TOPICS}/{topic}", {"retention_ms": 60_000}),
        client.delete(f"{TOPICS}/{topic}"),
        client.get(f"{TOPICS}/{topic}/records"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (404, "TOPIC_NOT_FOUND")


def test_viewers_look_at_topics_but_not_into_them(
    broker: KafkaServer, workspace: Workspace, name: str
) -> None:
    create_topic(clients.home_profile(), name, 1, {})
    client = client_of(member(workspace, "vic", Role.VIEWER))
    assert client.get(f"{TOPICS}/{name}").status_code == 200
    assert client.get(f"{TOPICS}/{name}/records").status_code == 403


@pytest.mark.long
def test_a_thousand_topics_are_listed_with_a_second_of_processor_time(
    broker: KafkaServer, workspace: Workspace, owner: User
) -> None:
    prefix = f"many.{uuid.uuid4().hex[:6]}."
    names = [f"{prefix}{n:04}" for n in range(1_000)]
    admin = clients.admin(clients.home_profile())
    for at in range(0, 1_000, 250):
        for future in admin.create_topics(
            [NewTopic(one, 1, 1) for one in names[at : at + 250]], request_timeout=60
        ).values():
            future.result(60)
    try:
        wait_until(lambda: len(_named(prefix)) == 1_000, 60, "the broker's metadata holds all topics")
        client = client_of(owner)
        began = time.thread_time()  # seconds on the clock say how busy the machine is
        listed = client.get(f"{TOPICS}?fresh=true").json()
        first = time.thread_time() - began
        assert len([row for row in listed["results"] if row["name"].startswith(prefix)]) == 1_000
        began = time.thread_time()
        client.get(TOPICS)
        again = time.thread_time() - began
        print(f"1,000 topics: {first:.2f} s of processor time asked anew, {again:.2f} s as known")
        assert first < 2.0
        assert again < 0.5
    finally:
        for at in range(0, 1_000, 250):
            for future in admin.delete_topics(names[at : at + 250], request_timeout=60).values():
                future.result(60)
        wait_until(lambda: not _named(prefix), 60, "the broker's metadata forgot all topics")


def _named(prefix: str) -> list[str]:
    return [
        name
        for name in clients.admin(clients.home_profile()).list_topics(timeout=10).topics
        if name.startswith(prefix)
    ]


def test_offsets_of_a_topic_made_this_moment_are_never_refused(broker: KafkaServer) -> None:
    """A new partition has no leader for a moment; a start must wait for the leader instead of failing."""
    profile = clients.home_profile()
    names = [f"led.{uuid.uuid4().hex[:8]}" for _ in range(40)]

    def made_and_asked(name: str) -> int:
        create_topic(profile, name, 4, {})
        return len(
            offsets(profile, {TopicPartition(name, partition): OffsetSpec.latest() for partition in range(4)})
        )

    try:
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(made_and_asked, names)) == [4] * 40
    finally:
        delete_topics(profile, names)


def _is_leaderless(profile: ClusterProfile, topic: str, partition: int) -> bool:
    """Whether a broker says so. The client may ask the one that was just killed: that one says nothing."""
    try:
        return read_partitions(profile, topic)[partition].leader < 0
    except UnreachableError:
        return False
