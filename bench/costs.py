"""Where a job's processor time goes at 100,000 rows a second: the ten largest costs, by Java Flight Recorder.

The job has no state: what is left are decoding, identities, counters and the sink.
"""

import json
import os
import re
import subprocess
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import psutil

from bench.drain import BEGIN_US, FIELDS, KEYS, PARTITIONS
from bench.fill import fill
from bench.machine import is_measured_code
from bench.results import FOLDER, load
from bench.usage import Strangers, cpu_below
from jobs.engine.backlog import in_batches
from jobs.engine.listener import ProgressListener
from jobs.engine.query import plan_of, start_query
from jobs.formats.contract import StreamContract
from tests.support.kafka_node import KafkaServer
from tests.support.spark_engine import Bench
from tests.support.spark_session import local_session

RATE: Final = 100_000  # rows/s
LARGEST: Final = 10
START_S: Final = 20  # of records on top, that are read while the query starts
_TRIGGER_MS: Final = 1_000
_RUNTIME: Final = re.compile(r"(java|javax|jdk|sun|scala|org\.apache\.spark\.unsafe)\.")
_FRAME: Final = re.compile(r"^\s+([\w.$/<>]+)\(.*line:")
DOCUMENT: Final[dict[str, Any]] = {
    "format": 1,
    "name": "costs",
    "sources": {"s": {"stream": "s"}},
    "steps": {
        "some": {"op": "filter", "input": "s", "where": "x > -450"},
        "more": {"op": "derive", "input": "some", "fields": {"z": "y * 2", "loud": "upper(k)"}},
    },
    "outputs": {"out": {"input": "more", "to": "result"}},
}


def measure(folder: Path, warm_seconds: int, seconds: int) -> dict[str, Any]:
    """Run the job at a fixed rate, and sample its threads.

    Args:
        folder: new, for broker, checkpoints and recording.
        warm_seconds: of the same load before, while the JVM compiles.
        seconds: that are sampled.

    Returns:
        asked (rows/s), rate (rows/s that were read), seconds, cores (all but the broker), samples, strangers
        (cores), costs (class, its share of the samples, and ns of CPU per row; the largest first), and
        before: commit, day and costs of the last measurement of other code; null: there is none.
    """
    (folder / "kafka").mkdir(parents=True)
    server = KafkaServer(folder / "kafka")
    server.start()
    try:
        bench = Bench(server, folder)
        topic = bench.topic("events", PARTITIONS)
        fill(server.bootstrap, topic, "six", RATE * (warm_seconds + seconds + START_S), BEGIN_US, keys=KEYS)
        with local_session(folder / "spark") as spark:
            contract = StreamContract.model_validate(
                {
                    "fields": [{"name": name, "type": type_} for name, type_ in FIELDS.items()],
                    "event_time": {"kind": "field", "field": "at", "unit": "ms"},
                }
            )
            run = bench.run(
                DOCUMENT, {"s": (topic, contract)}, partitions=PARTITIONS, trigger_ms=_TRIGGER_MS,
                result_topic=bench.topic("out", PARTITIONS),
            )  # fmt: skip
            limited = in_batches(run).model_copy(update={"max_rows_per_batch": RATE})
            read_rows = _ReadRows()
            listener = ProgressListener(read_rows.add, lambda: None)
            query = start_query(spark, limited, plan_of(run), bench.home, listener, 0)
            time.sleep(warm_seconds)
            strangers = Strangers(folder)
            began, before = time.monotonic(), (cpu_below(os.getpid(), without=server.pid), read_rows.total)
            stacks = _recorded(_jvm(), folder / "costs.jfr", seconds)
            used = cpu_below(os.getpid(), without=server.pid) - before[0]
            took, read = time.monotonic() - began, read_rows.total - before[1]
            query.stop()
    finally:
        server.stop()
    classes = Counter(map(cost_of, parse_stacks(stacks)))
    return {
        "asked": RATE,
        "rate": round(read / took),
        "seconds": seconds,
        "cores": round(used / took, 2),
        "samples": classes.total(),
        "strangers": strangers.cores(),
        "costs": [
            {
                "class": name,
                "share": round(count / classes.total(), 4),
                "ns": round(count / classes.total() * used / read * 1e9) if read else None,
            }
            for name, count in classes.most_common(LARGEST)
        ],
        "before": _before(),
    }


def parse_stacks(text: str) -> Iterable[list[str]]:
    """The stacks of samples, each from the top, as ``jfr print`` writes them."""
    for sample in text.split("stackTrace = [")[1:]:
        frames = [
            found[1] for line in sample.partition("]\n")[0].splitlines() if (found := _FRAME.match(line))
        ]
        if frames:
            yield frames


def cost_of(stack: list[str]) -> str:
    """The class that a sample counts for: the one nearest to the top that is not the runtime's own."""
    return next((frame for frame in stack if not _RUNTIME.match(frame)), stack[0]).rpartition(".")[0]


def _recorded(pid: int, target: Path, seconds: int) -> str:
    """Samples of a JVM's threads that run Java, as text."""
    for command, pause in (
        (["jcmd", str(pid), "JFR.start", "name=costs", "settings=profile"], seconds),
        (["jcmd", str(pid), "JFR.dump", "name=costs", f"filename={target}"], 0),
        (["jcmd", str(pid), "JFR.stop", "name=costs"], 0),
    ):
        subprocess.run(command, check=True, stdout=subprocess.PIPE)
        time.sleep(pause)
    command = ["jfr", "print", "--events", "jdk.ExecutionSample", "--stack-depth", "40", str(target)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def _jvm() -> int:
    """The process of this process's Spark."""
    (found,) = [
        child.pid
        for child in psutil.Process().children(recursive=True)
        if "org.apache.spark.deploy.SparkSubmit" in child.cmdline()
    ]
    return found


class _ReadRows:
    """Counts the records of all batches; Spark itself knows of the last ten."""

    def __init__(self) -> None:
        self.total = 0

    def add(self, progress: str) -> None:
        """A batch has ended, of which Spark says this, as JSON."""
        self.total += int(json.loads(progress)["numInputRows"])


def _before() -> dict[str, Any] | None:
    last = load(FOLDER, "costs")
    if last is None:
        return None
    machine = last["machine"]
    if is_measured_code(machine["commit"]):  # measured again
        before: dict[str, Any] | None = last["before"]
        return before
    return {"commit": machine["commit"], "at": machine["measured at"], "costs": last["costs"]}
