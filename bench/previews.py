"""How long a preview takes on a warm engine: 1,000 records through ten steps, first and after each change.

    python -m bench.previews

A play in one process, as an engine does it, without Kafka: what asking and answering adds is in
docs/benchmarks.md. Processor time is measured too, since it does not depend on what else the machine does.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from jobs.engine.play import play
from jobs.formats.contract import EventTime, FieldContract, StreamContract
from jobs.play import PlayBatch, PlayJob, PlayLimits, PlayRecord, PlayResult, PlayScript
from tests.support.spark_session import local_session

RECORDS = 1_000
BEGIN_MS = 1_767_261_600_000
CONTRACT = StreamContract(
    fields=(
        FieldContract(name="at", type="long", nullable=False),
        FieldContract(name="symbol", type="string", nullable=False),
        FieldContract(name="kind", type="string"),
        FieldContract(name="bid", type="double"),
        FieldContract(name="ask", type="double"),
        FieldContract(name="price", type="double"),
        FieldContract(name="size", type="long"),
    ),
    event_time=EventTime(kind="field", field="at", unit="ms"),
)


def document(least: int) -> dict[str, Any]:
    """Ten steps; `least` is what a person changes in one of them."""
    steps: dict[str, Any] = {
        "priced": {"op": "filter", "input": "ticks", "where": "ask > 0"},
        "middle": {"op": "derive", "input": "priced", "fields": {"mid": "(bid + ask) / 2"}},
        "spread": {"op": "derive", "input": "middle", "fields": {"spread": "ask - bid"}},
        "ratio": {"op": "derive", "input": "spread", "fields": {"ratio": "spread / (size - 7)"}},
        "known": {"op": "filter", "input": "ratio", "where": "symbol <> 'TEST'"},
        "renamed": {"op": "rename", "input": "known", "fields": {"kind": "side"}},
        "amounts": {"op": "derive", "input": "renamed", "fields": {"amount": "price * size"}},
        "large": {"op": "filter", "input": "amounts", "where": f"size >= {least}"},
        "windows": {
            "op": "aggregate",
            "input": "large",
            "window": {"tumbling": {"size": "10s"}},
            "by": ["symbol"],
            "measures": {"n": "count()", "total": "sum(amount)", "mid": "avg(mid)", "worst": "max(ratio)"},
            "emit": "final",
        },
        "shown": {"op": "derive", "input": "windows", "fields": {"mean": "total / n"}},
    }
    return {
        "format": 1,
        "name": "ten-steps",
        "sources": {"ticks": {"stream": "ticks"}},
        "steps": steps,
        "outputs": {"out": {"input": "shown", "to": "result"}},
    }


def records() -> list[PlayRecord]:
    """A tick every 50 ms, some of them without a price."""
    made = []
    for i in range(RECORDS):
        at = BEGIN_MS + i * 50
        value = {"at": at, "symbol": f"S{i % 9}", "kind": "quote", "bid": 99.0 + i % 5, "size": i % 11}
        if i % 10:
            value |= {"ask": 100.0 + i % 5, "price": 99.5 + i % 5}
        made.append(PlayRecord(value=json.dumps(value).encode(), timestamp_us=at * 1_000))
    return made


def script(least: int) -> PlayScript:
    """As the platform asks: two batches, then one without records."""
    job = PlayJob(
        document=document(least),
        contracts={"ticks": CONTRACT},
        limits=PlayLimits(rows=200, bytes=200_000, seconds=120),
    )
    given, half = records(), RECORDS // 2
    batches = (
        PlayBatch(records={"ticks": tuple(given[:half])}, closing=False),
        PlayBatch(records={"ticks": tuple(given[half:])}),
    )
    return PlayScript(job=job, batches=batches)


def cpu_s() -> float:
    """Processor time of this process and its JVM, s."""
    spent = 0.0
    own = os.getpid()
    for pid in (int(name) for name in os.listdir("/proc") if name.isdigit()):
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if pid == own or int(fields[1]) == own:
            spent += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return spent


def one(spark: SparkSession, folder: Path, least: int) -> tuple[float, float, PlayResult]:
    """Seconds, processor seconds, and what came."""
    began, cpu = time.monotonic(), cpu_s()
    result = play(spark, script(least), folder)
    return time.monotonic() - began, cpu_s() - cpu, result


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plays", type=int, default=40)
    plays = parser.parse_args().plays
    with tempfile.TemporaryDirectory() as folder, local_session(Path(folder)) as spark:
        spent: list[float] = []
        for number in range(plays):
            seconds, cpu, result = one(spark, Path(folder) / f"play{number}", number % 5)
            assert result.problem is None, result.problem
            print(f"{number + 1}: {seconds:.2f} s, {cpu:.2f} s of processor {result.spans_ms}", flush=True)
            spent.append(seconds)
        warm = sorted(spent[plays // 2 :])
        print(f"p50 {statistics.median(warm):.2f} s, p95 {warm[int(len(warm) * 0.95) - 1]:.2f} s, warm")


if __name__ == "__main__":
    main()
