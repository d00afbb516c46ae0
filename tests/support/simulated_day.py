"""A day of eight consumer groups on a virtual clock: how often the health and fixed thresholds alarm
for nothing,
and what they miss.

``python -m tests.support.simulated_day`` prints the table of `docs/reference/consumer-groups.md`.

The day has a night (a twentieth of the peak), bursts of seconds and of up to two minutes, and three
deployments
per group, during which nobody reads for up to a minute. None of these needs anybody. What does: a reader that
dies, one that hangs, one whose capacity falls below what is written, for ten minutes to an hour each.
An alarm is what lasts for a minute; alarms less than five minutes apart are one.
"""

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from tests.support.simulated_group import PASS_S, SimulatedPartition
from weir.consumer_groups.services.group_reading import Membership, judge_partitions
from weir.runs.services.lag_health import NEEDS_A_LOOK

DAY_S: Final = 86_400
LASTS_S: Final = 60.0
APART_S: Final = 300.0
PEAKS: Final = (2.0, 12.0, 60.0, 200.0, 800.0, 2_000.0, 6_000.0, 20_000.0)  # records/s
COMMITS_S: Final = (5.0, 1.0, 5.0, 5.0, 10.0, 5.0, 1.0, 30.0)
RECORDS: Final = (100, 1_000, 10_000, 100_000)
SECONDS: Final = (30, 60, 300)

Span = tuple[float, float]


@dataclass
class Score:
    """How one way of alarming did."""

    false: int = 0
    missed: int = 0
    delays_s: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Group:
    """One group's day."""

    partition: SimulatedPartition
    incidents: list[Span]


def group(number: int, seed: int) -> Group:
    """A day of the group with this number."""
    chance = random.Random(f"{seed}/{number}")
    peak = PEAKS[number]
    bursts = [
        (at, at + chance.choice((10, 20, 30, 60, 120)), chance.uniform(2.0, 4.0)) for at in spread(chance, 12)
    ]
    deployments = [(at, at + chance.uniform(15, 60)) for at in spread(chance, 3)]
    begins = spread(chance, 3)
    incidents = [(at, at + chance.uniform(600, 3_600)) for at in begins]
    slow = incidents[0]

    def in_rate(now_s: float) -> float:
        day = 0.525 - 0.475 * math.cos(2 * math.pi * now_s / DAY_S)
        burst = next((by for begin, end, by in bursts if begin <= now_s < end), 1.0)
        return peak * day * burst

    def capacity(now_s: float) -> float:
        if any(begin <= now_s < end for begin, end in (*deployments, *incidents[1:])):
            return 0.0
        if slow[0] <= now_s < slow[1]:
            return 0.6 * in_rate(now_s)
        return 2.0 * peak

    return Group(SimulatedPartition(in_rate, capacity, COMMITS_S[number]), incidents)


def spread(chance: random.Random, count: int) -> list[float]:
    """Instants of a day, each in a part of its own, so that what begins there has room."""
    part = (DAY_S - 7_200) / count
    return [1_800 + part * (number + chance.uniform(0.0, 0.3)) for number in range(count)]


def passes(one: Group) -> Iterator[tuple[float, bool, int, float]]:
    """Time, whether the health needs a look, lag in records and in seconds, of each pass."""
    partition, ends = one.partition, [(0.0, 1_000)]
    at, step, next_pass = 0, 0, 0.0
    while step * 0.5 < DAY_S:
        now_s = step * 0.5
        step += 1
        partition.step(now_s)
        if now_s < next_pass:
            continue
        next_pass = now_s + PASS_S
        partition.observe(now_s)
        ends.append((now_s, int(partition.end)))
        while at + 1 < len(ends) and ends[at + 1][1] <= partition.committed:
            at += 1
        lag = int(partition.end) - partition.committed
        health = judge_partitions({("t", 0): partition.track}, Membership("Stable"), round(now_s * 1e6))
        yield now_s, health["t", 0].kind in NEEDS_A_LOOK, lag, now_s - ends[at][0] if lag else 0.0


def alarms(signal: list[tuple[float, bool]]) -> list[Span]:
    """When something had lasted for a minute, until it ended; those close together are one."""
    found: list[Span] = []
    began: float | None = None
    for now_s, on in [*signal, (float(DAY_S), False)]:
        if on and began is None:
            began = now_s
        elif not on and began is not None:
            if now_s - began >= LASTS_S:
                alarm = began + LASTS_S, now_s
                if found and alarm[0] - found[-1][1] < APART_S:
                    found[-1] = found[-1][0], alarm[1]
                else:
                    found.append(alarm)
            began = None
    return found


def score(into: Score, found: list[Span], incidents: list[Span], recovered: Callable[[float], float]) -> None:
    """Count one group's day.

    Args:
        into: what is counted.
        found: alarms.
        incidents: what somebody had to know.
        recovered: when the backlog of an incident that ended then was read.
    """
    whole = [(begin, recovered(end)) for begin, end in incidents]
    into.false += sum(not any(begin <= at <= end for begin, end in whole) for at, _ in found)
    for begin, end in incidents:
        inside = [at for at, until in found if until > begin and at < end]
        if inside:
            into.delays_s.append(max(0.0, min(inside) - begin))
        else:
            into.missed += 1


def play(seed: int = 1) -> dict[str, Score]:
    """The scores of the health and of each threshold, over all groups."""
    ways: dict[str, Callable[[bool, int, float], bool]] = {"health": lambda ill, _records, _seconds: ill}
    for limit in RECORDS:
        ways[f"> {limit:,} records"] = lambda _ill, records, _seconds, limit=limit: records > limit  # type: ignore[misc]
    for limit in SECONDS:
        ways[f"> {limit} s"] = lambda _ill, _records, seconds, limit=limit: seconds > limit  # type: ignore[misc]
    scores = {name: Score() for name in ways}
    for number in range(len(PEAKS)):
        one = group(number, seed)
        seen = list(passes(one))
        caught_up = [now_s for now_s, _, _, seconds in seen if seconds < 2 * COMMITS_S[number] + 2 * PASS_S]

        def recovered(end: float, times: list[float] = caught_up) -> float:
            return next((at for at in times if at >= end + PASS_S), float(DAY_S)) + LASTS_S

        for name, is_on in ways.items():
            signal = [(now_s, is_on(ill, records, seconds)) for now_s, ill, records, seconds in seen]
            score(scores[name], alarms(signal), one.incidents, recovered)
    return scores


def table(scores: dict[str, Score]) -> str:
    """The scores as Markdown."""
    rows = "".join(
        f"| {name} | {one.false} | {one.missed} "
        f"| {f'{median(one.delays_s):.0f} s' if one.delays_s else '–'} |\n"
        for name, one in scores.items()
    )
    head = f"| alarm after 60 s of | false | missed of {3 * len(PEAKS)} | median time to the alarm |\n"
    return f"{head}|---|--:|--:|--:|\n{rows}"


if __name__ == "__main__":
    print(table(play()))
