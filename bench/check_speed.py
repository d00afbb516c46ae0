"""How long checking a document takes: 50 steps, median of many runs, against the promised 20 ms. Run: python -m bench.check_speed"""

import statistics
import subprocess
import sys
import time
from typing import Any

from jobs.formats.contract import StreamContract
from jobs.operators.scope import remembered
from jobs.plan import Plan, plan_job

STEPS = 50
RUNS = 50
PROMISED_MS = 20.0
PROMISED_IMPORT_MS = 400.0
IMPORTS = 5
_IMPORT = "import time; began = time.perf_counter(); import jobs.plan; print((time.perf_counter() - began) * 1000)"

FIELDS = {"symbol": "string", "venue": "string", "price": "double", "size": "int", "at": "timestamp", "note": "string"}


def document() -> str:
    """Filters, derives and selects in a row, then an aggregate with six measures."""
    lines = ["format: 1", "name: speed", "sources: {trades: {stream: trades}}", "steps:"]
    above = "trades"
    kinds = (
        "{{op: filter, input: {0}, where: \"price > {1} and symbol in ('A', 'B', 'C')\"}}",
        '{{op: derive, input: {0}, fields: {{value: "round(price * size, 2)", loud: "upper(coalesce(note, symbol))"}}}}',
        "{{op: select, input: {0}, fields: {{symbol: symbol, venue: venue, price: price / 2, size: size, at: at, note: note}}}}",
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


def measure() -> tuple[Plan, list[float], list[float]]:
    """The plan, milliseconds of runs that remember nothing, and of runs that do, as while somebody types."""
    fields: list[dict[str, Any]] = [{"name": name, "type": type_} for name, type_ in FIELDS.items()]
    catalog = {"trades": StreamContract.model_validate({"fields": fields})}
    text = document()
    plan = plan_job(text, catalog)
    cold: list[float] = []
    warm: list[float] = []
    for _ in range(RUNS):
        remembered.cache_clear()
        for times in (cold, warm):
            began = time.perf_counter()
            plan_job(text, catalog)
            times.append((time.perf_counter() - began) * 1_000)
    return plan, cold, warm


def import_times() -> list[float]:
    """Milliseconds that `import jobs.plan` takes, each in a process of its own."""
    command = [sys.executable, "-c", _IMPORT]
    return [float(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(IMPORTS)]


def main() -> int:
    """Print the figures; exit 1 when the document is not sound or a median is above its promise."""
    plan, cold, warm = measure()
    for name, times in (("first check", cold), ("check again", warm)):
        print(f"{STEPS} steps, {name}: median {statistics.median(times):.1f} ms, worst of {RUNS} {max(times):.1f} ms")
    imports = statistics.median(import_times())
    print(f"import of jobs.plan: median of {IMPORTS} {imports:.0f} ms")
    print(f"promised: {PROMISED_MS:.0f} ms and {PROMISED_IMPORT_MS:.0f} ms")
    return 0 if plan.ok and statistics.median(cold) < PROMISED_MS and imports < PROMISED_IMPORT_MS else 1


if __name__ == "__main__":
    sys.exit(main())
