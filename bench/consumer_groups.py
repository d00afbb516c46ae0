"""What it costs to watch all consumer groups of a broker, beside asking for each group by itself.

Every partition of every group is behind, and every topic gets records between two passes: nothing is settled.
"""

import json
import os
import time
from collections.abc import Callable
from concurrent.futures import as_completed
from pathlib import Path
from typing import Any, Final

import django
import psutil
from confluent_kafka import ConsumerGroupTopicPartitions, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec
from django.core.management import call_command

from bench.usage import Strangers
from tests.support.kafka_node import KafkaServer

PARTITIONS: Final = 50
TOPICS: Final = 10
_AT_ONCE: Final = 100  # requests of the setup


def measure(folder: Path, groups: int, passes: int) -> dict[str, Any]:
    """Commit offsets of many groups, then read them all again and again, in both ways.

    Args:
        folder: new, for the broker and the database.
        groups: their number, of 50 partitions each.
        passes: of each way.

    Returns:
        groups, partitions (of each), and by way (each_group, read, pass): requests, cpu_ms and broker_cpu_ms,
        seconds; all per pass, the median. read: fetching alone; pass: with healths, forecasts and the
        database.
    """
    server = KafkaServer(folder / "kafka")
    server.start()
    try:
        _set_up(server, folder, groups)
        from weir.clusters.services.clients import home_profile  # noqa: PLC0415 - after Django's settings
        from weir.consumer_groups.services.cluster_pass import ClusterPass  # noqa: PLC0415
        from weir.consumer_groups.services.cluster_reader import ClusterReader  # noqa: PLC0415
        from weir.consumer_groups.services.lease import renew  # noqa: PLC0415

        strangers = Strangers(folder)
        reader, whole = ClusterReader(home_profile()), ClusterPass(home_profile(), "bench")
        renew("bench", ["home"])
        writer = _writer(server)
        each = _EachGroup(server.bootstrap)
        numbers = {
            "each_group": _measured(server, each.read, passes, writer),
            "read": _measured(server, lambda: reader.read().requests, passes, writer),
            "pass": _measured(server, lambda: _whole_pass(whole), passes, writer),
        }
        reader.close()
        whole.close()
    finally:
        server.stop()
    return {"groups": groups, "partitions": PARTITIONS, **numbers, "strangers": strangers.cores()}


def _set_up(server: KafkaServer, folder: Path, groups: int) -> None:
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "weir.project.settings",
        "WEIR_DATA_DIR": str(folder / "data"),
        "KAFKA_BOOTSTRAP_SERVERS": server.bootstrap,
    }
    django.setup()
    for alias in ("default", "results"):
        call_command("migrate", database=alias, verbosity=0)
    for number in range(TOPICS):
        server.create_topic(f"t{number}", PARTITIONS)
    _writer(server)()
    client = AdminClient({"bootstrap.servers": server.bootstrap})
    for first in range(0, groups, _AT_ONCE):
        futures: dict[str, Any] = {}
        for number in range(first, min(groups, first + _AT_ONCE)):
            wanted = [TopicPartition(f"t{number % TOPICS}", partition, 1) for partition in range(PARTITIONS)]
            futures |= client.alter_consumer_group_offsets(
                [ConsumerGroupTopicPartitions(f"group-{number}", wanted)]
            )
        for future in as_completed(futures.values()):
            future.result()


def _writer(server: KafkaServer) -> Callable[[], None]:
    producer: Any = Producer({"bootstrap.servers": server.bootstrap, "linger.ms": 20})

    def write() -> None:
        for topic in range(TOPICS):
            for partition in range(PARTITIONS):
                for _ in range(3):
                    producer.produce(f"t{topic}", b"x", partition=partition)
        producer.flush(30)

    return write


def _measured(
    server: KafkaServer, work: Callable[[], int], passes: int, between: Callable[[], None]
) -> dict[str, float]:
    """The median pass of several, after one that finds brokers and opens connections."""
    work()
    broker = psutil.Process(server.pid)
    found = []
    for _ in range(passes):
        between()
        cpu, broker_cpu, began = time.process_time(), sum(broker.cpu_times()[:2]), time.monotonic()
        requests = work()
        found.append(
            {
                "requests": requests,
                "cpu_ms": (time.process_time() - cpu) * 1000,
                "broker_cpu_ms": (sum(broker.cpu_times()[:2]) - broker_cpu) * 1000,
                "seconds": time.monotonic() - began,
            }
        )
    return sorted(found, key=lambda one: one["cpu_ms"])[len(found) // 2]


def _whole_pass(whole: Any) -> int:
    from weir.consumer_groups.models import ClusterWatch  # noqa: PLC0415

    ClusterWatch.objects.filter(pk="home").update(expires_us=2**62)
    whole.run()
    watch = ClusterWatch.objects.get(pk="home")
    if watch.error:
        raise RuntimeError(watch.error)
    return watch.requests


class _EachGroup:
    """What a tool does that asks for each group: its members, its offsets, the ends of its partitions."""

    def __init__(self, bootstrap: str) -> None:
        self._statistics: dict[str, int] = {}
        self._client: Any = AdminClient(
            {"bootstrap.servers": bootstrap, "statistics.interval.ms": 200, "stats_cb": self._count}
        )

    def _count(self, text: str) -> None:
        brokers = json.loads(text)["brokers"].values()
        sums: dict[str, int] = {}
        for broker in brokers:
            for kind, count in broker["req"].items():
                sums[kind] = sums.get(kind, 0) + count
        self._statistics = sums

    def read(self) -> int:
        """One pass; how many requests it took."""
        before = self._sent()
        groups = [each.group_id for each in self._client.list_consumer_groups().result().valid]
        for first in range(0, len(groups), _AT_ONCE):
            self._read(groups[first : first + _AT_ONCE])
        return self._sent() - before

    def _read(self, groups: list[str]) -> None:
        described = [self._client.describe_consumer_groups([name])[name] for name in groups]
        committed = [
            self._client.list_consumer_group_offsets([ConsumerGroupTopicPartitions(name)])[name]
            for name in groups
        ]
        ends = []
        for future in committed:
            specs = {
                TopicPartition(each.topic, each.partition): OffsetSpec.latest()
                for each in future.result().topic_partitions
            }
            ends += self._client.list_offsets(specs).values()
        for future in [*described, *ends]:
            future.result()

    def _sent(self) -> int:
        until = time.monotonic() + 0.5  # two statistics
        while time.monotonic() < until:
            self._client.poll(0.1)
        return sum(self._statistics.values())
