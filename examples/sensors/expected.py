"""What the sensors job must answer over given records, computed in one go."""

import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from examples.feed import Due

SIZE_MS = 30_000
GAP_MS = 15_000
RISE = 2.0

Warming = dict[tuple[str, int], tuple[float, float]]
Runs = dict[tuple[str, int, int], tuple[int, float, int]]


def expected(records: Iterable[Due]) -> tuple[Warming, Runs]:
    """What warmed up, and the runs.

    Returns:
        (machine, start of the half minute in ms since 1970) → (average temperature, that of the half minute
        before); (machine, first reading, end in ms since 1970) → (readings, hottest, when it shook most).
    """
    machines: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for record in records:
        value = json.loads(record.value or b"")
        machines[value["machine"]].append(value)
    warming: Warming = {}
    runs: Runs = {}
    for machine, readings in machines.items():
        averages = _averages(readings)
        for start, average in averages.items():
            before = averages.get(start - SIZE_MS)
            if before is not None and average - before > RISE:
                warming[machine, start] = (average, before)
        for run in _runs(readings):
            shaken = max(run, key=lambda reading: (reading["vibration"], reading["at"]))
            hottest = max(reading["temperature"] for reading in run)
            runs[machine, run[0]["at"], run[-1]["at"] + GAP_MS] = (len(run), hottest, shaken["at"])
    return warming, runs


def _averages(readings: list[dict[str, Any]]) -> dict[int, float]:
    windows: dict[int, list[float]] = defaultdict(list)
    for reading in readings:
        windows[reading["at"] // SIZE_MS * SIZE_MS].append(reading["temperature"])
    return {start: sum(values) / len(values) for start, values in windows.items()}


def _runs(readings: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    found: list[list[dict[str, Any]]] = []
    for reading in sorted(readings, key=lambda each: int(each["at"])):
        if found and reading["at"] - found[-1][-1]["at"] <= GAP_MS:
            found[-1].append(reading)
        else:
            found.append([reading])
    return found
