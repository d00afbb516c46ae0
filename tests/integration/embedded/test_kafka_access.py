"""Whom the embedded broker lets do what: Weir's user everything, people's own tools nothing of Weir's."""

import base64
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psutil
import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicCollection, TopicPartition
from confluent_kafka.admin import (
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ConfigResource,
    NewTopic,
    OffsetSpec,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from kafka.protocol.admin import DeleteRecordsRequest, DescribeLogDirsRequest
from kafka.protocol.consumer import FetchRequest, ListOffsetsRequest
from kafka.protocol.producer import ProduceRequest

from tests.support.kafka_protocol import send_request
from tests.support.kafka_topics import create_topic, delete_topic, records_of
from tests.support.kafka_with_user import KafkaWithUser
from tests.support.processes import wait_until
from weir.embedded.kafka_rights import open_rights

pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]

REFUSED = {
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
    KafkaError.GROUP_AUTHORIZATION_FAILED,
    KafkaError.CLUSTER_AUTHORIZATION_FAILED,
    KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
}


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaWithUser]:
    server = KafkaWithUser(tmp_path_factory.mktemp("access") / "kafka")
    server.start()
    for topic in ("weir.runs", "weir.dead.7", "weir_x"):
        create_topic(server.options, topic)
    send(server.options, "weir.runs")
    yield server
    server.stop()


@pytest.fixture
def anybody(broker: KafkaWithUser) -> AdminClient:
    return AdminClient({"bootstrap.servers": broker.bootstrap})


def send(options: dict[str, str], topic: str, **more: str) -> KafkaError | None:
    """Produce a record; what the broker said against it."""
    said: list[KafkaError] = []
    producer = Producer({**options, **more, "message.timeout.ms": "8000", "log_level": "0"})
    producer.produce(
        topic, b"v", b"k", partition=0, on_delivery=lambda error, _: said.append(error) if error else None
    )
    assert producer.flush(15) == 0
    return said[0] if said else None


def code(ask: Callable[[], Any]) -> int:
    """The code of the error that comes of this."""
    with pytest.raises(KafkaException) as caught:
        ask()
    return int(caught.value.args[0].code())


def only(futures: dict[Any, Any]) -> Any:
    """The answer to a request about one thing."""
    (future,) = futures.values()
    return future.result(15)


def end_of(broker: KafkaWithUser, topic: str) -> int:
    """The end offset of a topic's one partition."""
    client = AdminClient(dict(broker.options))
    return int(only(client.list_offsets({TopicPartition(topic, 0): OffsetSpec.latest()})).offset)


def test_ordinary_topics_take_no_user(broker: KafkaWithUser, anybody: AdminClient) -> None:
    topic = f"orders_{uuid4().hex[:6]}"
    create_topic(broker.bootstrap, topic)
    for more in ({}, {"enable.idempotence": "true"}):
        assert send({"bootstrap.servers": broker.bootstrap}, topic, **more) is None
    assert [record.value() for record in records_of(broker.bootstrap, topic)] == [b"v", b"v"]
    group = Consumer(
        {"bootstrap.servers": broker.bootstrap, "group.id": "mine", "auto.offset.reset": "earliest"}
    )
    group.subscribe([topic])
    message = group.poll(20)
    assert message is not None
    assert message.error() is None
    group.commit(message=message, asynchronous=False)
    group.close()
    only(anybody.describe_configs([ConfigResource(ConfigResource.Type.TOPIC, topic)]))
    delete_topic(broker.bootstrap, topic)


def test_topics_of_weir_are_not_there_for_who_has_no_user(
    broker: KafkaWithUser, anybody: AdminClient
) -> None:
    shown = anybody.list_topics(timeout=15).topics
    assert not [name for name in shown if name.startswith(("weir.", "__"))]
    assert "weir.runs" in AdminClient(dict(broker.options)).list_topics(timeout=15).topics
    assert anybody.list_topics("weir.runs", timeout=15).topics["weir.runs"].error.code() in REFUSED


