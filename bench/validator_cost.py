"""What a stream's validator costs at a steady load: CPU of the engine that runs nothing but it."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from bench.usage import Strangers, cpu_seconds, with_children
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.engine.listener import ProgressListener
from jobs.engine.validator import start_validator
from jobs.formats.contract import StreamContract
from jobs.kafka_messages import DesiredRun
from tests.support.bad_records import CONTRACT, PARTITIONS, SHARE, produce
from tests.support.kafka_node import KafkaServer
from tests.support.spark_engine import Bench
from tests.support.spark_session import local_session

RATE = 1_000  # records/s
TRIGGER_MS = 5_000  # as the platform starts validators


def measure(folder: Path, warm_seconds: int, seconds: int) -> dict[str, Any]:
    """Run a validator over a topic into which records flow.

    Args:
        folder: new, for the broker, the session and the checkpoint.
        warm_seconds: of the same load before the measurement, while the JVM compiles.
        seconds: how long to measure.

    Returns:
        rate (records/s), malformed (their share), seconds, cores (CPU seconds per second of the JVM),
        idle_cores (the same without the validator), strangers (cores).
    """
    server = KafkaServer(folder / "kafka")
    server.start()
    try:
        with local_session(folder) as spark:
            bench, strangers = Bench(server, folder), Strangers(folder)
            idle = _cores(lambda: time.sleep(seconds))
            run = _validator(bench)
            query = start_validator(
                spark,
                run,
                bench.home,
                ProgressListener(lambda _: None, lambda: None),
                lambda _batch, _ranges: None,
                KafkaAdmins(),
            )
            topic = run.sources["records"].topic
            _load(server, topic, warm_seconds)
            used = _cores(lambda: _load(server, topic, seconds))
            query.stop()
            return {
                "rate": RATE,
                "malformed": SHARE,
                "seconds": seconds,
                "cores": round(used, 3),
                "idle_cores": round(idle, 3),
                "strangers": strangers.cores(),
            }
    finally:
        server.stop()


def _validator(bench: Bench) -> DesiredRun:
    topic = bench.topic("steady", PARTITIONS)
    contract = StreamContract.model_validate(CONTRACT)
    sources: dict[str, Any] = {"sources": {"records": {"stream": "s"}}}
    return bench.run(
        sources,
        {"records": (topic, contract)},
        task="validator",
        partitions=PARTITIONS,
        trigger_ms=TRIGGER_MS,
        **bench.dead_letter_topic(),
    )


def _load(server: KafkaServer, topic: str, seconds: int) -> None:
    for second in range(seconds):
        began = time.monotonic()
        produce(server.bootstrap, topic, RATE, seed=second)
        time.sleep(max(0.0, 1 - (time.monotonic() - began)))


def _cores(what: Callable[[], None]) -> float:
    """CPU seconds per second of this process's Spark, its children included, while something goes on."""
    (jvm,) = [
        child
        for child in psutil.Process().children(recursive=True)
        if "org.apache.spark.deploy.SparkSubmit" in child.cmdline()
    ]
    engine = with_children(jvm.pid)
    before, began = cpu_seconds(engine), time.monotonic()
    what()
    return (cpu_seconds(engine) - before) / (time.monotonic() - began)
