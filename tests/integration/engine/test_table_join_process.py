"""An engine process joins a stream with a changing table in real-time mode."""

import json
import time
from typing import Any

import pytest

from jobs.kafka_messages import ProgressReport, Report
from tests.support.enriching_job import ENRICHED
from tests.support.plan_helpers import contract
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench, EngineProcess, Reports

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

ORDERS = contract({"k": "string", "n": "int"}, delay="0s")
RATES = contract(
    {"code": "string", "rate": "decimal(6,3)", "seen": "timestamp", "tags": "array<string>"},
    kind="table",
    key=["code"],
)
SEEN = "2026-01-01T00:00:00.000001Z"
WAITING = 300  # far fewer than are drained of a run without a table


def now() -> int:
    return time.time_ns() // 1_000


def test_rows_find_what_waits_with_them_and_what_comes_later(
    bench: Bench, engine: EngineProcess, reports: Reports
) -> None:
    reports.ready(engine)
    orders, rates = bench.topic("orders"), bench.topic("rates")

    def set_rates(values: dict[str, str | None]) -> None:
        records = [
            (
                now(),
                None if rate is None else {"code": code, "rate": rate, "seen": SEEN, "tags": [rate, None]},
            )
            for code, rate in values.items()
        ]
        bench.produce(rates, records, keys=[json.dumps({"code": code}).encode() for code in values])

    def order(codes: dict[int, str]) -> None:
        bench.produce(orders, [(now(), {"k": code, "n": n}) for n, code in codes.items()])

    order({n: f"c{n}" for n in range(WAITING)})
    set_rates({f"c{n}": f"{n}.250" for n in range(WAITING)})
    run = bench.run(
        ENRICHED,
        {"orders": (orders, ORDERS), "rates": (rates, RATES)},
        "realtime",
        engine_id=engine.engine_id,
    )
    results = bench.results(run)
    found: dict[int, dict[str, Any]] = {}

    def read() -> dict[int, dict[str, Any]]:
        found.update({row["n"]: row for row in results.read().values()})
        return found

    def committed(number: int) -> None:
        def there(report: Report) -> bool:
            return (
                isinstance(report, ProgressReport)
                and report.run_id == run.run_id
                and report.sources["rates"][0].committed == number
            )

        reports.wait(f"{number} entries are committed", there, engine=engine)

    bench.publish(run)
    wait_until(lambda: len(read()) == WAITING, 240, "rows are joined", engine.tail)
    assert {n: row["rate"] for n, row in found.items()} == {n: f"{n}.250" for n in range(WAITING)}
    assert (found[1]["seen"], found[1]["tags"]) == (SEEN, ["1.250", None])
    assert f"{2 * WAITING} records are waiting" in engine.log.read_text()
    set_rates({"c1": "7.000", "c2": None})
    committed(WAITING + 2)
    order({1_001: "c1", 1_002: "c2", 1_003: "c3"})
    wait_until(lambda: len(read()) == WAITING + 3, 60, "rows come", engine.tail)
    assert [found[n]["rate"] for n in (1_001, 1_002, 1_003)] == ["7.000", None, "3.250"]
    assert found[1]["rate"] == "1.250", "what was joined stays"
    bench.publish(run.run_id)
    reports.state(run, "stopped")
    results.close()
