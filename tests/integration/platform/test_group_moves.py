"""Moving the offsets of a group on a real broker: what is planned is what happens, and no reader is
disturbed.
"""

import time
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient

from tests.support.consuming import Reader
from tests.support.kafka_node import KafkaServer
from tests.support.processes import wait_until
from tests.support.run_factories import trades
from tests.support.users import client_of, create_user, member, workspace_of
from weir.clusters.models import HOME
from weir.clusters.services.clients import home_profile
from weir.consumer_groups.models import ClusterWatch, ConsumerGroup
from weir.consumer_groups.services.cluster_pass import ClusterPass
from weir.workspaces.models import Event, User, Workspace
from weir.workspaces.roles import Role

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]
BASE = "/api/v1/workspaces/ops"
RECORDS = 100  # in each of two partitions, a second apart
FIRST_MS = 1_700_000_000_000


@pytest.fixture
def topic(broker: KafkaServer, producer: Any) -> Iterator[str]:
    name = f"moved.{uuid.uuid4().hex[:8]}"
    broker.create_topic(name, 2)
    for number in range(RECORDS):
        for partition in (0, 1):
            producer.produce(name, b"x", partition=partition, timestamp=FIRST_MS + number * 1000)
    producer.flush(10)
    yield name
    broker.delete_topic(name)


@pytest.fixture
def group(broker: KafkaServer, topic: str) -> str:
    """A group without members that stands at 40 and 60."""
    name = f"group-{uuid.uuid4().hex[:8]}"
    stands_at(broker, name, [TopicPartition(topic, 0, 40), TopicPartition(topic, 1, 60)])
    look()
    return name


def stands_at(broker: KafkaServer, group: str, wanted: list[TopicPartition]) -> None:
    """Commit offsets for a group without members."""
    client: Any = AdminClient({"bootstrap.servers": broker.bootstrap})
    request = ConsumerGroupTopicPartitions(group, wanted)

    def committed() -> bool:  # a broker that has just begun loads its groups first; each partition says so
        answer = client.alter_consumer_group_offsets([request])[group].result(30)
        return all(each.error is None for each in answer.topic_partitions)

    wait_until(committed, 60, "the offsets are committed")


def look() -> None:
    """A pass over the home cluster."""
    ClusterWatch.objects.update_or_create(cluster_id=HOME, defaults={"holder": "test", "expires_us": 2**62})
    one = ClusterPass(home_profile(), "test")

    def succeeds() -> bool:  # a broker that has just begun loads its groups first
        one.run()
        return ClusterWatch.objects.get(pk=HOME).error == ""

    wait_until(succeeds, 60, "a pass succeeds")
    one.close()


def committed(broker: KafkaServer, group: str) -> dict[int, int]:
    client: Any = AdminClient({"bootstrap.servers": broker.bootstrap})
    found = client.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])[group].result(30)
    return {each.partition: each.offset for each in found.topic_partitions}


def move(user: User, group: str, **body: Any) -> Any:
    return client_of(user).post(f"{BASE}/consumer-group-offsets/home/{group}", body, format="json")


@pytest.mark.parametrize(
    ("wish", "expected", "skipped", "again"),
    [
        ({"target": "earliest"}, {0: 0, 1: 0}, 0, 100),
        ({"target": "latest"}, {0: 100, 1: 100}, 100, 0),
        ({"target": "offset", "offset": 50}, {0: 50, 1: 50}, 10, 10),
        ({"target": "offset", "offset": 5_000}, {0: 100, 1: 100}, 100, 0),
        ({"target": "by", "offset": -50}, {0: 0, 1: 10}, 0, 90),
        ({"target": "by", "offset": 7}, {0: 47, 1: 67}, 14, 0),
        ({"target": "time", "time": "2023-11-14T22:14:20Z"}, {0: 60, 1: 60}, 20, 0),
        ({"target": "time", "time": "2030-01-01T00:00:00Z"}, {0: 100, 1: 100}, 100, 0),
    ],
)
def test_what_a_dry_run_says_is_what_happens(
    broker: KafkaServer, workspace: Workspace, owner: User, group: str, topic: str,
    wish: dict[str, Any], expected: dict[int, int], skipped: int, again: int,
) -> None:  # fmt: skip
    answer = move(owner, group, **wish)
    assert answer.status_code == 200, answer.content
    planned = answer.json()
    assert (planned["applied"], planned["refused"]) == (False, "")
    assert (planned["skipped"], planned["read_again"]) == (skipped, again)
    assert committed(broker, group) == {0: 40, 1: 60}
    done = move(owner, group, **wish, dry_run=False).json()
    assert done["moves"] == planned["moves"]
    assert done["applied"]
    assert committed(broker, group) == expected
    event = Event.objects.of(workspace).get(kind="consumer_group")
    assert (event.actor, event.subject, event.action) == ("ann", group, "changed")
    assert f"{skipped:,} records skipped, {again:,} read again" in event.text


