"""Dead letters on a real broker: indexed once, shown, and redriven once each, also after a worker crash."""

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from confluent_kafka import KafkaError, TopicPartition
from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource
from django.utils import timezone

from jobs.formats import dead_letters as fields
from jobs.kafka_messages import dead_letter_topic
from tests.support.kafka_node import KafkaServer
from tests.support.open_transaction import open_transaction
from tests.support.run_factories import CONTRACT
from tests.support.users import client_of, workspace_of
from tests.support.validator_factories import with_dead_letter_topic
from weir.clusters.services.clients import admin, consumer, home_profile
from weir.clusters.services.offsets import watermarks
from weir.clusters.services.topics import delete_topics
from weir.dead_letters.models import DeadLetter, Redrive, Validator
from weir.dead_letters.services import redrive_worker
from weir.dead_letters.services.indexing import index_dead_letters
from weir.dead_letters.services.lifecycle import ensure_validator
from weir.dead_letters.services.redrive_worker import run_slice
from weir.streams.models import Stream
from weir.workspaces.models import User, Workspace

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]
BASE = "/api/v1/workspaces/ops/streams/orders/"
BAD = b'{"symbol": "cut'
EDITED = '{"symbol": "edited", "price": 2, "at": 1750000000000}'

Write = Callable[..., None]


@pytest.fixture
def validator(broker: KafkaServer, workspace: Workspace, owner: User) -> Any:
    topic = f"orders.{uuid.uuid4().hex[:8]}"
    made = {"name": "orders", "topic": topic, "create": {"partitions": 2}, "contract": CONTRACT}
    assert client_of(owner).post("/api/v1/workspaces/ops/streams", made).status_code == 201
    created_validator = ensure_validator(Stream.objects.select_related("cluster", "workspace").get())
    dead = with_dead_letter_topic(created_validator)
    yield created_validator
    delete_topics(home_profile(), [topic, dead])


@pytest.fixture
def write(validator: Validator, producer: Any) -> Write:
    """Write dead letters as a validator does."""

    def put(
        offsets: range,
        reason: str = "NOT_JSON",
        value: bytes | None = BAD,
        by: Validator = validator,
        **more: bytes | None,
    ) -> None:
        topic = by.stream.topic
        for offset in offsets:
            by_name: dict[str, bytes | None] = {
                "trace": b"7", fields.TOPIC: topic.encode(),
                fields.TOPIC_ID: validator.stream.topic_id.encode(), fields.PARTITION: b"1",
                fields.OFFSET: str(offset).encode(), fields.TIMESTAMP: b"1750000000000",
                fields.REJECTED_BY: b"decode",
                fields.REASON: reason.encode(), fields.KEY: b"k", **more,
            }  # fmt: skip
            headers = [(name, text) for name, text in by_name.items() if text is not None]
            producer.produce(dead_letter_topic(by.job_id), value, b"ref", partition=0, headers=headers)
        producer.flush()

    return put


def index_all(validator: Validator) -> None:
    while index_dead_letters(Validator.objects.select_related("stream__cluster").get(pk=validator.pk)):
        pass


def run_to_end(redrive_id: str) -> None:
    while (pause := run_slice(redrive_id)) is not None:
        time.sleep(pause + 0.01)


def arrived(
    topic: str, partitions: int = 2
) -> list[tuple[bytes | None, bytes | None, int, dict[str, bytes]]]:
    """Value, key, partition and headers of everything in a topic.

    Until the log's end, not the consumer's: a transaction that its producer has ended holds the records after
    it back until the broker has written its marker, a moment later.
    """
    logs = watermarks(home_profile(), {topic: partitions})
    client = consumer(home_profile())
    client.assign([TopicPartition(topic, partition, low) for (_, partition), (low, _) in logs.items()])
    found: list[Any] = []
    unread = set(range(partitions))
    while unread:
        message = client.poll(10)
        assert message is not None
        if message.error() and message.error().code() == KafkaError._PARTITION_EOF:
            if message.offset() >= logs[topic, message.partition()][1]:
                unread.discard(message.partition())
            continue
        assert message.error() is None
        assert message.timestamp()[1] == 1_750_000_000_000, "the record's own, as `write` says"
        found.append((message.value(), message.key(), message.partition(), dict(message.headers() or [])))
    client.close()
    return found