@pytest.mark.parametrize("topic", ["weir.runs", "weir.dead.7", "__consumer_offsets"])
def test_nothing_can_be_done_to_them(broker: KafkaWithUser, anybody: AdminClient, topic: str) -> None:
    if topic != "__consumer_offsets":
        before = end_of(broker, topic)
    error = send({"bootstrap.servers": broker.bootstrap}, topic)
    assert error is not None
    assert error.code() in REFUSED
    reader = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": "mine", "log_level": 0})
    reader.subscribe([topic])
    read = reader.poll(15)
    reader.close()
    assert read is not None
    assert read.error() is not None
    assert read.error().code() in REFUSED
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic)
    assert code(lambda: only(anybody.delete_topics([topic]))) in REFUSED
    assert code(lambda: only(anybody.describe_configs([resource]))) in REFUSED
    # These librdkafka refuses by itself, to whom a topic has no partitions.
    assert code(lambda: only(anybody.delete_records([TopicPartition(topic, 0, 1)])))
    assert code(lambda: only(anybody.list_offsets({TopicPartition(topic, 0): OffsetSpec.latest()})))
    if topic != "__consumer_offsets":
        assert end_of(broker, topic) == before


def test_the_broker_itself_refuses_what_clients_would_not_ask(broker: KafkaWithUser) -> None:
    """Clients describe a topic first; requests written by hand, with a known topic ID, do not."""
    owner = AdminClient(dict(broker.options))
    known = str(only(owner.describe_topics(TopicCollection(["weir.runs"]))).topic_id)
    identity = UUID(bytes=base64.urlsafe_b64decode(known + "=="))
    before = end_of(broker, "weir.runs")
    partition = FetchRequest.FetchTopic.FetchPartition(
        partition=0,
        current_leader_epoch=-1,
        fetch_offset=0,
        last_fetched_epoch=-1,
        log_start_offset=-1,
        partition_max_bytes=1 << 20,
    )
    fetch = FetchRequest(
        max_wait_ms=100, min_bytes=1, max_bytes=1 << 20, isolation_level=0, session_id=0, session_epoch=-1,
        forgotten_topics_data=[], rack_id="",
        topics=[FetchRequest.FetchTopic(topic="weir.runs", topic_id=identity, partitions=[partition])],
    )  # fmt: skip
    part = ProduceRequest.TopicProduceData.PartitionProduceData(index=0, records=b"")
    written = [ProduceRequest.TopicProduceData(name="weir.runs", topic_id=identity, partition_data=[part])]
    produce = ProduceRequest(transactional_id=None, acks=1, timeout_ms=5_000, topic_data=written)
    delete = DeleteRecordsRequest(topics=[("weir.runs", [(0, 1)])], timeout_ms=5_000)
    ends = ListOffsetsRequest(replica_id=-1, isolation_level=0, topics=[("weir.runs", [(0, -1, -1)])])
    codes = [
        send_request(fetch, broker.bootstrap).responses[0].partitions[0].error_code,
        send_request(produce, broker.bootstrap).responses[0].partition_responses[0].error_code,
        send_request(delete, broker.bootstrap).topics[0].partitions[0].error_code,
        send_request(ends, broker.bootstrap).topics[0].partitions[0].error_code,
        send_request(DescribeLogDirsRequest(topics=None), broker.bootstrap).error_code,
    ]
    assert codes == [KafkaError.TOPIC_AUTHORIZATION_FAILED] * 4 + [KafkaError.CLUSTER_AUTHORIZATION_FAILED]
    assert end_of(broker, "weir.runs") == before


def test_a_pattern_that_the_broker_resolves_finds_none_of_them(broker: KafkaWithUser) -> None:
    create_topic(broker.bootstrap, "weird")
    reader = Consumer(
        {"bootstrap.servers": broker.bootstrap, "group.id": "patterns", "group.protocol": "consumer"}
    )
    try:
        reader.subscribe(["^weir.*"])
        wait_until(lambda: reader.poll(0.2) is not None or reader.assignment(), 30, "something is assigned")
        assert {each.topic for each in reader.assignment()} <= {"weird", "weir_x"}
    finally:
        reader.close()


@pytest.mark.parametrize("topic", ["weir.dead.8", "weir.new", "__mine", "weir_dead_8"])
def test_none_of_their_names_can_be_taken(anybody: AdminClient, topic: str) -> None:
    assert code(lambda: only(anybody.create_topics([NewTopic(topic, 1, 1)]))) in REFUSED