def test_one_partition_of_one_topic_is_moved_alone(
    broker: KafkaServer, workspace: Workspace, owner: User, group: str, topic: str
) -> None:
    answer = move(owner, group, target="earliest", partitions={topic: [1]}, dry_run=False).json()
    assert [each["partition"] for each in answer["moves"]] == [1]
    assert committed(broker, group) == {0: 40, 1: 0}
    wrong = move(owner, group, target="earliest", partitions={topic: [9]})
    assert (wrong.status_code, wrong.json()["code"]) == (422, "NO_SUCH_PARTITION")
    hidden = move(owner, group, target="earliest", partitions={"weir.runs": []})
    assert (hidden.status_code, hidden.json()["code"]) == (404, "TOPIC_NOT_FOUND")
    empty = move(owner, group, target="by")
    assert (empty.status_code, empty.json()["code"]) == (422, "TARGET_INVALID")


def test_a_group_with_members_is_neither_moved_nor_deleted(
    broker: KafkaServer, workspace: Workspace, owner: User, group: str, topic: str
) -> None:
    with Reader(broker.bootstrap, group, topic, rate=0.0) as reader:
        reader.rate = 1.0
        wait_until(lambda: reader.read > 0, 60, "the member reads")
        planned = move(owner, group, target="earliest").json()
        assert "has 1 member" in planned["refused"]
        refused = move(owner, group, target="earliest", dry_run=False)
        assert (refused.status_code, refused.json()["code"]) == (409, "GROUP_ACTIVE")
        deleted = client_of(owner).delete(f"{BASE}/consumer-groups/home/{group}")
        assert (deleted.status_code, deleted.json()["code"]) == (409, "GROUP_ACTIVE")
    assert not Event.objects.of(workspace).filter(kind="consumer_group").exists()


def test_a_group_is_deleted_with_its_offsets(
    broker: KafkaServer, workspace: Workspace, owner: User, group: str
) -> None:
    assert client_of(owner).delete(f"{BASE}/consumer-groups/home/{group}").status_code == 204
    assert client_of(owner).get(f"{BASE}/consumer-groups/home/{group}").status_code == 404
    client: Any = AdminClient({"bootstrap.servers": broker.bootstrap})
    assert group not in {each.group_id for each in client.list_consumer_groups().result(30).valid}
    time.sleep(1)
    look()
    assert not ConsumerGroup.objects.filter(name=group).exists()


def test_a_group_that_got_another_workspaces_topic_since_the_last_pass_stays(
    broker: KafkaServer, workspace: Workspace, owner: User, group: str
) -> None:
    theirs = f"theirs.{uuid.uuid4().hex[:8]}"
    broker.create_topic(theirs, 1)
    trades(workspace_of(create_user("eve"), "labs"), topic=theirs)
    stands_at(broker, group, [TopicPartition(theirs, 0, 0)])
    refused = client_of(owner).delete(f"{BASE}/consumer-groups/home/{group}")
    assert (refused.status_code, refused.json()["code"]) == (409, "IN_USE")
    client: Any = AdminClient({"bootstrap.servers": broker.bootstrap})
    assert group in {each.group_id for each in client.list_consumer_groups().result(30).valid}
    broker.delete_topic(theirs)


def test_viewers_move_nothing_and_mirrors_are_not_moved(
    broker: KafkaServer, workspace: Workspace, owner: User, group: str, topic: str
) -> None:
    viewer = member(workspace, "vic", Role.VIEWER)
    assert move(viewer, group, target="latest").status_code == 403
    mirror = f"weir.ops.job-{uuid.uuid4().hex[:6]}"
    stands_at(broker, mirror, [TopicPartition(topic, 0, 5)])
    look()
    seen = client_of(owner).get(f"{BASE}/consumer-groups/home/{mirror}").json()
    assert seen["mirrored_job"].startswith("job-")
    refused = move(owner, mirror, target="latest", dry_run=False)
    assert (refused.status_code, refused.json()["code"]) == (409, "MIRROR_GROUP")
    assert committed(broker, mirror) == {0: 5}
