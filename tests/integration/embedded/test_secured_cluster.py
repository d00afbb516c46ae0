"""A job and a validator on a second cluster with TLS and SCRAM, whose password changes while they run."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from confluent_kafka import Consumer, KafkaException

from jobs.formats import dead_letters as kept
from tests.chaos.jobs import START_SECONDS, Job, assert_exact, create
from tests.chaos.load import CONTRACT as LOAD
from tests.chaos.load import Load
from tests.chaos.test_validator import (
    await_validated,
    check_counts,
    check_dead_letters,
    redrive_group,
    validation,
)
from tests.support.bad_records import CONTRACT, PARTITIONS, produce
from tests.support.processes import wait_until
from tests.support.rest import Rest
from tests.support.secured_kafka import SecuredKafka
from tests.support.spark_engine import TopicReader
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.whole_system, pytest.mark.long, pytest.mark.timeout(1200)]
RECORDS = 20_000


@pytest.fixture(scope="module")
def far(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredKafka]:
    server = SecuredKafka(tmp_path_factory.mktemp("far"), "plain-password")
    server.start()
    server.set_password("ann", "first")
    yield server
    server.stop()


@pytest.fixture(scope="module")
def rest(system: System) -> Rest:
    return system.rest("secured", f"secured-{uuid4().hex[:6]}")


@pytest.fixture(scope="module")
def cluster(rest: Rest, far: SecuredKafka) -> str:
    return str(rest.post("clusters", {"name": "Far", **far.scram("ann", "first")})["id"])


def register(rest: Rest, cluster: str, contract: dict[str, Any]) -> str:
    name = f"far_{uuid4().hex[:6]}"
    create = {"partitions": PARTITIONS, "retention_ms": None}
    rest.post(
        "streams",
        {
            "name": name,
            "description": "",
            "cluster": cluster,
            "topic": name,
            "create": create,
            "contract": contract,
        },
    )
    return name


def connects(far: SecuredKafka, password: str) -> bool:
    """Whether a client of its own opens the cluster with this password."""
    said: list[Any] = []
    client = Consumer({
        "bootstrap.servers": far.secured, "security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": "ann",
        "sasl.password": password, "ssl.ca.pem": far.ca, "group.id": "tests", "log_level": 0,
        "error_cb": said.append,
    })  # fmt: skip
    try:
        client.list_topics(timeout=5)
    except KafkaException:
        return False
    finally:
        client.close()
    return True


def test_a_validator_keeps_dead_letters_there(
    rest: Rest, far: SecuredKafka, cluster: str, system: System
) -> None:
    stream = register(rest, cluster, CONTRACT)
    produced = produce(far.bootstrap, stream, RECORDS)
    rest.request("PUT", f"streams/{stream}/validation", {"on": True})
    try:
        await_validated(rest, stream, produced.count, START_SECONDS)
        check_counts(rest, stream, produced)
        check_dead_letters(rest, stream, produced)
        topic = validation(rest, stream)["dead_letter_topic"]
        reader = TopicReader(far.bootstrap, topic, PARTITIONS)
        found = {
            (int(each.headers[kept.PARTITION]), int(each.headers[kept.OFFSET])): each
            for each in reader.to_end()
        }
        reader.close()
        assert {
            coordinates: (each.headers[kept.REASON], each.value) for coordinates, each in found.items()
        } == produced.bad
        home = Consumer({"bootstrap.servers": system.bootstrap, "group.id": "tests"})
        assert topic not in home.list_topics(timeout=10).topics
        home.close()
        redrive_group(rest, stream, produced)
    finally:
        print(system.tails())
        rest.request("PUT", f"streams/{stream}/validation", {"on": False})


def test_the_password_changes_while_a_job_and_a_validator_run(
    rest: Rest, far: SecuredKafka, cluster: str, system: System
) -> None:
    stream = register(rest, cluster, LOAD)
    job = create(rest, f"far_{stream}", stream, "realtime")
    job.start()
    rest.request("PUT", f"streams/{stream}/validation", {"on": True})
    try:
        change_the_password(rest, far, cluster, stream, job)
    finally:  # the cluster ends with these tests, the system does not
        far.set_password("ann", "first")  # also for the other test
        rest.request("PUT", f"clusters/{cluster}", {"name": "Far", **far.scram("ann", "first")})
        rest.delete(f"jobs/{job.id}")
        rest.request("PUT", f"streams/{stream}/validation", {"on": False})


def change_the_password(rest: Rest, far: SecuredKafka, cluster: str, stream: str, job: Job) -> None:
    with Load(far.bootstrap, stream) as load:
        wait_until(lambda: job.counted() > 500, 120, "records are counted")
        await_validated(rest, stream, 500, START_SECONDS)
        body = {"name": "Far", **far.scram("ann", "mistyped")}
        rest.request("PUT", f"clusters/{cluster}", body)
        wait_until(
            lambda: any("still uses the old" in row["text"] for row in events(rest, job)),
            60,
            "it is said that it cannot be",
        )
        before = job.counted()
        sent = len(load.sent)
        wait_until(lambda: job.counted() > before, 60, "the job runs on meanwhile")
        await_validated(rest, stream, sent, 60)  # so does the validator
        wait_until(
            lambda: validation(rest, stream)["last_error"], 60, "it is said that the validator can't use it"
        )

        assert connects(far, "first")
        far.set_password("ann", "second")
        rest.request("PUT", f"clusters/{cluster}", body | far.scram("ann", "second"))
        wait_until(lambda: len(job.executions()) == 2, 120, f"the job's next epoch begins; {job.state()}")
        job.await_state("running", START_SECONDS)
        sent = len(load.sent)
        wait_until(lambda: job.counted() > sent, 120, "records sent since are counted")
        await_validated(rest, stream, sent, START_SECONDS)
        expected = load.finish()
    assert_exact(job, expected, 120)
    await_validated(rest, stream, len(load.sent), 120)
    counts = validation(rest, stream)["counts"]
    assert (counts["records"], counts["valid"], counts["malformed"]) == (len(load.sent), len(load.sent), 0)
    assert connects(far, "second")
    assert not connects(far, "first")
    result = rest.post("clusters/test", far.scram("ann", "first"))
    assert [row["check"] for row in result["checks"] if row["state"] == "failed"] == ["authenticate"], result
    assert "first" not in str(rest.get(f"clusters/{cluster}"))
    print(
        f"{len(load.sent)} records, counted once by job and validator; "
        f"executions: {[row['end_reason'] for row in job.executions()]}"
    )


def events(rest: Rest, job: Job) -> list[dict[str, Any]]:
    return [row for row in rest.get("overview")["events"] if row["job_id"] == job.id]
