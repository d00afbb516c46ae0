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

from bench.percentiles import percentile
from bench.usage import Strangers, cpu_below
from jobs.engine.heap import collect_garbage
from jobs.engine.play import play
from jobs.formats.contract import EventTime, FieldContract, StreamContract
from jobs.play import PlayBatch, PlayJob, PlayLimits, PlayRecord, PlayResult, PlayScript
from tests.support.spark_session import local_session

RECORDS = 1_000
WAYS = ("ordered", "late", "halves")
"""How the records are read: in one batch, since none can be late; so that some can be; and in two halves, as
previews were played before, which showed no late row.
"""
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


def script(least: int, way: str = "ordered") -> PlayScript:
    """As the platform asks (`weir.preview.services.batching`).

    Args:
        least: what a person changes.
        way: one of `WAYS`.
    """
    job = PlayJob(
        document=document(least),
        contracts={"ticks": CONTRACT},
        limits=PlayLimits(rows=200, bytes=200_000, seconds=120),
    )
    given, half = records(), RECORDS // 2
    first, second = (
        PlayBatch(records={"ticks": tuple(part)}, closing=closing)
        for part, closing in ((given[:half], False), (given[half:], True))
    )
    batches = {
        "ordered": (PlayBatch(records={"ticks": tuple(given)}),),
        "late": (first, PlayBatch(closing=False), second),
        "halves": (first, second),
    }
    return PlayScript(job=job, batches=batches[way])


def one(
    spark: SparkSession, folder: Path, least: int, way: str = "ordered"
) -> tuple[float, float, PlayResult]:
    """Seconds until the answer, processor seconds until the queries are stopped, and what came."""
    given = script(least, way)
    began, cpu = time.monotonic(), cpu_below(os.getpid())
    done: list[float] = []
    result = play(spark, given, folder, told=lambda _: done.append(time.monotonic()))
    assert result.problem is None, result.problem
    return done[0] - began, cpu_below(os.getpid()) - cpu, result


def measure(folder: Path, warm: int, plays: int) -> dict[str, Any]:
    """Measure each way in turn, so that whatever else the machine does meets all of them. In between garbage
    is collected, as an engine does while nobody asks (`jobs.engine.asks`).

    Args:
        folder: new, for checkpoints.
        warm: plays before, which compile.
        plays: that count, of each way.

    Returns:
        records, steps, warm, plays, strangers (cores), first_ms of the process, and by way: p50_ms, p95_ms,
        cpu_ms (the median).
    """
    spent: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    with local_session(folder / "spark") as spark:
        firsts = [one(spark, folder / f"warm{number}", number % 5)[0] for number in range(warm)]
        strangers = Strangers(folder)
        for number in range(plays):
            for way, found in spent.items():
                collect_garbage(spark.sparkContext._jvm)
                seconds, cpu, _ = one(spark, folder / f"{way}{number}", number % 5, way)
                found.append((seconds, cpu))
            print(number + 1, {way: f"{found[-1][0]:.2f} s" for way, found in spent.items()}, flush=True)
        taken = strangers.cores()
    return {
        "records": RECORDS,
        "steps": len(document(0)["steps"]),
        "warm": warm,
        "plays": plays,
        "strangers": taken,
        "first_ms": round(firsts[0] * 1_000) if firsts else None,
        "ways": {
            way: {
                "p50_ms": round(statistics.median(seconds for seconds, _ in found) * 1_000),
                "p95_ms": round(percentile([seconds for seconds, _ in found], 0.95) * 1_000),
                "cpu_ms": round(statistics.median(cpu for _, cpu in found) * 1_000),
            }
            for way, found in spent.items()
        },
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--warm", type=int, default=15)
    parser.add_argument("--plays", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measure(Path(folder), options.warm, options.plays), indent=1))


if __name__ == "__main__":
    main()
