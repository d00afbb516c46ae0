"""What to measure in a limited time: what is not measured yet on this code, the most worth first."""

from collections.abc import Collection
from pathlib import Path
from typing import Final

from bench.machine import is_measured_code
from bench.results import load, load_failure
from bench.sections import SECTIONS

WORTH: Final = (
    "p4", "p7", "state", "p2", "p5", "p1", "gaps", "p2_join", "formats", "flights", "p3", "p6", "relay",
    "large_state", "neighbour", "standby", "previews", "browser", "idle", "costs", "submitted_jobs",
    "results_table", "check", "alerts", "validator", "consumer_groups", "operators",
)  # fmt: skip
"""All sections. First the aims that a user would choose Weir for, then the others by what an hour of them
says; what comes last is long, or has no aim."""


def choose(target: Path, minutes: float, tried: Collection[str]) -> str | None:
    """The section to measure next; None: nothing that is left fits.

    Args:
        target: where numbers are.
        minutes: that are left.
        tried: sections that are not wanted again.
    """
    waiting = [name for name in due(target) if name not in tried]
    return next((name for name in waiting if SECTIONS[name].minutes <= minutes), None)


def due(target: Path) -> list[str]:
    """Sections that are not measured on this code, by worth; last those that failed on it."""
    untried, failed = [], []
    for name in WORTH:
        failure, numbers = load_failure(target, name), load(target, name)
        if failure is not None and is_measured_code(failure.commit):
            failed.append(name)
        elif numbers is None or failure is not None or not is_measured_code(numbers["machine"]["commit"]):
            untried.append(name)
    return [*untried, *failed]