def test_groups_and_transactions_of_weir(broker: KafkaWithUser, anybody: AdminClient) -> None:
    create_topic(broker.bootstrap, "read_by_all")
    position = TopicPartition("read_by_all", 0, 0)
    mirror = Consumer({**broker.options, "group.id": "weir.space.job", "enable.auto.commit": False})
    mirror.commit(offsets=[position], asynchronous=False)
    mirror.close()
    listed = anybody.list_consumer_groups(request_timeout=15).result()
    assert "weir.space.job" in {group.group_id for group in listed.valid}, "a mirror is for every tool to see"
    intruder = Consumer(
        {
            "bootstrap.servers": broker.bootstrap,
            "group.id": "weir.space.job",
            "enable.auto.commit": False,
            "log_level": 0,
        }
    )
    assert code(lambda: intruder.commit(offsets=[position], asynchronous=False)) in REFUSED
    intruder.close()
    for name in ("weir.space.job", "weir-engine-shared-1"):
        assert code(lambda group=name: only(anybody.delete_consumer_groups([group]))) in REFUSED
    writer = Producer({"bootstrap.servers": broker.bootstrap, "transactional.id": "weir-1", "log_level": 0})
    assert code(lambda: writer.init_transactions(15)) in REFUSED


def test_who_has_no_user_cannot_change_rights_or_users(broker: KafkaWithUser, anybody: AdminClient) -> None:
    every = AclBindingFilter(
        ResourceType.ANY, None, ResourcePatternType.ANY, None, None, AclOperation.ANY, AclPermissionType.ANY
    )  # fmt: skip
    assert code(lambda: only(anybody.delete_acls([every]))) in REFUSED
    assert anybody.describe_acls(every).result(15) == [], "librdkafka makes no rules of a refusal"
    made = UserScramCredentialUpsertion(
        "mallory", ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096), b"secret"
    )
    assert code(lambda: only(anybody.alter_user_scram_credentials([made]))) in REFUSED
    assert (
        code(lambda: only(anybody.describe_configs([ConfigResource(ConfigResource.Type.BROKER, "1")])))
        in REFUSED
    )
    owner = AdminClient(dict(broker.options))
    assert len(owner.describe_acls(every).result(15)) == len(open_rights())
    assert "mallory" not in owner.describe_user_scram_credentials().result(15)


@pytest.mark.parametrize("listener", ["secured", "controller"])
def test_the_other_listeners_let_nobody_in_without(broker: KafkaWithUser, listener: str) -> None:
    port = broker.access.port if listener == "secured" else broker.node.controller_port
    client = AdminClient({"bootstrap.servers": f"127.0.0.1:{port}", "log_level": 0})
    with pytest.raises(KafkaException):
        client.list_topics(timeout=4)


def test_a_wrong_password_is_said(broker: KafkaWithUser) -> None:
    said: list[KafkaError] = []
    client = AdminClient(
        {**broker.options, "sasl.password": "wrong", "error_cb": said.append, "log_level": 0}
    )
    with pytest.raises(KafkaException):
        client.list_topics(timeout=5)
    wait_until(
        lambda: client.poll(0.1) >= 0 and KafkaError._AUTHENTICATION in {each.code() for each in said},
        20,
        "the client says that the password is wrong",
        lambda: said,
    )
    assert "invalid credentials" in str(said)


def test_the_password_is_for_its_owner_only(broker: KafkaWithUser) -> None:
    password = broker.access.password_file.read_text()
    folder = broker.node.folder
    holding = [
        path for path in folder.rglob("*") if path.is_file() and password in path.read_text(errors="replace")
    ]
    assert broker.access.password_file in holding
    assert {
        path.name: oct(stat.S_IMODE(path.stat().st_mode))
        for path in holding
        if stat.S_IMODE(path.stat().st_mode) & 0o077
    } == {}
    assert password not in broker.log.read_text()
    assert password not in " ".join(psutil.Process(broker.pid).cmdline())
    assert not (folder / "format.arguments").exists()


@pytest.mark.long
def test_data_of_before_goes_on(tmp_path: Path) -> None:
    server = KafkaWithUser(tmp_path / "kafka", has_user=False)
    server.start()
    try:
        create_topic(server.bootstrap, "weir.runs")
        create_topic(server.bootstrap, "orders")
        assert send({"bootstrap.servers": server.bootstrap}, "weir.runs") is None
        server.stop()
        server.give_user()
        server.start()
        assert [record.value() for record in records_of(server.options, "weir.runs")] == [b"v"]
        assert (
            "weir.runs"
            not in AdminClient({"bootstrap.servers": server.bootstrap}).list_topics(timeout=15).topics
        )
        assert send({"bootstrap.servers": server.bootstrap}, "orders") is None
        server.stop()

        server.access.password_file.unlink()
        server.close_open_listener()
        server.start()
        assert [record.value() for record in records_of(server.options, "weir.runs")] == [b"v"], (
            "a lost password is made anew"
        )
        with pytest.raises(KafkaException):
            AdminClient({"bootstrap.servers": server.bootstrap, "log_level": 0}).list_topics(timeout=3)
    finally:
        server.stop()
