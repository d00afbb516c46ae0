"""What rules over result rows cost the relay: CPU of evaluating 1,000 rules over 10,000 rows/s.

Rows are handed over as the relay does, in flushes twice a second, each the newest of its identity. The
transactions of what fires are not part of it: they depend on how much fires, not on how many rules there are.
"""

import json
import time
from typing import Any, Final

from jobs.base.schemas import Field, Schema
from jobs.base.types import DOUBLE, LONG, STRING, TIMESTAMP
from weir.alerts.services.book import Book, LoadedRule
from weir.alerts.services.row_evaluation import ResultRules
from weir.alerts.services.rule_costs import RuleCosts
from weir.alerts.services.rule_document import RuleDocument
from weir.results.services.records import ResultRecord

RULES: Final = 1_000
RATE: Final = 10_000  # rows/s
FLUSHES_PER_SECOND: Final = 2
_SCHEMA: Final = Schema(
    (
        Field("window_start", TIMESTAMP),
        Field("window_end", TIMESTAMP),
        Field("origin", STRING),
        Field("departures", LONG),
        Field("avg_delay", DOUBLE),
    )
)
_RESULT: Final = {
    "kind": "upsert",
    "identity": ["window_start", "window_end", "origin"],
    "identity_kind": "key",
    "windowed": True,
    "schema": _SCHEMA.as_json(),
}


def measure(jobs: int, seconds: int) -> dict[str, Any]:
    """Evaluate the rules of several jobs.

    Args:
        jobs: over which rules and rows are spread evenly.
        seconds: of traffic.

    Returns:
        rules, rate (rows/s), jobs, seconds, cores (CPU seconds per second of traffic), and the same for one
        job that has all rules and 100 keys (`one_job_cores`).
    """
    return {
        "rules": RULES,
        "rate": RATE,
        "jobs": jobs,
        "seconds": seconds,
        "cores": round(_cores(jobs, RATE // FLUSHES_PER_SECOND // jobs, seconds), 3),
        "one_job_cores": round(_cores(1, 100, seconds), 3),
    }


def _cores(jobs: int, rows_of_a_flush: int, seconds: int) -> float:
    books, compiled = Book(), []
    for job in range(jobs):
        rules = [_rule(f"j{job}", number) for number in range(RULES // jobs)]
        costs = RuleCosts(limit_s=float("inf"))
        compiled.append(ResultRules(f"j{job}", 1, f"job {job}", _RESULT, rules, costs))
    flushes = [[_row(at, turn) for at in range(rows_of_a_flush)] for turn in range(4)]
    began = time.process_time()
    for turn in range(seconds * FLUSHES_PER_SECOND):
        for rules_of_job in compiled:
            rules_of_job.evaluate(flushes[turn % 4], books, turn * 500_000)
        books.stored()
    assert not any(text for one in compiled for text in one.problems.values())
    return (time.process_time() - began) / seconds


def _rule(job: str, number: int) -> LoadedRule:
    where = f"avg_delay > {60 + number / 20} and departures >= 5"
    watch = {"kind": "rows", "job": job, "where": where}
    return LoadedRule.of(f"{job}r{number}", 1, "rule", RuleDocument.model_validate({"watch": watch}))


def _row(at: int, turn: int) -> ResultRecord:
    """One of 200 rows meets most conditions."""
    origin = f"K{at:04}"
    value = {
        "window_start": "2026-01-01T00:00:00.000000Z",
        "window_end": f"2026-01-01T00:0{turn}:00.000000Z",
        "origin": origin,
        "departures": at % 17,
        "avg_delay": 120.0 if at % 200 == 7 else float(at % 50),
    }
    key = json.dumps([value["window_start"], value["window_end"], origin])
    return ResultRecord(
        key, json.dumps(value), 0, partial=False, epoch=1, partition=0, offset=at, timestamp_ms=at
    )
