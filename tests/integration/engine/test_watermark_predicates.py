"""Batches of a query with state compile no code for the watermark, which is another in each."""

from typing import Any

import pytest
from pyspark.sql import SparkSession

from jobs.engine.listener import ProgressListener
from jobs.engine.query import plan_of, start_query
from tests.support.event_count_job import CONTRACT, SECOND, START
from tests.support.spark_engine import Bench, Record

pytestmark = [pytest.mark.integration, pytest.mark.thorough]

WINDOWS = {
    "op": "aggregate",
    "input": "s",
    "by": ["k"],
    "window": {"tumbling": {"size": "2s"}},
    "measures": {"n": "count()"},
}
STEPS: dict[str, dict[str, Any]] = {
    "windows": WINDOWS,
    "sessions": {**WINDOWS, "window": {"session": {"gap": "2s"}}},
    "once": {"op": "deduplicate", "input": "s", "by": ["k", "at"], "within": "2s"},
    "join": {
        "op": "join",
        "left": "s",
        "right": "t",
        "type": "left",
        "on": {"k": "k"},
        "between": {"before": "1s", "after": "1s"},
        "prefix": "t_",
    },
}


# Its times may not be behind by more than a second: the watermark goes on with each batch.
PROMPT = CONTRACT.model_copy(update={"delay": "1s"})


# So many rounds after each other without compiling are more than chance: each has a watermark of its own.
# Which ones they are is open: a batch of a join that finds records in one of its sources only has another
# plan, which is compiled once.
ROUNDS = 6


def stayed(counts: list[int]) -> bool:
    """Whether nothing was compiled in the last rounds."""
    return len(counts) > ROUNDS and len(set(counts[-ROUNDS:])) == 1


def second(number: int) -> list[Record]:
    """The events of one second."""
    at = START + number * SECOND
    return [(START, {"at": at, "k": f"k{key}"}) for key in range(3)]


@pytest.mark.parametrize("step", STEPS)
def test_no_batch_compiles_what_the_one_before_it_had(spark: SparkSession, bench: Bench, step: str) -> None:
    topic = bench.topic("in")
    document = {
        "format": 1,
        "name": "compiled",
        "sources": {"s": {"stream": "events"}, "t": {"stream": "events"}},
        "steps": {"step": STEPS[step]},
        "outputs": {"out": {"input": "step", "to": "result"}},
    }
    if step != "join":
        del document["sources"]["t"]
    run = bench.run(document, {name: (topic, PROMPT) for name in document["sources"]})
    query = start_query(
        spark, run, plan_of(run), bench.home, ProgressListener(lambda _: None, lambda: None), 0
    )
    jvm: Any = spark.sparkContext._jvm
    compiled = jvm.org.apache.spark.metrics.source.CodegenMetrics.METRIC_COMPILATION_TIME()
    counts: list[int] = []
    watermarks: list[str] = []
    for number in range(0, 200, 5):
        bench.produce(topic, second(number))
        query.processAllAvailable()
        counts.append(compiled.getCount())
        watermarks.append(query.lastProgress["eventTime"].get("watermark"))
        if stayed(counts):
            break
    query.stop()
    assert stayed(counts)
    assert len(set(watermarks[-ROUNDS:])) == ROUNDS
