"""A job that reads from a cluster with TLS and a user and writes results home; and a wrong password."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import KafkaException
from pyspark.sql import SparkSession

from jobs.connections import ClusterProfile, PasswordDecryptor, password_context
from jobs.encryption import add_key, read_keys
from jobs.engine import key_file
from jobs.engine.failures import failure_of
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.engine.listener import ProgressListener
from jobs.engine.progress import read_progress
from jobs.engine.query import plan_of, start_query
from jobs.engine.topic_checks import find_lost_topic
from jobs.formats.contract import StreamContract
from jobs.kafka_messages import DesiredRun, Positions
from tests.support.processes import wait_until
from tests.support.secured_kafka import SecuredKafka
from tests.support.spark_engine import Bench

pytestmark = pytest.mark.integration

CONTRACT = StreamContract.model_validate({"fields": [{"name": "n", "type": "long", "nullable": False}]})
DOCUMENT = {
    "format": 1,
    "name": "far",
    "sources": {"far": {"stream": "far"}},
    "steps": {"double": {"op": "derive", "input": "far", "fields": {"twice": "n * 2"}}},
    "outputs": {"live": {"input": "double", "to": "result"}},
}
BOTH: dict[str, Any] = DOCUMENT | {
    "sources": {"near": {"stream": "near"}, "far": {"stream": "far"}},
    "steps": {"all": {"op": "union", "inputs": ["near", "far"], "source_field": "origin"}},
    "outputs": {"live": {"input": "all", "to": "result"}},
}
PASSWORD = 'a "quoted\\ pass=word'


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    server = SecuredKafka(tmp_path_factory.mktemp("foreign"), "plain-password")
    server.start()
    server.set_password("ann", PASSWORD)
    yield Bench(server, tmp_path_factory.mktemp("far"))
    server.stop()


@pytest.fixture
def run(foreign: Bench, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> DesiredRun:
    """A run that reads from there as ann."""
    keys = foreign.folder / "encryption.keys"
    if not keys.exists():
        add_key(keys)
    monkeypatch.setattr(key_file, "_current", [PasswordDecryptor(keys)])
    return as_user(
        foreign,
        foreign.run(DOCUMENT, {"far": (foreign.topic("far"), CONTRACT)}, result_topic=bench.topic("results")),
        PASSWORD,
    )


def as_user(foreign: Bench, run: DesiredRun, password: str) -> DesiredRun:
    server = foreign.kafka
    assert isinstance(server, SecuredKafka)
    encrypted = read_keys(foreign.folder / "encryption.keys").encrypt(password, password_context("c1"))
    profile = ClusterProfile(
        cluster_id="c1",
        bootstrap=server.secured,
        security="SASL_SSL",
        mechanism="SCRAM-SHA-512",
        username="ann",
        password=encrypted,
        ca=server.ca,
    )
    return run.model_copy(
        update={
            "sources": {
                name: source.model_copy(update={"cluster": profile}) for name, source in run.sources.items()
            }
        }
    )


def test_results_of_a_foreign_cluster_come_home(
    spark: SparkSession, foreign: Bench, bench: Bench, run: DesiredRun
) -> None:
    source = run.sources["far"]
    foreign.produce(source.topic, [(1_767_261_600_000_000 + n, {"n": n}) for n in range(5)])
    query = start_query(
        spark, run, plan_of(run), bench.home, ProgressListener(lambda progress: None, threading.Event().set)
    )
    results = bench.results(run)

    def arrived() -> bool:
        assert query.exception() is None, query.exception()
        return len(results.read()) == 5

    try:
        wait_until(arrived, 120, "five rows come home")
        assert sorted(row["twice"] for row in results.content.values()) == [0, 2, 4, 6, 8]
        assert PASSWORD not in run.model_dump_json()
        assert KafkaAdmins().end_offsets(source.cluster, [(source.topic, 0)]) == {(source.topic, 0): 5}
    finally:
        query.stop()
        results.close()


def test_topics_of_one_name_on_two_clusters_stay_apart(
    spark: SparkSession, foreign: Bench, bench: Bench, run: DesiredRun
) -> None:
    far = run.sources["far"]
    bench.kafka.create_topic(far.topic, 1, {"retention.ms": "-1"})
    near = far.model_copy(
        update={"stream": "near", "cluster": bench.home, "topic_id": bench.kafka.topic_id(far.topic)}
    )
    both = run.model_copy(update={"document": BOTH, "sources": {"near": near, "far": far}})
    bench.produce(near.topic, [(1_767_261_600_000_000 + n, {"n": n}) for n in range(3)])
    foreign.produce(far.topic, [(1_767_261_600_000_000 + n, {"n": 100 + n}) for n in range(5)])
    progress: list[str] = []
    query = start_query(
        spark, both, plan_of(both), bench.home, ProgressListener(progress.append, threading.Event().set)
    )
    results = bench.results(both)

    def arrived() -> bool:
        assert query.exception() is None, query.exception()
        return len(results.read()) == 8

    try:
        wait_until(arrived, 120, "eight rows come home")
        assert sorted((row["origin"], row["n"]) for row in results.content.values())[3:6] == [
            ("far", 103),
            ("far", 104),
            ("near", 0),
        ]
        wait_until(
            lambda: any(_committed(text, both) == {"near": {0: 3}, "far": {0: 5}} for text in progress),
            60,
            "positions are reported",
        )
    finally:
        query.stop()
        results.close()


def _committed(progress: str, run: DesiredRun) -> Positions:
    return read_progress(progress, run).committed


@pytest.mark.thorough
def test_a_wrong_password_is_reported_without_it(
    spark: SparkSession, foreign: Bench, bench: Bench, run: DesiredRun
) -> None:
    wrong = as_user(foreign, run, "not-the-password")
    ended = threading.Event()
    query = start_query(
        spark, wrong, plan_of(wrong), bench.home, ProgressListener(lambda progress: None, ended.set)
    )
    try:
        wait_until(lambda: query.exception() is not None, 120, "the query ends")
        failure = failure_of(str(query.exception()), "StreamingQueryException")
        assert (failure.code, failure.permanent) == ("AUTHENTICATION_FAILED", True)
        assert "not-the-password" not in failure.model_dump_json()
    finally:
        query.stop()


def test_a_wrong_password_is_known_before_a_query_starts(
    foreign: Bench, bench: Bench, run: DesiredRun
) -> None:
    wrong = as_user(foreign, run, "not-the-password")
    with pytest.raises(KafkaException) as refused:
        find_lost_topic(wrong, KafkaAdmins(bench.home), bench.home)
    failure = failure_of(refused.value)
    assert (failure.code, failure.permanent) == ("AUTHENTICATION_FAILED", True)


@pytest.mark.long
def test_an_old_password_is_known_although_a_client_was_made_with_it(
    foreign: Bench, bench: Bench, run: DesiredRun
) -> None:
    """librdkafka tries it as long as the client lives, and says that no broker responds."""
    server, admins = foreign.kafka, KafkaAdmins(bench.home)
    assert isinstance(server, SecuredKafka)
    assert find_lost_topic(run, admins, bench.home) is None
    server.set_password("ann", "another")
    server.stop()
    server.start()

    def refused() -> bool:
        try:
            find_lost_topic(run, admins, bench.home)
        except KafkaException as error:
            return failure_of(error).code == "AUTHENTICATION_FAILED"
        return False

    wait_until(refused, 60, "the password is refused")
    assert not admins._admins.keys() & {run.sources["far"].cluster}
