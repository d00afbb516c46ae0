"""A section's results as files under docs/benchmarks.

Numbers as JSON, histograms in HdrHistogram's format.
"""

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hdrh.histogram import HdrHistogram

from weir.embedded.layout import REPOSITORY

FOLDER = REPOSITORY / "docs" / "benchmarks"


def summary(histogram: HdrHistogram) -> dict[str, float]:
    """Count and percentiles in milliseconds."""
    percentiles = {"p50": 50.0, "p90": 90.0, "p95": 95.0, "p99": 99.0, "p99.9": 99.9}
    found = {name: round(histogram.get_value_at_percentile(at) / 1000, 2) for name, at in percentiles.items()}
    return {"count": histogram.get_total_count(), **found, "max": round(histogram.get_max_value() / 1000, 2)}


def save(folder: Path, section: str, numbers: dict[str, Any], histograms: dict[str, HdrHistogram]) -> None:
    """Write a section's numbers and histograms.

    Args:
        folder: `FOLDER`, or another for a smoke run.
        section: its name, as the command line has it.
        numbers: what the report shows; JSON values.
        histograms: name → microseconds; each becomes ``<section>-<name>.hgrm`` in milliseconds.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _failure(folder, section).unlink(missing_ok=True)
    (folder / f"{section}.json").write_text(json.dumps(numbers, indent=1) + "\n")
    for older in folder.glob(f"{section}-*.hgrm"):  # of a side that failed this time
        older.unlink()
    for name, histogram in histograms.items():
        with (folder / f"{section}-{name}.hgrm").open("wb") as file:
            histogram.output_percentile_distribution(file, 1000.0)


def load(folder: Path, section: str) -> dict[str, Any] | None:
    """A section's numbers, or None when it was not measured."""
    path = folder / f"{section}.json"
    return json.loads(path.read_text()) if path.exists() else None


@dataclass(frozen=True)
class Failure:
    """A run of a section that failed, or of which parts did.

    Attributes:
        at: when, such as ``2026-11-25 10:00 UTC``.
        commit: that was measured.
        reason: one line.
    """

    at: str
    commit: str
    reason: str

    @classmethod
    def now(cls, reason: str, commit: str) -> "Failure":
        """One that has just happened."""
        return cls(f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC", commit, reason)


def save_failure(folder: Path, section: str, failure: Failure) -> None:
    """Note that a section was tried and failed; what it measured before stays."""
    folder.mkdir(parents=True, exist_ok=True)
    _failure(folder, section).write_text(json.dumps(asdict(failure), indent=1) + "\n")


def load_failure(folder: Path, section: str) -> Failure | None:
    """How the last run of a section failed, or None when it did not."""
    path = _failure(folder, section)
    return Failure(**json.loads(path.read_text())) if path.exists() else None


def _failure(folder: Path, section: str) -> Path:
    return folder / f"{section}.failed"
