"""`make bench`: measures and writes docs/benchmarks.md.

``--within 90`` measures for that many minutes what is not measured yet on this code, and goes on there the
next time. ``--quick`` is a smoke run into a temporary folder.
"""

import argparse
import ctypes
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Set
from pathlib import Path

import psutil

from bench.machine import measured_commit
from bench.report import REPORTS, write_report
from bench.results import FOLDER, Failure, load_failure, save_failure
from bench.sections import SECTIONS
from bench.within import choose, due
from weir.embedded.jars import BENCH_SETS, SETS, install_jars
from weir.embedded.java_classes import compile_classes, outdated
from weir.embedded.layout import REPOSITORY

_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
_CLEAN_UP_MINUTES = 5  # that a section has after its limit to end what it started


def main() -> None:
    options = _options()
    if options.list:
        print(_listed())
        return
    _adopt_orphans()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started ends, too
    install_jars(sets=SETS + BENCH_SETS)  # minutes, the first time: they are no section's
    if outdated():
        compile_classes()
    folder = Path(tempfile.mkdtemp(prefix="weir-bench-"))
    target = folder / "report" if options.quick else FOLDER
    if options.within:
        failed = measure_within(options.within, folder, target, options.quick)
        print(f"Not measured on this code yet: {', '.join(due(target)) or 'nothing'}", flush=True)
    else:
        chosen = [name for name in SECTIONS if not options.only or name in options.only]
        failed = measure(chosen, folder, target, options.quick)
    report = target.parent / f"{target.name}.md"
    if report.exists():
        print(report.read_text())
    if not options.quick:
        shutil.rmtree(folder, ignore_errors=True)
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}; why stands in {report}")


def measure_within(minutes: float, folder: Path, target: Path, quick: bool) -> list[str]:
    """Measure what is not measured yet on this code, the most worth first, each section once.

    Args:
        minutes: that it may take. A section begins when it is likely to be done in what is left, and is ended
            when the time is up.
        folder: as of `measure`.
        target: as of `measure`.
        quick: a smoke run.

    Returns:
        Those that failed.
    """
    until = time.monotonic() + 60 * minutes
    tried: list[str] = []
    failed: list[str] = []
    while (name := choose(target, (until - time.monotonic()) / 60, tried)) is not None:
        tried.append(name)
        failed += measure([name], folder, target, quick, (until - time.monotonic()) / 60)
    return failed


def measure(
    sections: Iterable[str], folder: Path, target: Path, quick: bool, within: float = float("inf")
) -> list[str]:
    """Measure sections one after the other, whatever becomes of each; the report is written after each.

    Args:
        sections: their names.
        folder: for what is measured; each section's part is deleted after it, unless it is a smoke run.
        target: where the numbers go.
        quick: a smoke run.
        within: minutes that each may take, if that is less than its limit.

    Returns:
        Those that failed.
    """
    failed = []
    for name in sections:
        section = SECTIONS[name]
        limit = min(section.quick_limit_minutes if quick else section.limit_minutes, within)
        about = "a smoke run" if quick else f"about {section.minutes} min"
        print(f"{time.strftime('%H:%M', time.gmtime())} UTC {name}: {about}, ended after {limit:.0f} min")
        sys.stdout.flush()
        if not _measured(name, folder / name, target, quick, limit):
            failed.append(name)
        write_report(target)
        if not quick:
            shutil.rmtree(folder / name, ignore_errors=True)
    return failed


def _measured(name: str, folder: Path, target: Path, quick: bool, limit_minutes: float) -> bool:
    """Measure a section in a process of its own, and end whatever that left."""
    command = [sys.executable, "-m", "bench.one_section", name, "--folder", str(folder)]
    command += ["--target", str(target), "--limit", str(limit_minutes), *(["--quick"] if quick else [])]
    before, commit = set(psutil.Process().children(recursive=True)), measured_commit()
    earlier = load_failure(target, name)
    with subprocess.Popen(command, cwd=REPOSITORY) as process:
        try:
            code = process.wait(60 * (limit_minutes + _CLEAN_UP_MINUTES))
        except subprocess.TimeoutExpired:
            code = None
        finally:
            _end_others(before)
    if code is None or code < 0 or (code and load_failure(target, name) == earlier):
        ended = "did not end after its limit" if code is None else f"ended with {code}"
        save_failure(target, name, Failure.now(f"its process {ended}", commit))
    return code == 0


def _adopt_orphans() -> None:
    """Let processes whose parent dies become children of this one, so that it finds them (Linux)."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _end_others(kept: Set[psutil.Process]) -> None:
    """SIGKILL to all processes below this one that are not kept."""
    others = set(psutil.Process().children(recursive=True)) - kept
    for each in others:
        try:
            each.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(others, timeout=10)


def _listed() -> str:
    """All sections with the minutes that a full run takes, and its limit."""
    rows = [("section", "about, min", "limit, min", "")]
    rows += [
        (name, str(section.minutes), str(section.limit_minutes), REPORTS[name].title)
        for name, section in SECTIONS.items()
    ]
    total = sum(section.minutes for section in SECTIONS.values())
    limits = sum(section.limit_minutes for section in SECTIONS.values())
    rows.append(("all", str(total), str(limits), f"{total / 60:.1f} hours"))
    return "\n".join(f"{name:16}{about:>11}{limit:>12}  {title}" for name, about, limit, title in rows)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description="Measure Weir and its peers. Each section runs alone, and is ended at its limit.",
        epilog=_listed(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="a smoke run; its numbers mean nothing and go to a temporary folder",
    )
    parser.add_argument(
        "--only",
        choices=SECTIONS,
        action="append",
        help="measure just this section (may be repeated); the report keeps the others",
    )
    parser.add_argument(
        "--within",
        type=float,
        metavar="MINUTES",
        help="measure what is not measured yet on this code, the most worth first, as far as the time goes",
    )
    parser.add_argument("--list", action="store_true", help="the sections, with minutes and limits")
    options = parser.parse_args()
    if options.within and options.only:
        parser.error("--within chooses the sections itself: leave --only out")
    return options


if __name__ == "__main__":
    main()
