"""P5, P6 and idle: how much a machine carries."""

from typing import Any, Final

from bench.aims import Aim, Numbers, Report, Verdict, at_least, at_most, ratio
from bench.percentiles import shown

RUNNING_SHARE: Final = 0.95
FRESH_MS: Final = 2_000
DEAREST: Final = 4  # processes beside the engine that the table of P5 names

_P5: Final = """
Windowed counts with a filter and a derived field, each another document, all over one topic of {rate}
events/s, real-time mode, no standby engine. Freshness is what lists show, sampled over {seconds} s of all
running jobs, once the last start is 45 s ago. What the machine has no processor time for is queued
(AT_CAPACITY), and is not carried: of the jobs that count, at least 95 % run and have a freshness, p95 within
2 s. Strangers took {strangers} cores.

| jobs | running | queued | others: why | fresh p50 ms | p95 | {cores} | PSS MiB | begun, s |
|{columns}
"""

_P6: Final = """
{viewers:,} WebSocket connections to one web process; each result goes to all viewers of its job as it comes
(interval 0), {rate:g} results/s of each job, {seconds} s. Latency is from the moment before a result is
written to Kafka to its frame at a client; the clients share the two cores. Who stops reading is not counted.
`group_send` is Channels' own way, with its layer in memory, on the same server with the same frames.
Strangers took {strangers} cores.

| | deliveries/s | web, cores | deliveries/s per core | p50 ms | p99 | max | lost | PSS MiB, first, last |
|---|---|---|---|---|---|---|---|---|
"""

_IDLE: Final = """
The embedded system with its three demos (some 100 events/s together) and one tab open on a job, minutes
5 to 10. A second engine in the list is the standby that waits. PSS divides shared pages among their users,
RSS counts them for each.

| process | cores | PSS MiB | RSS MiB |
|---|---|---|---|
"""
_PEER: Final = "group_send, one job"


def jobs_carried(steps: list[dict[str, Any]]) -> int:
    """The greatest number of jobs that a machine carried, 0 if none: nearly all of them ran and had a
    freshness, and that was within 2 s at p95. What waits in the queue is not carried, however fresh the few
    are that run.

    Args:
        steps: of `bench.many_jobs.measure_many`.
    """
    return max(
        (
            step["jobs"]
            for step in steps
            if step["known"] >= RUNNING_SHARE
            and step["fresh_p95_ms"] is not None
            and step["fresh_p95_ms"] <= FRESH_MS
        ),
        default=0,
    )


def _p5(numbers: Numbers) -> str:
    rows = ""
    names = _dearest([step["cores"] for step in numbers["steps"]])
    for step in numbers["steps"]:
        cores = step["cores"]
        shares = " | ".join(f"{cores.get(name, 0.0):.2f}" for name in ("engine", *names))
        states = step["states"]
        others = ", ".join(f"{name} {share:.0%}" for name, share in step["reasons"].items())
        fresh = " | ".join(
            "not known" if step[name] is None else f"{step[name]:,}"
            for name in ("fresh_p50_ms", "fresh_p95_ms")
        )
        begun = step["start_s"] if step["settled"] else "still starting"
        rows += f"| {step['jobs']} | {states.get('running', 0):.0%} | {states.get('queued', 0):.0%} "
        rows += f"| {others or '–'} | {fresh} | {sum(cores.values()):.2f} | {shares} "
        rows += f"| {step['pss_mb']:,} | {begun} |\n"
    head = {"cores": " | ".join(("cores", "engine", *names)), "columns": "---|" * (10 + len(names))}
    return _P5.format(**numbers, **head) + rows


def _dearest(steps: list[dict[str, float]]) -> list[str]:
    """The processes beside the engine that take most of the machine at any of the steps."""
    most = {name: max(step.get(name, 0.0) for step in steps) for name in set().union(*steps)} if steps else {}
    others = sorted((name for name in most if name != "engine"), key=lambda name: (-most[name], name))
    return others[:DEAREST]


def _p6(numbers: Numbers) -> str:
    rows = ""
    for name, shape in numbers["shapes"].items():
        times = shown(shape["latency_ms"], ("p50", "p99", "max"), ".1f")
        rows += f"| {name} | {shape['deliveries_per_second']:,} | {shape['cores']} "
        rows += f"| {shape['deliveries_per_core_second']:,} | {times} | {shape['lost']} "
        rows += f"| {shape['pss_mb'][0]}, {shape['pss_mb'][1]} |\n"
    return _P6.format(**numbers) + rows


def _of_weir(numbers: Numbers) -> list[dict[str, Any]]:
    return [shape for name, shape in numbers["shapes"].items() if name != _PEER]


def _beside_group_send(numbers: Numbers) -> float | None:
    one, peer = (
        numbers["shapes"].get(name, {}).get("deliveries_per_core_second") for name in ("one job", _PEER)
    )
    return ratio(one, peer)


def _idle(numbers: Numbers) -> str:
    def row(name: str, use: dict[str, float]) -> str:
        return f"| {name} | {use['cores']:.3f} | {use['pss_mb']:.0f} | {use['rss_mb']:.0f} |\n"

    processes = sorted(numbers["processes"].items(), key=lambda item: -item[1]["cores"])
    rows = "".join(row(name, use) for name, use in processes) + row("**sum**", numbers["total"])
    rows += row("the browser, outside the sum", numbers["browser_outside_the_sum"])
    jobs = ", ".join(f"{name} {state}" for name, state in numbers["jobs"].items())
    return _IDLE + rows + f"\nJobs at the end: {jobs}.\n"


def _all_run(numbers: Numbers) -> Verdict:
    others = [name for name, state in numbers["jobs"].items() if state != "running"]
    return Verdict("all" if not others else f"not {', '.join(others)}", not others)


P5: Final = Report(
    "P5: many jobs",
    _p5,
    (
        at_least(
            "jobs carried with a freshness p95 within 2 s",
            64,
            "jobs",
            lambda numbers: jobs_carried(numbers["steps"]),
        ),
        at_most("a stop beside all others", 5, "s", lambda numbers: numbers["stop_s"]),
    ),
)

P6: Final = Report(
    "P6: many viewers",
    _p6,
    (
        at_least("deliveries per core / those of `group_send`", 8, "", _beside_group_send),
        at_most(
            "p99",
            50,
            "ms",
            lambda numbers: max((shape["latency_ms"]["p99"] for shape in _of_weir(numbers)), default=None),
        ),
        at_most(
            "memory grows by",
            20,
            "MiB",
            lambda numbers: max(
                (shape["pss_mb"][1] - shape["pss_mb"][0] for shape in _of_weir(numbers)), default=None
            ),
        ),
    ),
)

IDLE: Final = Report(
    "Idle",
    _idle,
    (
        at_most("all processes", 0.9, "cores", lambda numbers: numbers["total"]["cores"]),
        at_most("all processes", 2.5, "GiB (PSS)", lambda numbers: numbers["total"]["pss_mb"] / 1024),
        Aim("the demos' jobs run", _all_run),
    ),
)
