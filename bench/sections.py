"""What can be measured: each section alone, in a process and a folder of its own, within a limit of time."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from hdrh.histogram import HdrHistogram

from bench import (
    alerts_cost,
    browser,
    check_speed,
    click_to_row,
    consumer_groups,
    costs,
    drain,
    flights,
    formats,
    gaps,
    large_state,
    latency_of_weir,
    many_jobs,
    many_viewers,
    neighbour,
    operators,
    previews,
    recovery,
    relay,
    results_table,
    standby,
    state,
    submitted_jobs,
    table_join_latency,
    validator_cost,
)
from bench.idle import measure_idle
from bench.latency_of_peers import measure_peer
from bench.systems import leave_broker, running_system
from bench.trials import Trials
from tests.support.system import System

RATE: Final = 1_000
NO_STANDBY: Final = {"WEIR_STANDBY": "false"}
STANDBY: Final = {"WEIR_STANDBY": "true"}

Measurement = tuple[dict[str, Any], dict[str, HdrHistogram]]  # for the report, and raw
Sided = tuple[dict[str, Any], HdrHistogram]  # of one side
Side = Callable[[], Sided]
Measure = Callable[[Path, bool], Measurement]  # of a new folder, and whether it is a smoke run


@dataclass(frozen=True)
class Section:
    """Something that is measured.

    Attributes:
        measure: does it.
        minutes: that a full run takes, estimated.
        limit_minutes: after which a full run is ended, and counts as failed.
        quick_limit_minutes: the same of a smoke run.
    """

    measure: Measure
    minutes: int
    limit_minutes: int
    quick_limit_minutes: int = 40


def _sized(measure: Callable[..., dict[str, Any]], smoke: tuple[Any, ...], full: tuple[Any, ...]) -> Measure:
    """A measurement that takes its folder and numbers: of a smoke run, and of a real one."""
    return lambda folder, quick: (measure(folder / "data", *(smoke if quick else full)), {})


def _p1(folder: Path, quick: bool) -> Measurement:
    standby, trials, cold = (1, 3, 1) if quick else (3, 30, 5)
    with running_system(folder / "protected", settings=STANDBY) as system:
        ours = click_to_row.measure(system, folder / "p1", {"standby": standby, "warm": trials})
    with running_system(folder / "alone", settings=NO_STANDBY) as system:
        others = click_to_row.measure(system, folder / "p1", {"cold": cold, "tutorial": trials})
    failed = "; ".join(filter(None, (ours[0]["failed"], others[0]["failed"]))) or None
    return {**ours[0], **others[0], "failed": failed}, {**ours[1], **others[1]}


def _p2(folder: Path, quick: bool) -> Measurement:
    warm, seconds, hops = (10, 20, 10) if quick else (120, 120, 60)
    with running_system(folder / "system", settings=NO_STANDBY) as system:
        sides: dict[str, Side] = {
            "weir": lambda: latency_of_weir.measure(
                system, folder / "p2-weir", RATE, warm, seconds, hop_seconds=hops
            )
        }
        for peer in ("streams", "microbatch"):
            sides[peer] = partial(_peer, system, peer, folder / f"p2-{peer}", warm, seconds)
        return _beside(sides, {"warm_seconds": warm, "seconds": seconds, "hop_seconds": hops})


def _p3(folder: Path, quick: bool) -> Measurement:
    warm, seconds = (10, 20) if quick else (120, 120)
    with running_system(folder / "system", settings=NO_STANDBY) as system:
        sides: dict[str, Side] = {
            "weir": lambda: latency_of_weir.measure(
                system, folder / "p3-weir", RATE, warm, seconds, latency_of_weir.FASTEST_BATCHES
            ),
            "microbatch": partial(_peer, system, "microbatch", folder / "p3-stock", warm, seconds),
        }
        return _beside(sides, {"warm_seconds": warm, "seconds": seconds})


def _peer(system: System, name: str, folder: Path, warm: int, seconds: int) -> Sided:
    leave_broker(system)
    return measure_peer(system.bootstrap, system.layout.data, name, folder, RATE, warm, seconds)


def _beside(sides: dict[str, Side], sizes: dict[str, Any]) -> Measurement:
    """Measure sides one after the other; one that fails leaves the others."""
    parts, histograms = Trials(), {}
    numbers: dict[str, Any] = {"rate": RATE, **sizes}
    for name, side in sides.items():
        found = parts.run(name, side)
        if found is not None:
            numbers[name], histograms[name] = found
        print(name, numbers.get(name), flush=True)
    return {**numbers, "failed": parts.end()}, histograms


def _p5(folder: Path, quick: bool) -> Measurement:
    counts, seconds = ([1, 3], 10) if quick else ([1, 5, 15, 30, 64, 100], 60)
    with running_system(folder / "system", settings=NO_STANDBY) as system:
        return many_jobs.measure_many(system, folder / "load", counts, seconds), {}


def _p7(folder: Path, quick: bool) -> Measurement:
    with running_system(folder / "system", settings=STANDBY) as system:
        if quick:
            return recovery.measure(system, folder / "load", RATE, dict.fromkeys(recovery.VICTIMS, 1), (3, 3))
        return recovery.measure(system, folder / "load", RATE)


def _browser(folder: Path, quick: bool) -> Measurement:
    with running_system(folder / "system", settings=NO_STANDBY) as system:
        return browser.measure(system, folder / "load", *((3, 4) if quick else (20, 60))), {}


def _idle(folder: Path, quick: bool) -> Measurement:
    with running_system(folder / "system", demo=True, settings=STANDBY) as system:
        return measure_idle(system, *((10, 15) if quick else (300, 300))), {}


SECTIONS: Final[dict[str, Section]] = {
    "p1": Section(_p1, minutes=20, limit_minutes=60),
    "p2": Section(_p2, minutes=18, limit_minutes=45),
    "p2_join": Section(
        lambda folder, quick: table_join_latency.measure(folder, RATE, *((10, 20) if quick else (120, 120))),
        minutes=12,
        limit_minutes=40,
    ),
    "p3": Section(_p3, minutes=13, limit_minutes=40),
    "p4": Section(
        _sized(drain.measure, (1_500_000, 300_000), (20_000_000, 2_000_000)), minutes=40, limit_minutes=120
    ),
    "p5": Section(_p5, minutes=40, limit_minutes=120),
    "p6": Section(_sized(many_viewers.measure, (50, 5), (1_000, 40)), minutes=8, limit_minutes=30),
    "p7": Section(_p7, minutes=45, limit_minutes=90),
    "idle": Section(_idle, minutes=14, limit_minutes=30),
    "browser": Section(_browser, minutes=8, limit_minutes=25),
    "check": Section(lambda *_: (check_speed.measure(), {}), minutes=1, limit_minutes=5),
    "operators": Section(_sized(operators.measure, (20_000, 1), (200_000, 3)), minutes=90, limit_minutes=240),
    "formats": Section(_sized(formats.measure, (20_000, 1), (2_000_000, 3)), minutes=9, limit_minutes=30),
    "state": Section(
        _sized(state.measure, (300_000, 30_000), (600_000, 300_000)), minutes=40, limit_minutes=120
    ),
    "costs": Section(
        lambda folder, quick: (costs.measure(folder, *((10, 5) if quick else (120, 60))), {}),
        minutes=8,
        limit_minutes=25,
    ),
    "validator": Section(_sized(validator_cost.measure, (10, 10), (60, 60)), minutes=5, limit_minutes=15),
    "consumer_groups": Section(
        _sized(consumer_groups.measure, (100, 2), (1_000, 9)), minutes=6, limit_minutes=30
    ),
    "alerts": Section(_sized(alerts_cost.measure, (100, 3), (100, 30)), minutes=2, limit_minutes=10),
    "relay": Section(_sized(relay.measure, (200_000,), (1_000_000,)), minutes=8, limit_minutes=40),
    "previews": Section(_sized(previews.measure, (2, 1), (25, 40)), minutes=5, limit_minutes=20),
    "results_table": Section(
        _sized(results_table.measure, (20_000,), (10_000_000,)), minutes=40, limit_minutes=120
    ),
    "gaps": Section(
        _sized(gaps.measure, (1, 200_000, 10), (3, 2_400_000, 60)),
        minutes=15,
        limit_minutes=60,
    ),
    "neighbour": Section(
        lambda folder, quick: neighbour.measure(
            folder, *((300_000, 15, 5) if quick else (20_000_000, 120, 60))
        ),
        minutes=20,
        limit_minutes=90,
    ),
    "flights": Section(_sized(flights.measure, (1, 1), (12, 3)), minutes=10, limit_minutes=45),
    "large_state": Section(
        lambda folder, quick: large_state.measure(
            folder, *((100_000, 10, 1) if quick else (10_000_000, 60, 3))
        ),
        minutes=20,
        limit_minutes=90,
    ),
    "standby": Section(_sized(standby.measure, (5, 10), (60, 300)), minutes=9, limit_minutes=30),
    "submitted_jobs": Section(
        _sized(submitted_jobs.measure, ([1, 2], 10), ([1, 2, 4, 6, 8, 12, 16], 60)),
        minutes=25,
        limit_minutes=90,
    ),
}
