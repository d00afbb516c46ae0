"""A run beside many others asks the broker less often, unless it has an engine of its own, and gives the same
results.
"""

import time
from contextlib import closing

import pytest
from pyspark.sql import SparkSession

from jobs.engine.listener import ProgressListener
from jobs.engine.query import plan_of, start_query
from tests.support.plan_helpers import contract
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

AT = 1_767_261_600_000_000
RECORDS = 100
DOCUMENT = {
    "format": 1,
    "name": "counted",
    "sources": {"s": {"stream": "s"}},
    "steps": {"n": {"op": "aggregate", "input": "s", "by": ["k"], "measures": {"n": "count()"}}},
    "outputs": {"out": {"input": "n", "to": "result"}},
}


def requests_for(spark: SparkSession, bench: Bench, runs: int, engine: str = "shared") -> float:
    """Fetches of a run that starts beside so many, while records come one by one; all must be counted."""
    topic = bench.topic("in")
    document = {**DOCUMENT, "settings": {"engine": engine}}
    run = bench.run(document, {"s": (topic, contract({"k": "string", "x": "int"}))}, "realtime")
    listener = ProgressListener(lambda _: None, lambda: None)
    query = start_query(spark, run, plan_of(run), bench.home, listener, runs=runs)
    with closing(bench.results(run)) as results:
        try:

            def counted() -> int:
                error = query.exception()
                assert error is None, str(error)[:3000]
                return sum(row["n"] for row in results.read().values())

            bench.produce(topic, [(AT, {"k": "a", "x": 0})])
            wait_until(lambda: counted() == 1, 240, "the query reads")
            before = fetches(spark, run.run_id)
            for x in range(RECORDS):
                bench.produce(topic, [(AT + x, {"k": "a", "x": x})])
                time.sleep(0.02)  # each comes alone
            wait_until(lambda: counted() == RECORDS + 1, 60, "all records are counted")
            return fetches(spark, run.run_id) - before
        finally:
            query.stop()


def fetches(spark: SparkSession, run_id: str) -> float:
    """Fetch requests so far of the consumers of a run, as Kafka's client counts them."""
    java = spark.sparkContext._jvm.java.lang  # type: ignore[union-attr]
    beans = java.management.ManagementFactory.getPlatformMBeanServer()
    of_run = spark.sparkContext._jvm.javax.management.ObjectName(  # type: ignore[union-attr]
        f"kafka.consumer:type=consumer-fetch-manager-metrics,client-id=*{run_id}*"
    )
    return sum(beans.getAttribute(name, "fetch-total") for name in beans.queryNames(of_run, None))


def test_many_records_come_with_one_request_beside_many_runs(spark: SparkSession, bench: Bench) -> None:
    alone = requests_for(spark, bench, runs=1)
    assert alone >= RECORDS / 2
    assert requests_for(spark, bench, runs=1_000) <= alone / 3
    assert requests_for(spark, bench, runs=1_000, engine="dedicated") >= alone / 2
