"""Weir as docker-compose.yml starts it: every role by itself, as a user without rights; and two of each."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest
from confluent_kafka.admin import AdminClient

from tests.chaos.jobs import Job, assert_exact, await_life, create, one_in_each_mode, register
from tests.chaos.load import Load
from tests.support.compose_system import ROLES, ComposeSystem
from tests.support.forwarder import Forwarder, target_of
from tests.support.kafka_cluster import KafkaCluster
from tests.support.other_user import other_user
from tests.support.processes import ServerProcess, wait_until
from tests.support.rest import Rest

pytestmark = [
    pytest.mark.integration,
    pytest.mark.chaos,
    pytest.mark.long,
    pytest.mark.timeout(1500),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root may start processes as another user"),
]


@contextmanager
def started(system: ComposeSystem) -> Iterator[ComposeSystem]:
    """It is ended whatever the test does; on failure the ends of all logs are shown."""
    try:
        system.start()
        yield system
    except BaseException:
        print(system.tails())
        raise
    finally:
        system.stop()


@pytest.fixture(autouse=True)
def logs() -> None:
    """In place of the shared system's."""


def test_every_role_of_the_compose_file_does_its_part(stream_name: str) -> None:
    with started(ComposeSystem()) as system:
        for role in ("web", "valkey"):
            wait_until(lambda role=role: system.is_healthy(role), 60, f"{role} is healthy")
        rest = system.rest(system.addresses[0])
        register(rest, stream_name)
        job = create(rest, "counted", stream_name, "microbatch")
        assert system.kafka is not None
        access = system.kafka.options()
        with Load(access["bootstrap.servers"], stream_name, access=access) as load:
            job.start()
            await_life([job], load)
            expected = load.finish()
            assert_exact(job, expected, 120)
        assert {role for role in ROLES if not system.processes[f"{role}-0"].alive} == set()
        names, users = set[str](), set[str]()
        for pid in system.pids():
            with suppress(psutil.NoSuchProcess):  # what a JVM has forked ends at once
                names.add(psutil.Process(pid).name())
                users.add(psutil.Process(pid).username())
        assert users == {other_user()}
        assert "java" in names, "an engine runs among them"
        stop(rest, [job])


def test_two_of_each_and_three_brokers_lose_one_of_each(
    stream_name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    cluster = KafkaCluster(tmp_path_factory.mktemp("cluster"))
    try:
        cluster.start()
        settings = {"KAFKA_SECURITY": "PLAINTEXT", "KAFKA_MECHANISM": "", "KAFKA_USERNAME": ""}
        settings |= {"KAFKA_PASSWORD_FILE": "", "WEIR_KAFKA_REPLICATION": "3"}
        with started(ComposeSystem({"web": 2, "worker": 2}, settings, cluster.bootstrap)) as system:
            lose_one_of_each(system, cluster, stream_name)
    finally:
        cluster.stop()


def lose_one_of_each(system: ComposeSystem, cluster: KafkaCluster, stream_name: str) -> None:
    """Jobs go on, and people too, whichever of the two dies."""
    address = Forwarder(*(target_of(each.removeprefix("http://")) for each in system.addresses))
    rest = system.rest(f"http://{address.address}")
    jobs = one_in_each_mode(rest, stream_name)
    with Load(cluster.bootstrap, stream_name) as load:
        for job in jobs:
            job.start()
        await_life(jobs, load)
        for victim in (system.processes["web-0"], system.processes["worker-0"], leader(cluster, stream_name)):
            victim.kill()
            await_life(jobs, load)
        late = create(rest, "started-with-half", stream_name, "microbatch")
        late.start()
        expected = load.finish()
        for job in (*jobs, late):
            assert_exact(job, expected, 240)
    for job in jobs:
        assert [each["epoch"] for each in job.executions()] == [1], "no run was started again for it"
    stop(rest, [*jobs, late])
    address.close()


def test_the_jobs_of_an_engine_host_that_is_gone_go_on_at_the_others(stream_name: str) -> None:
    with started(ComposeSystem({"engine-host": 2}, {"WEIR_STANDBY": "false"})) as system:
        wait_until(lambda: len(hosts(system)) == 2, 60, "both hosts are heard")
        rest = system.rest(system.addresses[0])
        register(rest, stream_name)
        jobs = [
            create(rest, "shared", stream_name, "microbatch"),
            create(rest, "its-own", stream_name, "microbatch", engine="dedicated"),
        ]
        assert system.kafka is not None
        access = system.kafka.options()
        with Load(access["bootstrap.servers"], stream_name, access=access) as load:
            for job in jobs:
                job.start()
            await_life(jobs, load)
            assert [line.split(": ")[1].partition(",")[0] for line in hosts(system)] == ["1 engine"] * 2
            lose_host(system, "engine-host-1")
            wait_until(lambda: "silent" in hosts(system)[1], 120, "its silence is noticed")
            system.manage("engine_hosts", "--forget", "engines.engine-host-1")
            await_life(jobs, load)
            expected = load.finish()
            for job in jobs:
                assert_exact(job, expected, 240)
        (line,) = hosts(system)
        assert line.startswith("engines.engine-host: 2 engines,")
        assert sorted(len(job.executions()) for job in jobs) == [1, 2], "only one of the engines was there"
        stop(rest, jobs)


def hosts(system: ComposeSystem) -> list[str]:
    """What is said of each engine host."""
    return system.manage("engine_hosts").splitlines()


def lose_host(system: ComposeSystem, name: str) -> None:
    """Its worker and all that this started, which are its engines, die at once.

    An engine's environment does not name its host, so it is found below the worker.
    """
    told = f"WEIR_HOST_QUEUE=engines.{name}\0"
    found: set[psutil.Process] = set()
    for pid in system.pids():
        with suppress(OSError, psutil.NoSuchProcess):
            if told in Path(f"/proc/{pid}/environ").read_text():
                process = psutil.Process(pid)
                found |= {process, *process.children(recursive=True)}
    assert any("org.apache.spark.deploy.SparkSubmit" in command_of(each) for each in found), (
        "it has an engine"
    )
    for process in found:
        with suppress(psutil.NoSuchProcess):
            process.kill()


def command_of(process: psutil.Process) -> list[str]:
    """Its command line; empty once it has ended, even if nobody has asked yet how."""
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []


def leader(cluster: KafkaCluster, topic: str) -> ServerProcess:
    """The node that leads the topic's first partition."""
    found = AdminClient({"bootstrap.servers": cluster.bootstrap}).list_topics(topic, timeout=10)
    return cluster.nodes[found.topics[topic].partitions[0].leader - 1]


def stop(rest: Rest, jobs: list[Job]) -> None:
    """As a person does."""
    for job in jobs:
        rest.post(f"jobs/{job.id}/stop")
        job.await_state("stopped", 60)
