"""`make bench`: measures and writes docs/benchmarks.md.

``--quick`` is a smoke run into a temporary folder.
"""

import argparse
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench import check_speed, click_to_row, formats, latency_of_weir, operators, validator_cost
from bench.idle import measure_idle
from bench.latency_of_peers import measure_peer
from bench.machine import describe
from bench.report import SECTIONS, write_report
from bench.results import FOLDER, save
from tests.support.system import System

RATE = 1_000


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure Weir and its peers")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="a smoke run; its numbers mean nothing and go to a temporary folder",
    )
    parser.add_argument(
        "--only",
        choices=SECTIONS,
        action="append",
        help="measure just this section; the report keeps the others",
    )
    options = parser.parse_args()
    sections = options.only or SECTIONS
    folder = Path(tempfile.mkdtemp(prefix="weir-bench-"))
    target = folder / "report" if options.quick else FOLDER
    machine = describe()
    try:
        if "p1" in sections or "p2" in sections:
            with _system(folder / "system", demo=False) as system:
                if "p2" in sections:
                    _p2(system, folder, target, options.quick, machine)
                if "p1" in sections:
                    _p1(system, folder, target, options.quick, machine)
        if "idle" in sections:
            with _system(folder / "idle", demo=True) as system:
                numbers = measure_idle(system, *((10, 15) if options.quick else (300, 300)))
                save(target, "idle", {"machine": machine, **numbers}, {})
        if "check" in sections:
            save(target, "check", {"machine": machine, **check_speed.measure()}, {})
        if "operators" in sections:
            numbers = operators.measure(
                folder / "operators", *((20_000, 1) if options.quick else (200_000, 3))
            )
            save(target, "operators", {"machine": machine, **numbers}, {})
        if "formats" in sections:
            numbers = formats.measure(folder / "formats", *((20_000, 1) if options.quick else (200_000, 3)))
            save(target, "formats", {"machine": machine, **numbers}, {})
        if "validator" in sections:
            numbers = validator_cost.measure(folder / "validator", *((10, 10) if options.quick else (60, 60)))
            save(target, "validator", {"machine": machine, **numbers}, {})
        write_report(target)
        print((target.parent / f"{target.name}.md").read_text())
    finally:
        if not options.quick:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _system(folder: Path, demo: bool) -> Iterator[System]:
    running = System(folder, demo=demo)
    try:
        running.start(400)
        yield running
    except BaseException:
        print(running.tails())
        raise
    finally:
        running.stop()


def _p1(system: System, folder: Path, target: Path, quick: bool, machine: dict[str, str]) -> None:
    trials, cold = (3, 1) if quick else (30, 5)
    numbers, histograms = click_to_row.measure(
        system.rest("bench", "bench"), system.bootstrap, system.layout.data, folder / "p1", trials, cold
    )
    save(target, "p1", {"machine": machine, **numbers}, histograms)


def _p2(system: System, folder: Path, target: Path, quick: bool, machine: dict[str, str]) -> None:
    warm, seconds = (10, 20) if quick else (120, 120)
    rest = system.rest("bench", "bench")
    histograms = {}
    numbers = {"machine": machine, "rate": RATE, "warm_seconds": warm, "seconds": seconds}
    data = system.layout.data
    print("P2 weir", flush=True)
    numbers["weir"], histograms["weir"] = latency_of_weir.measure(
        rest, system.bootstrap, data, lambda: system.pid("engine"), folder / "p2-weir", RATE, warm, seconds
    )
    print(numbers["weir"], flush=True)
    for peer in ("streams", "microbatch"):
        print(f"P2 {peer}", flush=True)
        numbers[peer], histograms[peer] = measure_peer(
            system.bootstrap, data, peer, folder / f"p2-{peer}", RATE, warm, seconds
        )
        print(numbers[peer], flush=True)
    save(target, "p2", numbers, histograms)


if __name__ == "__main__":
    main()
