"""`make bench`: measures and writes docs/benchmarks.md.

``--quick`` is a smoke run into a temporary folder.
"""

import argparse
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hdrh.histogram import HdrHistogram

from bench import (
    alerts_cost,
    check_speed,
    click_to_row,
    consumer_groups,
    formats,
    latency_of_weir,
    many_jobs,
    many_viewers,
    operators,
    previews,
    recovery,
    relay,
    state,
    validator_cost,
)
from bench.idle import measure_idle
from bench.latency_of_peers import measure_peer
from bench.machine import describe
from bench.report import SECTIONS, write_report
from bench.results import FOLDER, save
from tests.support.system import System

RATE = 1_000
# Section → what measures it, and its sizes in a smoke run and in a real one: rows and runs, or seconds to
# warm up and to measure; of state rows and rows before them; of p6 viewers and seconds; of previews
# plays to warm up and to measure.
_SIZED: dict[str, tuple[Callable[..., dict[str, Any]], tuple[int, int], tuple[int, int]]] = {
    "p6": (many_viewers.measure, (50, 5), (1_000, 40)),
    "operators": (operators.measure, (20_000, 1), (200_000, 3)),
    "formats": (formats.measure, (20_000, 1), (200_000, 3)),
    "state": (state.measure, (20_000, 20_000), (600_000, 300_000)),
    "validator": (validator_cost.measure, (10, 10), (60, 60)),
    "consumer_groups": (consumer_groups.measure, (100, 2), (1_000, 9)),
    "alerts": (alerts_cost.measure, (100, 3), (100, 30)),
    "relay": (relay.measure, (50_000, 1), (1_000_000, 1)),
    "previews": (previews.measure, (2, 1), (25, 20)),
}


@dataclass(frozen=True)
class _Bench:
    """One call of the bench.

    Attributes:
        folder: for what is measured; temporary.
        target: where the numbers go.
        quick: a smoke run.
        machine: what it runs on.
    """

    folder: Path
    target: Path
    quick: bool
    machine: dict[str, str]

    def save(
        self, section: str, numbers: dict[str, Any], histograms: dict[str, HdrHistogram] | None = None
    ) -> None:
        save(self.target, section, {"machine": self.machine, **numbers}, histograms or {})


def main() -> None:
    options = _options()
    folder = Path(tempfile.mkdtemp(prefix="weir-bench-"))
    target = folder / "report" if options.quick else FOLDER
    try:
        _measure(options.only or list(SECTIONS), _Bench(folder, target, options.quick, describe()))
        write_report(target)
        print((target.parent / f"{target.name}.md").read_text())
    finally:
        if not options.quick:
            shutil.rmtree(folder, ignore_errors=True)


def _options() -> argparse.Namespace:
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
    return parser.parse_args()


def _measure(sections: Collection[str], bench: _Bench) -> None:
    if "p1" in sections or "p2" in sections:
        _latencies(sections, bench)
    if "p7" in sections:
        _recovery(bench)
    if "p5" in sections:
        counts, seconds = ([1, 3], 10) if bench.quick else ([1, 5, 15, 30, 64, 100], 60)
        with _system(bench.folder / "p5", demo=False, settings={"WEIR_STANDBY": "false"}) as system:
            bench.save("p5", many_jobs.measure_many(system, bench.folder / "p5-load", counts, seconds))
    if "idle" in sections:
        with _system(bench.folder / "idle", demo=True) as system:
            bench.save("idle", measure_idle(system, *((10, 15) if bench.quick else (300, 300))))
    if "check" in sections:
        bench.save("check", check_speed.measure())
    for section, (measure, smoke, full) in _SIZED.items():
        if section in sections:
            bench.save(section, measure(bench.folder / section, *(smoke if bench.quick else full)))


def _recovery(bench: _Bench) -> None:
    """P7, with a standby engine."""
    kills = 2 if bench.quick else 20
    with _system(bench.folder / "p7", demo=False, settings={"WEIR_STANDBY": "true"}) as system:
        bench.save("p7", *recovery.measure(system, bench.folder / "p7-load", RATE, kills))


def _latencies(sections: Collection[str], bench: _Bench) -> None:
    """P2 and P1 on the same system."""
    with _system(bench.folder / "system", demo=False) as system:
        if "p2" in sections:
            _p2(system, bench)
        if "p1" in sections:
            _p1(system, bench)


@contextmanager
def _system(folder: Path, demo: bool, settings: dict[str, str] | None = None) -> Iterator[System]:
    running = System(folder, settings, demo=demo)
    try:
        running.start(400)
        yield running
    except BaseException:
        print(running.tails())
        raise
    finally:
        running.stop()


def _p1(system: System, bench: _Bench) -> None:
    trials, cold = (3, 1) if bench.quick else (30, 5)
    numbers, histograms = click_to_row.measure(
        system.rest("bench", "bench"), system.bootstrap, system.layout.data, bench.folder / "p1", trials, cold
    )
    bench.save("p1", numbers, histograms)


def _p2(system: System, bench: _Bench) -> None:
    warm, seconds = (10, 20) if bench.quick else (120, 120)
    folder = bench.folder
    rest = system.rest("bench", "bench")
    histograms = {}
    numbers: dict[str, Any] = {"rate": RATE, "warm_seconds": warm, "seconds": seconds}
    data = system.layout.data
    print("P2 weir", flush=True)
    numbers["weir"], histograms["weir"] = latency_of_weir.measure(
        rest, system.bootstrap, data, folder / "p2-weir", RATE, warm, seconds
    )
    print(numbers["weir"], flush=True)
    for peer in ("streams", "microbatch"):
        print(f"P2 {peer}", flush=True)
        numbers[peer], histograms[peer] = measure_peer(
            system.bootstrap, data, peer, folder / f"p2-{peer}", RATE, warm, seconds
        )
        print(numbers[peer], flush=True)
    bench.save("p2", numbers, histograms)


if __name__ == "__main__":
    main()
