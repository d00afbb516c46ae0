"""The benchmark of previews asks as the platform does, and its report has a row for each way."""

from pathlib import Path
from typing import Any

from bench.previews import CONTRACT, WAYS, document, records, script
from bench.report import write_report
from bench.results import save
from jobs.formats.decoding import decode
from jobs.formats.records import Row
from jobs.plan import plan_job
from weir.preview.services.batching import batches
from weir.preview.services.samples import Sample


def test_no_row_of_it_can_be_late_and_the_platform_asks_so() -> None:
    plan = plan_job(document(3), {"ticks": CONTRACT})
    assert plan.ok
    found = [decode(record.value, record.key, CONTRACT, record.timestamp_us) for record in records()]
    times = tuple(one.event_time for one in found if isinstance(one, Row))
    sample = Sample(tuple(records()), times=times)
    assert batches(plan, {"ticks": sample}) == script(3, "ordered").batches
    unknown = Sample(tuple(records()))
    assert batches(plan, {"ticks": unknown}) == script(3, "late").batches


def test_the_report_compares_the_ways(tmp_path: Path) -> None:
    ways = {way: {"p50_ms": 600, "p95_ms": 650, "cpu_ms": 500} for way in WAYS}
    ways["halves"] = {"p50_ms": 1_200, "p95_ms": 1_300, "cpu_ms": 1_000}
    numbers: dict[str, Any] = {"records": 1_000, "steps": 10, "warm": 2, "plays": 1, "first_ms": 9_000}
    machine = {"measured at": "2026-11-25 20:00 UTC"}
    save(tmp_path / "r", "previews", {"machine": machine, "strangers": 0.1, "ways": ways, **numbers}, {})
    write_report(tmp_path / "r")
    text = (tmp_path / "r.md").read_text()
    assert "| in one batch, where no row can be late | 600 | 650 | 500 |" in text
    assert "- p95 where no row is late ≤ 700 ms: 650 ms, met" in text
    ratios = "0.50 times the median of two halves, and 0.50 times their processor time"
    assert ratios in " ".join(text.split())
