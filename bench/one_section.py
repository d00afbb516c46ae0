"""Measures one section in this process; `python -m bench` starts it for each.

A section that fails, or takes too long, leaves the reason for the report, and the exit code 1.
"""

import argparse
import signal
import traceback
from pathlib import Path
from types import FrameType

from bench.machine import describe
from bench.results import Failure, save, save_failure
from bench.sections import SECTIONS
from bench.trials import TooLongError, error_line

_AGAIN_SECONDS = 120.0  # ends a clean-up that hangs, too


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("section", choices=SECTIONS)
    parser.add_argument("--folder", type=Path, required=True, help="for what is measured, new")
    parser.add_argument("--target", type=Path, required=True, help="where the numbers go")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--limit", type=float, required=True, help="minutes after which it is ended")
    options = parser.parse_args()
    failed = measure(options.section, options.folder, options.target, options.quick, options.limit)
    if failed is not None:
        raise SystemExit(1)


def measure(name: str, folder: Path, target: Path, quick: bool, limit_minutes: float) -> str | None:
    """Measure a section, and save its numbers or why there are none.

    Args:
        name: of the section.
        folder: for what is measured, new.
        target: where the numbers go.
        quick: a smoke run.
        limit_minutes: after which it is ended.

    Returns:
        Why it failed, in a line; None: it did not.
    """
    section, machine = SECTIONS[name], describe()
    folder.mkdir(parents=True)
    try:
        _end_after(60 * limit_minutes)
        numbers, histograms = section.measure(folder, quick)
    except Exception as error:  # noqa: BLE001 - whatever a section fails of, the report names it
        traceback.print_exc()
        failed = error_line(error)
    else:
        save(target, name, {"machine": machine, **numbers}, histograms)
        failed = numbers.get("failed")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    if failed is not None:
        save_failure(target, name, Failure.now(failed, machine["commit"]))
    return failed


def _end_after(seconds: float) -> None:
    def end(_signal: int, _frame: FrameType | None) -> None:
        raise TooLongError(f"not done within {seconds / 60:g} min")

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_SECONDS)


if __name__ == "__main__":
    main()
