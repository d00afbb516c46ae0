"""Measures one section in this process; `python -m bench` starts it for each.

A section that fails, or takes too long, leaves the reason for the report, and the exit code 1.
"""

import argparse
import signal
import traceback
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from bench.machine import describe
from bench.results import save, save_failure
from bench.sections import SECTIONS

_AGAIN_SECONDS = 120.0  # ends a clean-up that hangs, too


class TooLongError(TimeoutError):
    """A section took longer than its limit."""


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("section", choices=SECTIONS)
    parser.add_argument("--folder", type=Path, required=True, help="for what is measured, new")
    parser.add_argument("--target", type=Path, required=True, help="where the numbers go")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    failed = measure(options.section, options.folder, options.target, options.quick)
    if failed is not None:
        raise SystemExit(1)


def measure(name: str, folder: Path, target: Path, quick: bool) -> str | None:
    """Measure a section, and save its numbers or why there are none.

    Args:
        name: of the section.
        folder: for what is measured, new.
        target: where the numbers go.
        quick: a smoke run.

    Returns:
        Why it failed, in a line; None: it did not.
    """
    section, machine = SECTIONS[name], describe()
    _end_after(60 * (section.quick_limit_minutes if quick else section.limit_minutes))
    folder.mkdir(parents=True)
    try:
        numbers, histograms = section.measure(folder, quick)
    except Exception as error:  # noqa: BLE001 - whatever a section fails of, the report names it
        traceback.print_exc()
        failed = _line(error)
    else:
        save(target, name, {"machine": machine, **numbers}, histograms)
        failed = numbers.get("failed")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    if failed is not None:
        save_failure(target, name, f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {failed}")
    return failed


def _end_after(seconds: float) -> None:
    def end(_signal: int, _frame: FrameType | None) -> None:
        raise TooLongError(f"not done within {seconds / 60:g} min")

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_SECONDS)


def _line(error: Exception) -> str:
    """An error in a line that the report can hold."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text if len(text) <= 300 else f"{text[:300]} …"


if __name__ == "__main__":
    main()
