"""The year's flights in hopping windows: from the click to the last result in the browser's socket."""

import threading
import time
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final

import yaml

from bench.systems import running_system
from bench.trials import Trials
from bench.usage import Strangers
from bench.weir_job import await_warm_engine, stop_and_delete, watch
from examples.feed import Feed
from examples.flights.expected import expected
from examples.flights.loader import due
from examples.flights.source import COUNT, flights
from tests.support.rest import Rest
from weir.embedded.layout import REPOSITORY

EXAMPLE: Final = REPOSITORY / "examples" / "flights"
JANUARY: Final = 27_004
MODES: Final = ("auto", "realtime")
"""As the example has it, and the one in which a job with a backlog begins in micro-batches and changes."""
_LIMIT_S: Final = 600.0


class Departures:
    """The windows that the client has, and when it had all."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._held: dict[tuple[datetime, str], int] = {}
        self.counted = 0
        self.results = 0
        self.complete = threading.Event()
        self.complete_us = 0

    def row(self, row: dict[str, Any], now_us: int) -> None:
        """A result arrived: a window's departures so far."""
        window = datetime.fromisoformat(row["window_start"]), row["origin"]
        self.results += 1
        self.counted += row["departures"] - self._held.get(window, 0)
        self._held[window] = row["departures"]
        if self.counted == self._total and not self.complete.is_set():
            self.complete_us = now_us
            self.complete.set()


def measure(folder: Path, months: int, trials: int) -> dict[str, Any]:
    """Drain the flights several times, each time with a new job.

    Args:
        folder: new.
        months: 1 or 12.
        trials: how often in each mode.

    Returns:
        flights (that departed), windows, strangers (cores), failed, and of each trial seconds, results, asked
        (the mode in its document) and mode (that it got).
    """
    windows = expected(range(1, months + 1))
    total = sum(count for count, _ in windows.values())
    sent = COUNT if months == 12 else JANUARY
    with running_system(folder / "system", settings={"WEIR_STANDBY": "false"}) as system:
        rest = system.rest("bench", "bench")
        topic = "bench-flights"
        _register(rest, topic)
        assert Feed(system.bootstrap, topic).send(due(islice(flights(passes=1), sent), speed_up=0)) == sent
        await_warm_engine(rest)
        strangers, parts = Strangers(system.layout.data), Trials()
        found = []
        for number, mode in enumerate(MODES * trials):
            one = parts.run(f"{mode} {number + 1}", partial(_trial, rest, number, mode, total))
            if one is not None:
                found.append(one)
            print(f"flights {number + 1}/{trials * len(MODES)}: {one}", flush=True)
        stranger_cores = strangers.cores()
    return {
        "flights": total // 6,
        "windows": len(windows),
        "strangers": stranger_cores,
        "trials": found,
        "failed": parts.end(),
    }


def _register(rest: Rest, topic: str) -> None:
    (stream,) = yaml.safe_load((EXAMPLE / "streams.yaml").read_text())
    create = {"partitions": stream["partitions"], "retention_ms": None}
    stream = {"name": "flights", "description": "", "topic": topic, "contract": stream["contract"]}
    rest.post("streams", {**stream, "create": create})


def _trial(rest: Rest, number: int, mode: str, total: int) -> dict[str, Any]:
    document = (EXAMPLE / "document.yaml").read_text()
    document = document.replace("name: flights", f"name: flights-{number}", 1)
    assert "mode: auto" in document
    document = document.replace("mode: auto", f"mode: {mode}")
    job = str(rest.post("jobs", {"document": document})["id"])
    seen = Departures(total)
    client = watch(rest, job, seen.row)
    began_us = time.time_ns() // 1_000
    rest.post(f"jobs/{job}/start", {"from": "earliest"})
    try:
        if not seen.complete.wait(_LIMIT_S):
            raise TimeoutError(f"{seen.counted:,} of {total:,} after {_LIMIT_S:g} s")
        seconds = (seen.complete_us - began_us) / 1e6
        chosen = rest.get(f"jobs/{job}")["mode"]["mode"]
        return {"seconds": round(seconds, 2), "results": seen.results, "asked": mode, "mode": chosen}
    finally:
        client.close()
        stop_and_delete(rest, job)
