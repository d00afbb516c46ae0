"""Rows that wait when a run starts find the entries of a table that wait with them, however many batches they
take.
"""

import json

import pytest
from pyspark.sql import SparkSession

from jobs.engine import batch_sizes
from jobs.engine.backlog import in_batches
from jobs.engine.listener import ProgressListener
from jobs.engine.query import plan_of, start_query
from tests.support.enriching_job import ENRICHED
from tests.support.plan_helpers import contract
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench

pytestmark = pytest.mark.integration

AT = 1_767_261_600_000_000
WAITING = 500
FIRST = 100  # records of the first batch


@pytest.mark.parametrize("drains", [True, False], ids=["drained", "limited rate"])
def test_waiting_rows_find_all_entries_that_wait(
    spark: SparkSession, bench: Bench, monkeypatch: pytest.MonkeyPatch, drains: bool
) -> None:
    monkeypatch.setattr(batch_sizes, "_FIRST_ROWS", FIRST)
    orders, rates = bench.topic("orders"), bench.topic("rates")
    bench.produce(orders, [(AT, {"k": f"c{n}", "n": n}) for n in range(WAITING)])
    entries = [{"code": f"c{n}", "rate": n} for n in reversed(range(WAITING))]
    keys = [json.dumps({"code": entry["code"]}).encode() for entry in entries]
    bench.produce(rates, [(AT, entry) for entry in entries], keys=keys)
    sources = {
        "orders": (orders, contract({"k": "string", "n": "int"}, delay="0s")),
        "rates": (rates, contract({"code": "string", "rate": "int"}, kind="table", key=["code"])),
    }
    if drains:
        run = bench.run(ENRICHED, sources, "realtime")
    else:
        run = bench.run(ENRICHED, sources, max_rows_per_batch=FIRST)
    results, plan = bench.results(run), plan_of(run)
    heard: list[str] = []
    listener = ProgressListener(heard.append, lambda: None)
    begun = in_batches(run, plan.fanout) if drains else run
    query = start_query(spark, begun, plan, bench.home, listener, drains=drains)
    if drains:
        query.awaitTermination()
    found: dict[int, int | None] = {}

    def arrived() -> int:
        found.update({row["n"]: row["rate"] for row in results.read().values()})
        return len(found)

    wait_until(lambda: arrived() == WAITING, 60, "all rows are joined", arrived)
    results.close()
    query.stop()
    assert found == {n: n for n in range(WAITING)}

    def batches() -> int:
        return sum(json.loads(text)["numInputRows"] > 0 for text in heard)

    wait_until(lambda: batches() > 1, 30, "rows take several batches", batches)
