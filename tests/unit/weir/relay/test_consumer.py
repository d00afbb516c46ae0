"""The consumer of result topics, beside a broker that does not answer its clients."""

from collections.abc import Collection, Mapping
from contextlib import closing
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import OffsetSpec
from django.db import OperationalError
from pytest_django import Settings

from tests.support.processes import free_ports
from weir.clusters.services.topics import TopicInfo
from weir.relay import consumer
from weir.relay.consumer import RelayConsumer
from weir.relay.lanes import Lanes
from weir.relay.result_topics import FollowedTopic
from weir.results.models import ResultRow, ResultTopic
from weir.results.services import purge, store
from weir.results.services.store import TopicPosition, move_offset, open_topic

pytestmark = pytest.mark.django_db(databases=["default", "results"])


def test_a_topic_that_the_client_did_not_take_is_not_taken_for_read(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    (port,) = free_ports(1)
    settings.KAFKA_BOOTSTRAP_SERVERS = f"127.0.0.1:{port}"
    monkeypatch.setattr(
        consumer, "describe_topics", lambda _, topics: {topic: TopicInfo(topic, "id", 1) for topic in topics}
    )
    monkeypatch.setattr(
        consumer, "known_offsets", lambda _, specs: {(at.topic, at.partition): 5 for at in specs}
    )
    assign, assigned = Lanes.assign, list[str]()

    def fail_once(lanes: Lanes, offsets: Mapping[str, Mapping[int, int]], heavy: Collection[str]) -> None:
        assigned.extend(offsets)
        if len(assigned) == 1:
            raise KafkaException(KafkaError(KafkaError._CONFLICT))
        assign(lanes, offsets, heavy)

    monkeypatch.setattr(Lanes, "assign", fail_once)
    followed = {"results": FollowedTopic("job", 1, "job.1-r", "results", None, append_only=False)}
    with closing(RelayConsumer()) as reading:
        with pytest.raises(KafkaException):
            reading.assign_results(followed)
        assert not reading.buffers
        reading.assign_results(followed)
        assert (list(reading.buffers), assigned) == (["results"], ["results", "results"])


def test_a_topic_that_the_database_refuses_keeps_no_other_from_being_read(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    (port,) = free_ports(1)
    settings.KAFKA_BOOTSTRAP_SERVERS = f"127.0.0.1:{port}"
    monkeypatch.setattr(
        consumer, "describe_topics", lambda _, topics: {topic: TopicInfo(topic, "id", 1) for topic in topics}
    )
    monkeypatch.setattr(
        consumer, "known_offsets", lambda _, specs: {(at.topic, at.partition): 5 for at in specs}
    )

    def refuse(*, job_id: str, **more: Any) -> TopicPosition:
        if job_id == "refused":
            raise OperationalError("canceling statement due to statement timeout")
        return open_topic(job_id=job_id, **more)

    monkeypatch.setattr(consumer, "open_topic", refuse)
    followed = {
        job: FollowedTopic(job, 1, f"{job}.1-r", job, None, append_only=False)
        for job in ("first", "refused", "last")
    }
    with closing(RelayConsumer()) as reading:
        for read in (["first"], ["first", "last"], ["first", "last"]):
            with pytest.raises(OperationalError):
                reading.assign_results(followed)
            assert list(reading.buffers) == read


def test_many_rows_that_have_to_go_first_do_so_in_slices(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else's results are stored while one of them is deleted."""
    (port,) = free_ports(1)
    settings.KAFKA_BOOTSTRAP_SERVERS = f"127.0.0.1:{port}"
    monkeypatch.setattr(purge, "SLICE_ROWS", 2)
    monkeypatch.setattr(store, "SLICE_ROWS", 2)
    monkeypatch.setattr(
        consumer, "describe_topics", lambda _, topics: {topic: TopicInfo(topic, "new", 1) for topic in topics}
    )
    monkeypatch.setattr(
        consumer, "known_offsets", lambda _, specs: {(at.topic, at.partition): 5 for at in specs}
    )
    open_topic(job_id="job", generation=1, topic="results", topic_id="old", partitions=1)
    ResultRow.objects.using("results").bulk_create(
        ResultRow(
            job_id="job", generation=1, digest=str(at), key=str(at), value="{}", newest_input_us=at,
            epoch=1, partition=0, offset=at, timestamp_ms=at,
        )
        for at in range(5)
    )  # fmt: skip
    followed = {"results": FollowedTopic("job", 1, "job.1-r", "results", None, append_only=False)}
    left = []
    with closing(RelayConsumer()) as reading:
        while not reading.buffers:
            reading.assign_results(followed)
            left.append(ResultRow.objects.using("results").count())
    assert left == [3, 1, 0]
    assert ResultTopic.objects.get().topic_id == "new"


def test_what_the_database_has_lost_is_read_again(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    (port,) = free_ports(1)
    settings.KAFKA_BOOTSTRAP_SERVERS = f"127.0.0.1:{port}"
    monkeypatch.setattr(
        consumer, "describe_topics", lambda _, topics: {topic: TopicInfo(topic, "id", 2) for topic in topics}
    )
    monkeypatch.setattr(
        consumer,
        "known_offsets",
        lambda _, specs: {
            (at.topic, at.partition): 0 if _is_earliest(spec) else 9 for at, spec in specs.items()
        },
    )
    followed = {
        job: FollowedTopic(job, 1, f"{job}.1-r", job, None, append_only=True)
        for job in ("idle", "moved on", "back", "gone", "back to 0")
    }
    opened = {
        job: open_topic(job_id=job, generation=1, topic=job, topic_id="id", partitions=2).pk
        for job in followed
    }
    for pk in opened.values():
        move_offset(pk, 1, 0, 5)
    with closing(RelayConsumer()) as reading:
        reading.assign_results(followed)
        move_offset(opened["moved on"], 1, 5, 6)  # by another relay
        move_offset(opened["back"], 1, 5, 3)
        move_offset(opened["back to 0"], 1, 5, 0)
        ResultTopic.objects.filter(pk=opened["gone"]).delete()
        reading.drop_lost()
        assert list(reading.buffers) == ["idle", "moved on"]
        reading.assign_results(followed)
        begins = {topic: buffer.next_offsets[1] for topic, buffer in reading.buffers.items()}
        assert begins == {"idle": 5, "moved on": 5, "back": 3, "gone": 0, "back to 0": 0}
        reading.drop_lost()
        assert len(reading.buffers) == 5


def _is_earliest(spec: OffsetSpec) -> bool:
    return bool(spec == OffsetSpec.earliest())


@pytest.mark.parametrize(
    ("append_only", "since", "begins"),
    [
        (False, 8, 0),  # tombstones before 8 may be gone
        (False, 3, 4),
        (False, -1, 0),  # nothing is as new: all that was missed is old
        (True, 8, 4),  # it has no tombstones
    ],
)
def test_what_was_stored_too_long_ago_to_have_seen_every_deletion_is_read_anew(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, append_only: bool, since: int, begins: int
) -> None:
    """As after the database of results was restored from an old copy."""
    (port,) = free_ports(1)
    settings.KAFKA_BOOTSTRAP_SERVERS = f"127.0.0.1:{port}"
    pk = open_topic(job_id="job", generation=1, topic="results", topic_id="id", partitions=1).pk
    move_offset(pk, 0, 0, 4)

    def offsets(_: object, specs: dict[TopicPartition, OffsetSpec]) -> dict[tuple[str, int], int]:
        ((at, spec),) = specs.items()
        asked = {OffsetSpec.earliest(): 0, OffsetSpec.latest(): 10}
        return {(at.topic, at.partition): asked.get(spec, since)}

    monkeypatch.setattr(
        consumer, "describe_topics", lambda _, topics: {topic: TopicInfo(topic, "id", 1) for topic in topics}
    )
    monkeypatch.setattr(consumer, "known_offsets", offsets)
    with closing(RelayConsumer()) as reading:
        reading.assign_results(
            {"results": FollowedTopic("job", 1, "job.1-r", "results", None, append_only=append_only)}
        )
        assert reading.buffers["results"].next_offsets == {0: begins}
