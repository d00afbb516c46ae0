"""How long results stay away when a run changes its mode, and when its engine is replaced by the standby.

Each event belongs to twenty windows, so that real-time mode is slower: of a tumbling count it reads as much
as the bench can send.
"""

import itertools
import json
import time
from pathlib import Path
from typing import Any, Final

from bench.fill import fill
from bench.steady import Load
from bench.systems import running_system
from bench.trials import Trials
from bench.usage import Strangers
from bench.weir_job import await_standby, await_warm_engine, register, watch
from tests.support.processes import wait_until
from tests.support.rest import Rest
from tests.support.system import System

RATE: Final = 100
CATCH_UP_FROM: Final = 20_000
AROUND_S: Final = 3.0  # before and after what was seen to happen: the interface hears of it late
FALLS_BEHIND_S: Final = 90.0  # in which a job that cannot keep up has changed to micro-batches
_LIMIT_S: Final = 1_200.0


class Arrivals:
    """When results arrived at the client."""

    def __init__(self) -> None:
        self.at_us: list[int] = []

    def row(self, _row: dict[str, Any], now_us: int) -> None:
        """A result arrived."""
        if not self.at_us or now_us > self.at_us[-1]:
            self.at_us.append(now_us)

    def longest_s(self, since_us: int, until_us: int) -> float:
        """The longest time without a result that touches a span; its ends may lie outside.

        What has no end yet lasts until the span's end, at least.
        """
        known = list(self.at_us)
        if not known or known[-1] < until_us:
            known = [*(known or [since_us]), until_us]
        gaps = [
            after - before
            for before, after in itertools.pairwise(known)
            if after >= since_us and before <= until_us
        ]
        return round(max(gaps, default=0) / 1e6, 3)

    def await_one(self) -> None:
        """Wait for a result that arrives from now on."""
        since = _now_us()
        wait_until(lambda: self.at_us and self.at_us[-1] >= since, _LIMIT_S, "another result came")


def measure(folder: Path, changes: int, burst: int, undisturbed_s: int) -> dict[str, Any]:
    """Let a job fall behind and catch up, and replace its engine.

    Args:
        folder: new.
        changes: how often each.
        burst: events that make it fall behind.
        undisturbed_s: how long it is watched before, in seconds.

    Returns:
        rate, burst, catch_up_from, undisturbed_s, strangers (cores), failed, and in seconds, one of each
        time: undisturbed, to_batches, in_batches, to_real_time (none where the job kept up), hand_over.
    """
    with running_system(folder / "system", settings={"WEIR_STANDBY": "true"}) as system:
        rest = system.rest("bench", "bench")
        topic = "bench.gaps"
        stream = register(rest, topic)
        await_warm_engine(rest)
        job = _create(rest, stream)
        with Load(system.bootstrap, topic, RATE, folder):
            arrivals = Arrivals()
            client = watch(rest, job, arrivals.row)
            rest.post(f"jobs/{job}/start", {"from": "now"})
            arrivals.await_one()
            strangers = Strangers(system.layout.data)
            time.sleep(undisturbed_s / 2)
            since = _now_us()
            time.sleep(undisturbed_s)
            undisturbed = arrivals.longest_s(since, _now_us())
            found: dict[str, list[float]] = {
                "to_batches": [], "in_batches": [], "to_real_time": [], "hand_over": [],
            }  # fmt: skip
            parts = Trials()
            for number in range(changes):
                of_modes = parts.run(
                    f"change of modes {number + 1}",
                    lambda: _change_modes(system, rest, job, topic, burst, arrivals),
                )
                for name, seconds in (of_modes or {}).items():
                    found[name].append(seconds)
                hand_over = parts.run(f"hand-over {number + 1}", lambda: _hand_over(rest, job, arrivals))
                if hand_over is not None:
                    found["hand_over"].append(hand_over)
                print(f"gaps {number + 1}/{changes}: {found}", flush=True)
            stranger_cores = strangers.cores()
            parts.run("the client", client.close)
    return {
        "rate": RATE,
        "burst": burst,
        "catch_up_from": CATCH_UP_FROM,
        "undisturbed_s": undisturbed_s,
        "strangers": stranger_cores,
        "undisturbed": [undisturbed],
        **found,
        "failed": parts.end(),
    }


def _create(rest: Rest, stream: str) -> str:
    document = {
        "format": 1,
        "name": "gaps",
        "sources": {"events": {"stream": stream}},
        "steps": {
            "counts": {
                "op": "aggregate",
                "input": "events",
                "window": {"hopping": {"size": "20s", "advance": "1s"}},
                "by": ["k"],
                "measures": {"n": "count()"},
            }
        },
        "outputs": {"live": {"input": "counts", "to": "result"}},
        "settings": {"mode": "realtime", "engine": "shared", "catch_up_from": CATCH_UP_FROM},
    }
    return str(rest.post("jobs", {"document": json.dumps(document)})["id"])


def _change_modes(
    system: System, rest: Rest, job: str, topic: str, burst: int, arrivals: Arrivals
) -> dict[str, float]:
    """From real-time mode to micro-batches and back; empty where the job does not fall behind."""
    fill(system.bootstrap, topic, "count", burst, _now_us(), step_us=0)
    until = time.monotonic() + FALLS_BEHIND_S
    while not rest.get(f"jobs/{job}")["draining"]:
        if time.monotonic() > until:
            return {}
        time.sleep(0.05)
    changed = _now_us()
    wait_until(lambda: not rest.get(f"jobs/{job}")["draining"], _LIMIT_S, "the job is in real-time mode")
    back = _now_us()
    time.sleep(2 * AROUND_S)
    arrivals.await_one()
    around = int(AROUND_S * 1e6)
    between = arrivals.longest_s(changed + around, max(changed + around, back - around))
    return {
        "to_batches": arrivals.longest_s(changed - around, changed + around),
        "in_batches": between,
        "to_real_time": arrivals.longest_s(back - around, back + around),
    }


def _hand_over(rest: Rest, job: str, arrivals: Arrivals) -> float:
    """From an engine to the standby."""

    def engine() -> dict[str, Any] | None:
        return next((each for each in rest.get("engines")["results"] if job in each["runs"]), None)

    await_standby(rest, _LIMIT_S)
    before = engine()
    assert before is not None, "no engine executes the job"
    since = _now_us()
    rest.post(f"engines/{before['id']}/replace")

    def moved() -> bool:
        state = rest.get(f"jobs/{job}")
        return bool(state["observed"] == "running" and state["engine"]["id"] != before["id"])

    wait_until(moved, _LIMIT_S, "another engine executes the job")
    time.sleep(2 * AROUND_S)
    arrivals.await_one()
    return arrivals.longest_s(since, _now_us())


def _now_us() -> int:
    return time.time_ns() // 1_000
