"""Runs a query in each mode before users' jobs run, so that its classes are loaded and compiled
(`docs/spark.md#start-up`).
"""

import json
import logging
import shutil
import threading
import time
from collections.abc import Callable
from typing import Any, Final

from confluent_kafka import KafkaException, Producer
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from jobs.connections import librdkafka_options
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.engine.launch import work_dir
from jobs.engine.listener import ProgressListener
from jobs.engine.query import plan_of, start_query
from jobs.formats.contract import EventTime, FieldContract, StreamContract
from jobs.kafka_messages import WARMUP_TOPIC, BoundSource, DesiredRun, EngineSettings, RunMode, StartPosition
from jobs.run_states import RUNNING

BEFORE_READY: Final[tuple[RunMode, ...]] = ("realtime", "microbatch", "realtime")
# The JIT compiler makes each start faster than the one before.
AFTER_READY: Final[tuple[RunMode, ...]] = ("realtime",) * 6

FEW_RECORDS: Final = 60
MANY_RECORDS: Final = 5_000
"""Per second, so that what each record passes is compiled, too: the first batch after a crash reads those of
up to a commit interval.
"""

_ROUND_TIMEOUT_S: Final = 20.0
_BATCH_MS: Final = 1_000

log = logging.getLogger(__name__)


def warm_up(
    session: SparkSession,
    settings: EngineSettings,
    admins: KafkaAdmins,
    rounds: tuple[RunMode, ...],
    stop: Callable[[], bool],
    records: int,
) -> None:
    """Run a query per round until `stop` returns true. Without the topic or the broker there is no warm-up.

    Results go to the same topic, where they are malformed input.

    Args:
        session: of the engine.
        settings: of the engine.
        admins: of the engine.
        rounds: the mode of each.
        stop: asked while a round lasts, too.
        records: per second, for a round to read.
    """
    try:
        topic_id = admins.topic_ids(settings.home, [WARMUP_TOPIC])[WARMUP_TOPIC]
    except KafkaException as error:
        log.info("no warm-up: %s", error)
        return
    if topic_id is None:
        log.info("no warm-up: the topic %s does not exist", WARMUP_TOPIC)
        return
    folder = work_dir(settings) / "warm-up"
    for number, mode in enumerate(rounds):
        if stop():
            break
        began = time.monotonic()
        shutil.rmtree(folder, ignore_errors=True)
        try:
            _round(
                session,
                settings,
                _run(settings, mode, f"{len(rounds)}-{number}", str(folder), topic_id),
                stop,
                records,
            )
        except (PySparkException, Py4JError, KafkaException) as error:
            log.warning("warm-up in %s mode failed", mode, exc_info=error)
        log.info("warm-up %s of %s, %s: %.1f s", number + 1, len(rounds), mode, time.monotonic() - began)
    shutil.rmtree(folder, ignore_errors=True)


def _round(
    session: SparkSession,
    settings: EngineSettings,
    run: DesiredRun,
    stop: Callable[[], bool],
    records: int,
) -> None:
    done = threading.Event()

    def on_progress(text: str) -> None:
        if json.loads(text)["numInputRows"] > 0:
            done.set()

    producer = Producer({**librdkafka_options(settings.home), "log_level": 2})
    query = start_query(
        session, run, plan_of(run, settings.home), settings.home, ProgressListener(on_progress, done.set)
    )
    deadline = time.monotonic() + _ROUND_TIMEOUT_S
    while not done.wait(0.1) and not stop() and time.monotonic() < deadline:
        for i in range(records // 10):
            value = {"at": time.time_ns() // 1_000_000, "word": f"warm up {i % 5}", "amount": i * 1.5}
            producer.produce(WARMUP_TOPIC, key=str(i), value=json.dumps(value))
        producer.poll(0)
    query.stop()
    producer.flush(1)


def _run(settings: EngineSettings, mode: RunMode, number: str, checkpoint: str, topic_id: str) -> DesiredRun:
    contract = StreamContract(
        fields=(
            FieldContract(name="at", type="long", nullable=False),
            FieldContract(name="word", type="string", nullable=False),
            FieldContract(name="amount", type="double"),
        ),
        event_time=EventTime(kind="field", field="at", unit="ms"),
    )
    return DesiredRun(
        run_id=f"warm-up-{settings.incarnation}-{number}",
        job_id="warm-up",
        job_name="warm-up",
        workspace="",
        engine_id=settings.engine_id,
        epoch=1,
        revision=1,
        generation=1,
        state=RUNNING,
        document=_document(mode),
        sources={
            "input": BoundSource(
                stream="input",
                cluster=settings.home,
                topic=WARMUP_TOPIC,
                topic_id=topic_id,
                partitions=1,
                contract=contract,
                start=StartPosition(kind="latest"),
            )
        },
        mode=mode,
        checkpoint=checkpoint,
        shuffle_partitions=1,
        result_topic=WARMUP_TOPIC,
        commit_interval_ms=_BATCH_MS,
        trigger_ms=500,
    )


def _document(mode: RunMode) -> dict[str, Any]:
    return {
        "format": 1,
        "name": "warm-up",
        "sources": {"input": {"stream": "input"}},
        "steps": {
            "kept": {"op": "filter", "input": "input", "where": "amount >= 0"},
            "words": {"op": "split", "input": "kept", "field": "word"},
            "counted": {
                "op": "aggregate",
                "input": "words",
                "window": {"hopping": {"size": "5s", "advance": "1s"}},
                "by": ["word"],
                "measures": {"n": "count()", "least": "min(amount)", "mean": "avg(amount)"},
            },
        },
        "outputs": {"out": {"input": "counted", "to": "result"}},
        "settings": {"mode": mode},
    }