def test_a_record_has_one_letter_however_often_it_was_written(
    validator: Validator, write: Write, owner: User, producer: Any
) -> None:
    write(range(3))
    producer.produce(dead_letter_topic(validator.job_id), b"no dead letter", partition=0)
    write(range(5))  # a batch that was done again, and went further
    index_all(validator)
    write(range(2))
    index_all(validator)
    assert sorted(DeadLetter.objects.values_list("partition", "offset")) == [
        (1, offset) for offset in range(5)
    ]
    first = DeadLetter.objects.order_by("offset")[0]
    assert (first.dead_offset, first.preview, first.size) == (0, BAD.decode(), len(BAD))
    dead_letter = client_of(owner).get(f"{BASE}dead-letters/{first.pk}").json()
    assert (
        dead_letter["value"],
        dead_letter["key"],
        dead_letter["rejected_by"],
        dead_letter["truncated"],
    ) == (
        BAD.decode(),
        "k",
        "decode",
        False,
    )
    assert dead_letter["headers"] == [{"name": "trace", "value": "7", "value_is_text": True}]
    assert dead_letter["current_error"]["reason"] == "NOT_JSON"


@pytest.mark.parametrize("slug", ["ops", "labs"], ids=["one workspace", "two workspaces"])
def test_streams_of_one_topic_have_letters_of_their_own(
    validator: Validator, write: Write, owner: User, slug: str
) -> None:
    """Each stream shows and redrives only the dead letters of its own validator."""
    topic = validator.stream.topic
    space = Workspace.objects.filter(slug=slug).first() or workspace_of(owner, slug)
    twin = Stream.objects.create(
        workspace=space, name="twin", cluster=validator.stream.cluster, topic=topic,
        topic_id=validator.stream.topic_id, partitions=2, contract=validator.stream.contract,
    )  # fmt: skip
    other = ensure_validator(twin)
    with_dead_letter_topic(other)
    write(range(3), reason="NOT_JSON")
    write(range(2, 7), reason="FIELD_TYPE", by=other)
    index_all(validator)
    index_all(other)
    found = {
        each.pk: sorted(DeadLetter.objects.filter(validator=each).values_list("offset", "reason"))
        for each in (validator, other)
    }
    assert found[validator.pk] == [(offset, "NOT_JSON") for offset in range(3)]
    assert found[other.pk] == [(offset, "FIELD_TYPE") for offset in range(2, 7)]
    client, theirs = client_of(owner), f"/api/v1/workspaces/{slug}/streams/twin/"
    assert [row["reason"] for row in client.get(f"{BASE}dead-letters/groups").json()["results"]] == [
        "NOT_JSON"
    ]
    assert [row["reason"] for row in client.get(f"{theirs}dead-letters/groups").json()["results"]] == [
        "FIELD_TYPE"
    ]
    foreign = DeadLetter.objects.filter(validator=other).first()
    assert foreign is not None
    assert client.get(f"{BASE}dead-letters/{foreign.pk}").status_code == 404
    assert client.post(f"{BASE}redrives", {"ids": [foreign.pk]}).status_code == 404
    made = client.post(f"{BASE}redrives", {"all": True, "rate": 5000}).json()
    run_to_end(made["id"])
    assert sorted(headers[fields.REDRIVEN_FROM].rpartition(b"/")[2] for *_, headers in arrived(topic)) == [
        b"0",
        b"1",
        b"2",
    ]
    assert set(DeadLetter.objects.filter(validator=other).values_list("state", flat=True)) == {"waiting"}
    for name in (dead_letter_topic(validator.job_id), dead_letter_topic(other.job_id)):
        assert client.get(f"/api/v1/workspaces/{slug}/clusters/home/topics/{name}/records").status_code == 404
    listed = client.get("/api/v1/workspaces/ops/clusters/home/topics", {"fresh": True}).json()["results"]
    assert not [row["name"] for row in listed if row["name"].startswith("weir.")]


