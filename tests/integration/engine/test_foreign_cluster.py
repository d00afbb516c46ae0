"""A job reads from a cluster with TLS and a user, and its results come home; a wrong password is told as what it is."""

import threading
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from jobs.connections import ClusterProfile, Secrets, secret_place
from jobs.engine import key_file
from jobs.engine.clusters import Clusters
from jobs.engine.failures import failure_of
from jobs.engine.listener import ProgressListener
from jobs.engine.query import plan_of, start_query
from jobs.formats.contract import StreamContract
from jobs.messages import DesiredRun
from jobs.sealing import add_key, read_keys
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
    keys = foreign.folder / "seal.keys"
    if not keys.exists():
        add_key(keys)
    monkeypatch.setattr(key_file, "_told", [Secrets(keys)])
    return as_user(foreign, foreign.run(DOCUMENT, {"far": (foreign.topic("far"), CONTRACT)}, result_topic=bench.topic("results")), PASSWORD)


def as_user(foreign: Bench, run: DesiredRun, password: str) -> DesiredRun:
    server = foreign.kafka
    assert isinstance(server, SecuredKafka)
    sealed = read_keys(foreign.folder / "seal.keys").seal(password, secret_place("c1"))
    profile = ClusterProfile(
        cluster_id="c1",
        bootstrap=server.secured,
        security="SASL_SSL",
        mechanism="SCRAM-SHA-512",
        username="ann",
        password=sealed,
        ca=server.ca,
    )
    return run.model_copy(
        update={"sources": {name: source.model_copy(update={"cluster": profile}) for name, source in run.sources.items()}}
    )


def test_results_of_a_foreign_cluster_come_home(spark: SparkSession, foreign: Bench, bench: Bench, run: DesiredRun) -> None:
    source = run.sources["far"]
    foreign.produce(source.topic, [(1_767_261_600_000_000 + n, {"n": n}) for n in range(5)])
    query = start_query(spark, run, plan_of(run), bench.home, ProgressListener(lambda progress: None, threading.Event().set))
    results = bench.results(run)

    def arrived() -> bool:
        assert query.exception() is None, query.exception()
        return len(results.read()) == 5

    try:
        wait_until(arrived, 120, "five rows come home")
        assert sorted(row["twice"] for row in results.content.values()) == [0, 2, 4, 6, 8]
        assert PASSWORD not in run.model_dump_json()
        assert Clusters().end_offsets(source.cluster, [(source.topic, 0)]) == {(source.topic, 0): 5}
    finally:
        query.stop()
        results.close()


def test_a_wrong_password_is_told_without_it(spark: SparkSession, foreign: Bench, bench: Bench, run: DesiredRun) -> None:
    wrong = as_user(foreign, run, "not-the-password")
    ended = threading.Event()
    query = start_query(spark, wrong, plan_of(wrong), bench.home, ProgressListener(lambda progress: None, ended.set))
    try:
        wait_until(lambda: query.exception() is not None, 120, "the query ends")
        failure = failure_of(str(query.exception()), "StreamingQueryException")
        assert (failure.code, failure.permanent) == ("CREDENTIALS_REFUSED", True)
        assert "not-the-password" not in failure.model_dump_json()
    finally:
        query.stop()
