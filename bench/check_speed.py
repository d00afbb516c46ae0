"""How long checking a document of 50 steps takes, and importing what checks."""

import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from bench.usage import Strangers
from jobs.formats.contract import StreamContract
from jobs.operators.expression_checks import remembered
from jobs.plan import plan_job

STEPS = 50
RUNS = 50
IMPORTS = 5
_IMPORT = (
    "import time; began = time.perf_counter(); import jobs.plan; print((time.perf_counter() - began) * 1000)"
)

FIELDS = {
    "symbol": "string",
    "venue": "string",
    "price": "double",
    "size": "int",
    "at": "timestamp",
    "note": "string",
}


def document() -> str:
    """Filters, derives and selects in a row, then an aggregate with six measures."""
    lines = ["format: 1", "name: speed", "sources: {trades: {stream: trades}}", "steps:"]
    above = "trades"
    kinds = (
        "{{op: filter, input: {0}, where: \"price > {1} and symbol in ('A', 'B', 'C')\"}}",
        "{{op: derive, input: {0}, "
        'fields: {{value: "round(price * size, 2)", loud: "upper(coalesce(note, symbol))"}}}}',
        "{{op: select, input: {0}, "
        "fields: {{symbol: symbol, venue: venue, price: price / 2, size: size, at: at, note: note}}}}",
    )
    for number in range(STEPS - 1):
        lines.append(f"  step{number}: " + kinds[number % len(kinds)].format(above, number))
        above = f"step{number}"
    lines += [
        "  stats:",
        "    op: aggregate",
        f"    input: {above}",
        "    window: {hopping: {size: 5s, advance: 1s}}",
        "    by: [symbol, venue]",
        "    measures:",
        "      n: count()",
        "      low: min(price)",
        "      high: max(price) where size > 10",
        "      mean: avg(price * size)",
        '      p: "percentile(price, 0.95)"',
        "      users: approx_distinct(note, error = 0.05)",
        "outputs: {live: {input: stats, to: result}}",
    ]
    return "\n".join(lines)


def measure() -> dict[str, Any]:
    """Measure checks that remember nothing, checks that do, as while somebody types, and the import.

    Returns:
        steps, runs, strangers (cores), and the medians first_ms, again_ms and import_ms.
    """
    fields: list[dict[str, Any]] = [{"name": name, "type": type_} for name, type_ in FIELDS.items()]
    catalog = {"trades": StreamContract.model_validate({"fields": fields})}
    text = document()
    strangers = Strangers(Path())
    plan = plan_job(text, catalog)
    assert plan.ok, plan.problems
    first: list[float] = []
    again: list[float] = []
    for _ in range(RUNS):
        remembered.cache_clear()
        for times in (first, again):
            began = time.perf_counter()
            plan_job(text, catalog)
            times.append((time.perf_counter() - began) * 1_000)
    medians = {"first_ms": first, "again_ms": again, "import_ms": _import_times()}
    return {
        "steps": STEPS,
        "runs": RUNS,
        "strangers": strangers.cores(),
        **{name: round(statistics.median(times), 1) for name, times in medians.items()},
    }


def _import_times() -> list[float]:
    """Milliseconds that `import jobs.plan` takes, each in a process of its own."""
    command = [sys.executable, "-c", _IMPORT]
    return [
        float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for _ in range(IMPORTS)
    ]