def test_letters_are_sent_again_once_byte_for_byte(validator: Validator, write: Write, owner: User) -> None:
    write(range(250))
    write(range(250, 252), value=None, reason="VALUE_NULL")
    index_all(validator)
    made = client_of(owner).post(f"{BASE}redrives", {"all": True, "rate": 5000}).json()
    run_to_end(made["id"])
    assert run_slice(made["id"]) is None
    body = client_of(owner).get(f"{BASE}redrives/{made['id']}").json()
    assert (body["state"], body["total"], body["sent"], body["failed"], body["last_error"]) == (
        "done",
        252,
        252,
        0,
        "",
    )
    found = arrived(validator.stream.topic)
    assert sorted(int(headers[fields.REDRIVEN_FROM].rpartition(b"/")[2]) for *_, headers in found) == list(
        range(252)
    )
    value, key, partition, headers = next(
        each for each in found if each[3][fields.REDRIVEN_FROM].endswith(b"/1/7")
    )
    assert (value, key, partition) == (BAD, b"k", 1)
    assert headers == {
        "trace": b"7",
        fields.REDRIVEN_FROM: f"{validator.stream.topic}/1/7".encode(),
        fields.REDRIVEN_BY: made["id"].encode(),
        fields.REDRIVEN_TIMES: b"1",
    }
    assert set(DeadLetter.objects.values_list("state", flat=True)) == {"redriven"}


@pytest.fixture
def hanging_writer(broker: KafkaServer, validator: Validator) -> Iterator[Callable[[], None]]:
    """Another program's transaction, open in each of the target's partitions until it is told to end it."""
    with ExitStack() as ends:
        producer = ends.enter_context(open_transaction(broker.bootstrap))
        for partition in range(2):
            producer.produce(validator.stream.topic, b"of another", partition=partition)
        producer.flush()
        yield ends.close


@pytest.mark.parametrize("hangs", [False, True], ids=["", "behind an open transaction"])
@pytest.mark.parametrize(
    "delivered", [True, False], ids=["what arrived is not sent twice", "what did not arrive is sent"]
)
def test_a_worker_that_dies_between_broker_and_database(
    validator: Validator,
    write: Write,
    owner: User,
    delivered: bool,
    hangs: bool,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    end_transaction = request.getfixturevalue("hanging_writer") if hangs else lambda: None
    write(range(10))
    index_all(validator)
    made = client_of(owner).post(f"{BASE}redrives", {"all": True, "rate": 5000}).json()

    class DeathError(BaseException):
        """As a killed process, it passes whatever catches errors."""

    def die(*_: Any) -> None:
        raise DeathError

    with monkeypatch.context() as patched:
        if delivered:
            patched.setattr(redrive_worker._RedriveSlice, "_set_redriven", die)
        else:
            patched.setattr(redrive_worker, "send", die)
        with pytest.raises(DeathError):
            run_slice(made["id"])
    assert set(DeadLetter.objects.values_list("state", flat=True)) == {"sending"}
    assert run_slice(made["id"]) is None  # the dead one's lease still holds
    assert DeadLetter.objects.filter(state="sending").count() == 10
    Redrive.objects.update(leased_until=timezone.now())
    run_to_end(made["id"])
    assert set(DeadLetter.objects.values_list("state", flat=True)) == {"redriven"}
    end_transaction()
    assert len(arrived(validator.stream.topic)) == 10
    assert client_of(owner).get(f"{BASE}redrives/{made['id']}").json()["sent"] == 10


def test_one_letter_edited_and_sent_elsewhere(
    validator: Validator, write: Write, owner: User, producer: Any
) -> None:
    client = client_of(owner)
    other = f"other.{uuid.uuid4().hex[:8]}"
    streams = "/api/v1/workspaces/ops/streams"
    client.post(streams, {"name": "other", "topic": other, "create": {"partitions": 2}, "contract": CONTRACT})
    write(range(2))
    index_all(validator)
    selected = DeadLetter.objects.get(offset=1).pk
    refused = client.post(f"{BASE}redrives", {"ids": [selected], "value": '{"price": 1}', "to": "other"})
    assert (refused.status_code, refused.json()["code"]) == (422, "RECORD_MALFORMED")
    assert "FIELD_MISSING" in refused.json()["detail"]
    assert [problem["path"] for problem in refused.json()["problems"]] == [["value"]]
    made = client.post(f"{BASE}redrives", {"ids": [selected], "value": EDITED, "to": "other"})
    assert made.status_code == 201, made.content
    run_slice(made.json()["id"])
    ((value, key, _, headers),) = arrived(other)
    assert (value, key, headers["trace"]) == (EDITED.encode(), b"k", b"7")
    assert list(DeadLetter.objects.order_by("offset").values_list("state", flat=True)) == [
        "waiting",
        "redriven",
    ]
    assert client.delete(f"{streams}/other").status_code == 204
    delete_topics(home_profile(), [other])


def test_a_letter_is_replaced_with_its_key_and_headers(
    validator: Validator, write: Write, owner: User
) -> None:
    """The key of a dead letter can be replaced, too; a value that is not text is sent as the given bytes."""
    client = client_of(owner)
    write(range(2), reason="KEY_INVALID", value=EDITED.encode())
    index_all(validator)
    selected = DeadLetter.objects.get(offset=1).pk
    record = {
        "value": EDITED,
        "key": "other",
        "headers": [{"name": "why", "value": "edited"}, {"name": "raw", "value_base64": "/w=="}],
    }
    for wrong in ({"value": "{"}, {"value_base64": "?"}, {"key": "only"}):
        refused = client.post(f"{BASE}redrives", {"ids": [selected], "record": wrong})
        assert (refused.status_code, refused.json()["code"]) == (422, "RECORD_MALFORMED"), wrong
    many = client.post(f"{BASE}redrives", {"all": True, "record": record})
    assert many.json()["code"] == "ONE_AT_A_TIME"
    made = client.post(f"{BASE}redrives", {"ids": [selected], "record": record})
    assert made.status_code == 201, made.content
    assert made.json()["edited"]
    run_to_end(made.json()["id"])
    ((value, key, _, headers),) = arrived(validator.stream.topic)
    assert (value, key, headers["why"], headers["raw"]) == (EDITED.encode(), b"other", b"edited", b"\xff")
    assert headers[fields.REDRIVEN_FROM].endswith(b"/1/1")
    assert "trace" not in headers


def test_a_group_is_edited_previewed_and_sent(validator: Validator, write: Write, owner: User) -> None:
    """Dead letters that the edit makes valid are sent, numbers as written.

    Others wait again, with a reason.
    """
    client = client_of(owner)
    write(range(30), value=b'{"SYMBOL": "a", "price": 1.10, "at": 1750000000000}', reason="FIELD_MISSING")
    write(range(30, 33), value=b'{"price": 2, "at": 1750000000000}', reason="FIELD_MISSING")
    write(range(33, 34), value=b"\xff", reason="FIELD_MISSING")
    write(range(40, 41))
    index_all(validator)
    edit = [{"op": "rename", "field": "SYMBOL", "to": "symbol"}]
    seen = client.post(f"{BASE}dead-letters/preview", {"reason": "FIELD_MISSING", "edit": edit})
    assert seen.status_code == 200, seen.content
    result = seen.json()
    assert (result["selected"], result["tested"], result["valid"]) == (34, 20, 16)
    first, last = result["samples"][0], result["samples"][-1]
    assert (first["valid"], first["after"]) == (True, '{"price":1.10,"at":1750000000000,"symbol":"a"}')
    assert (last["valid"], last["after"], last["before_is_text"]) == (False, None, False)
    assert "isn't UTF-8 text" in last["error"]
    assert "FIELD_MISSING" in result["samples"][-2]["error"]
    assert not Redrive.objects.exists()

    made = client.post(f"{BASE}redrives", {"reason": "FIELD_MISSING", "edit": edit, "rate": 5000}).json()
    run_to_end(made["id"])
    body = client.get(f"{BASE}redrives/{made['id']}").json()
    assert (body["state"], body["sent"], body["failed"], body["edit"]) == (
        "done",
        30,
        4,
        ["SYMBOL renamed to symbol"],
    )
    found = arrived(validator.stream.topic)
    assert {value for value, *_ in found} == {b'{"price":1.10,"at":1750000000000,"symbol":"a"}'}
    assert sorted(int(headers[fields.REDRIVEN_FROM].rpartition(b"/")[2]) for *_, headers in found) == list(
        range(30)
    )
    waiting = dict(DeadLetter.objects.filter(state="waiting").values_list("offset", "note"))
    assert set(waiting) == {30, 31, 32, 33, 40}
    assert "Still invalid for orders after the edit (FIELD_MISSING)" in waiting[30]


def test_what_cannot_be_sent_waits_again_and_says_why(
    validator: Validator, write: Write, owner: User
) -> None:
    write(range(1), value=b"x" * 995_000, reason="NOT_JSON")
    write(range(1, 2), **{fields.TRUNCATED: b"40000000"})
    write(range(2, 4))
    index_all(validator)
    truncated = DeadLetter.objects.get(offset=1)
    shown = client_of(owner).get(f"{BASE}dead-letters/{truncated.pk}").json()
    assert shown["truncated"]
    assert shown["current_error"]["reason"] == "TOO_LARGE"
    made = client_of(owner).post(f"{BASE}redrives", {"all": True, "rate": 5000}).json()
    run_to_end(made["id"])
    body = client_of(owner).get(f"{BASE}redrives/{made['id']}").json()
    assert (body["state"], body["sent"], body["failed"]) == ("done", 2, 2)
    notes = dict(DeadLetter.objects.exclude(note="").values_list("offset", "note"))
    assert "With its headers" in notes[0]
    assert "truncated" in notes[1]


def test_what_the_target_refuses_waits_again_with_kafkas_reason(
    validator: Validator, write: Write, owner: User
) -> None:
    """A compacted topic takes no record without a key, and refuses the batch with it."""
    fields_of_rows = [{"name": "id", "type": "string"}, {"name": "n", "type": "long"}]
    table = {"kind": "table", "key": ["id"], "fields": fields_of_rows}
    topic = f"rows.{uuid.uuid4().hex[:8]}"
    made = {"name": "rows", "topic": topic, "create": {"partitions": 1}, "contract": table}
    client = client_of(owner)
    assert client.post("/api/v1/workspaces/ops/streams", made).status_code == 201
    write(range(3))
    write(range(3, 4), **{fields.KEY: None})
    write(range(4, 6))
    index_all(validator)
    redrive = client.post(f"{BASE}redrives", {"all": True, "rate": 5000, "to": "rows"}).json()
    run_to_end(redrive["id"])
    body = client.get(f"{BASE}redrives/{redrive['id']}").json()
    assert (body["state"], body["sent"], body["failed"], body["last_error"]) == ("done", 5, 1, "")
    (refused,) = DeadLetter.objects.filter(state="waiting")
    assert refused.offset == 3
    assert refused.note.startswith("Kafka refused it: ")
    assert len({headers[fields.REDRIVEN_FROM] for *_, headers in arrived(topic, 1)}) == 5
    delete_topics(home_profile(), [topic])


def test_a_letter_that_is_larger_than_the_target_takes_keeps_no_other_of_its_batch_back(
    validator: Validator, write: Write, owner: User
) -> None:
    topic = validator.stream.topic
    limit = ConfigEntry("max.message.bytes", "2000", incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic, incremental_configs=[limit])
    for future in admin(home_profile()).incremental_alter_configs([resource]).values():
        future.result(10)
    write(range(10), value=b"x" * 500)  # together they are larger, too
    write(range(10, 11), value=b"x" * 5_000)
    index_all(validator)
    redrive = client_of(owner).post(f"{BASE}redrives", {"all": True, "rate": 5000}).json()
    run_to_end(redrive["id"])
    body = client_of(owner).get(f"{BASE}redrives/{redrive['id']}").json()
    assert (body["state"], body["sent"], body["failed"], body["last_error"]) == ("done", 10, 1, "")
    (refused,) = DeadLetter.objects.filter(state="waiting")
    assert refused.offset == 10
    assert "Message size too large" in refused.note
    assert len(arrived(topic)) == 10


def test_a_letter_with_a_time_beyond_the_year_9999_is_listed_with_the_others(
    validator: Validator, write: Write, owner: User
) -> None:
    write(range(1))
    write(range(1, 2), **{fields.TIMESTAMP: b"1750000000000000"})  # microseconds for milliseconds
    write(range(2, 3))
    index_all(validator)
    rows = client_of(owner).get(f"{BASE}dead-letters").json()["results"]
    assert [row["offset"] for row in rows] == [2, 1, 0]
    assert rows[1]["timestamp"] == "9999-12-31T23:59:59.999999Z"
    assert client_of(owner).get(f"{BASE}dead-letters/{rows[1]['id']}").status_code == 200


def test_calling_it_off_between_two_slices(validator: Validator, write: Write, owner: User) -> None:
    write(range(40))
    index_all(validator)
    made = client_of(owner).post(f"{BASE}redrives", {"all": True, "rate": 20}).json()
    assert run_slice(made["id"]) is not None
    sent = Redrive.objects.get().sent
    assert sent == 10
    client_of(owner).post(f"{BASE}redrives/{made['id']}/cancel")
    assert run_slice(made["id"]) is None
    assert len(arrived(validator.stream.topic)) == sent
    assert DeadLetter.objects.filter(state="waiting").count() == 40 - sent
