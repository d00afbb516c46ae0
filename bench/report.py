"""Writes docs/benchmarks.md from what the sections measured."""

from pathlib import Path
from typing import Any

from bench.aims import aim_line, aim_list
from bench.previews_report import previews_text
from bench.relay_report import relay_text
from bench.results import load

_HEAD = """# Benchmarks

Written by `make bench`; do not edit. Weir and its peers run one after the other on one machine, on the same
broker, with the same number of partitions and the same load. Latency ends at the client; clock and machine
are the same as the producer's. Peers are read by a plain Kafka consumer, which spares them the hop to a
browser. The column "strangers" says how many cores were taken meanwhile by processes that are no part of the
measurement: where it is not near 0, the numbers are worse than the machine allows. Raw histograms lie in
[benchmarks/](benchmarks/), in milliseconds.
"""

_P1 = """
## P1: click to first correct row
From the moment before the request that starts the job (or before `spark-submit`) to the first row at a client
that counts exactly the events sent. {rate} events/s flow all the time, jobs begin at the end of the topic.
{warm_clicks} starts on the warm engine come before the ones that count: a JVM compiles what is used again.
Aim: ≥ 10 times faster than the tutorial's job, p95 ≤ 1.5 s.

| | trials | p50 ms | p90 | p95 | max | strangers, cores |
|---|---|---|---|---|---|---|
"""

_P2 = """
## P2: event to client
{rate} events/s in ten keys, counted per key in 10 s windows; measured for {seconds} s after {warm_seconds} s
of warming. An event's latency ends when the first result that holds it arrives. Aim: p50 ≤ 15 ms, p99 ≤ 300
ms, at least 15 times below stock micro-batch, at most twice Kafka Streams.

| | events | results | p50 ms | p90 | p99 | p99.9 | max | strangers, cores |
|---|---|---|---|---|---|---|---|---|
"""

_P5 = """
## P5: many jobs
Windowed counts with a filter and a derived field, each another document, all over one topic of {rate}
events/s, real-time mode, no standby engine. Freshness is what lists show, sampled over {seconds} s of all
running jobs, once the last start is 45 s ago. What the machine has no processor time for is queued. A stop
beside all the others took {stop_s} s; strangers took {strangers} cores. Aim: 64 jobs with a p95 of 2 s.

| jobs | running | queued | freshness p50 ms | p95 | engine, cores | system, cores | PSS MiB | started in s |
|---|---|---|---|---|---|---|---|---|
"""

_P6 = """
## P6: many viewers
{viewers:,} WebSocket connections to one web process; each result goes to all viewers of its job as it comes
(interval 0), {rate:g} results/s of each job, {seconds} s. Latency is from the moment before a result is
written to Kafka to its frame at a client; the clients share the two cores. Who stops reading is not counted.
`group_send` is Channels' own way, with its layer in memory, on the same server with the same frames.
Strangers took {strangers} cores. Aim: 8 times `group_send`'s deliveries per core, p99 of 50 ms, memory flat.

| | deliveries/s | web, cores | deliveries/s per core | p50 ms | p99 | max | lost | PSS MiB, first, last |
|---|---|---|---|---|---|---|---|---|
"""

_P7 = """
## P7: recovery of a killed engine
SIGKILL of the engine of a running job, {kills} times at random moments, {rate} events/s, real-time mode,
commit interval {commit_interval}; a standby engine is ready each time (it was after {standby_ready_s} s at
most). Seconds from the kill, at a WebSocket client. Aim: the first result of a later event within 3 s at p50
and 5 s at p95, no window wrong.

| | kills | p50 s | p90 | p95 | max | strangers, cores |
|---|---|---|---|---|---|---|
"""

_IDLE = """
## Idle
The embedded system with its three demos (some 100 events/s together) and one tab open on a job, minutes
5 to 10. PSS divides shared pages among their users, RSS counts them for each. Aim: ≤ 0.9 core, ≤ 2.5 GiB.

| process | cores | PSS MiB | RSS MiB |
|---|---|---|---|
"""

_CHECK = """
## Check
A document of {steps} steps, checked as the editor and every request do; medians of {runs} runs. "Again" is
the same text once more, as while somebody types. The import is in a process of its own. Aim: a check in ≤ 20
ms, the import in ≤ 0.4 s.

| | ms |
|---|---|
| first check | {first_ms} |
| again | {again_ms} |
| import of jobs.plan | {import_ms} |
"""

_OPERATORS = """
## Operators
Rows per CPU-second of a job of one operator, {rows:,} rows of each stream, median of {runs} runs after one
that warms up; JSON records in and out, no broker; strangers took {strangers} cores meanwhile. The same job is
written by hand in PySpark and played twice. "By hand" decodes records as ours does, and leaves the operator
alone to be compared: aim, at most 1.1 times its CPU for operators that Spark has itself. "Trusting" decodes
with a bare `from_json`: a text where a number should be, or something behind the value, goes unnoticed, and
no malformed record is counted. Neither counts errors inside expressions or gives rows an identity. What has
no plain counterpart stands alone.

| | ours, rows/CPU-s | by hand | CPU, ours / by hand | trusting | CPU, ours / trusting |
|---|---|---|---|---|---|
"""

_FORMATS = """
## Formats
Records per CPU-second of decoding alone: {rows:,} records of six fields with an event time, median of {runs}
runs after one that warms up, no broker; strangers took {strangers} cores meanwhile. Ours gives every record a
row or a reason and counts them. The hand-written PySpark trusts its input: `from_json`, `from_csv`, a cast,
or `from_avro` with one schema. Ours reads Avro of several versions that follow each other, each by its own
schema. Aims: json 0.6, csv 0.8, text 1.2, debezium json 0.7, avro 1.2 of the CPU by hand.

| | bytes per record | ours, records/CPU-s | by hand | CPU, ours / by hand |
|---|---|---|---|---|
"""

_OF_STREAMS = 0.7
_KINDS = {
    "current": "table_join, current / KTable join",
    "as_of": "table_join, as of / join with a versioned store, grace 10 s",
    "sliding": "sliding windows of 2 s, final / the same, emitted when they close",
}
_STATE = """
## State beside Kafka Streams
Rows per CPU-second of all processes but the broker, from JSON records in Kafka to JSON records in Kafka:
{rows:,} rows after {warm:,} that warm up, {keys:,} keys, {keys:,} entries of the table, two partitions, state
in RocksDB with changelog on both sides. Ours in micro-batches, as it drains a backlog. Kafka Streams' sliding
windows are others: one more for each row that leaves. Strangers took {strangers} cores meanwhile.

| | ours, rows/CPU-s | Kafka Streams | ours / Kafka Streams |
|---|---|---|---|
"""

_VALIDATOR = """
## Validator
A stream's validator alone in a warm engine, for {seconds} s: {rate:,} records/s in two partitions,
{malformed:.0%} of them malformed and written to the dead letters. The engine without it took {idle_cores}
cores, strangers {strangers}.

| | cores |
|---|---|
| engine with the validator | {cores} |
"""

_ALERTS = """
## Alerts
{rules:,} rules over result rows and {rate:,} rows/s, {seconds} s of traffic, evaluated as the relay does:
rules and rows spread evenly over {jobs} jobs, and all rules over one job whose rows have 100 keys. Aim: below
0.3 core.

| | cores |
|---|---|
| {jobs} jobs | {cores} |
| one job | {one_job_cores} |
"""

_WITHIN = 1.1

_PEERS = {"weir": "Weir, real-time", "microbatch": "stock micro-batch", "streams": "Kafka Streams"}
_STARTS = {
    "warm": "Weir, warm shared engine",
    "cold": "Weir, cold dedicated engine",
    "tutorial": "tutorial job under spark-submit",
}


def write_report(folder: Path) -> None:
    """Write ``<folder>.md`` from the sections that lie in a folder."""
    parts = [_HEAD]
    for section, text in SECTIONS.items():
        numbers = load(folder, section)
        if numbers is not None:
            parts += [text(numbers), _machine(numbers["machine"])]
    (folder.parent / f"{folder.name}.md").write_text("".join(parts))


def _p1(numbers: dict[str, Any]) -> str:
    rows = ""
    for name, title in _STARTS.items():
        at = numbers[name]["latency_ms"]
        times = " | ".join(f"{at[each]:.0f}" for each in ("p50", "p90", "p95", "max"))
        rows += f"| {title} | {numbers[name]['trials']} | {times} | {numbers[name]['strangers']} |\n"
    ours, theirs = numbers["warm"]["latency_ms"], numbers["tutorial"]["latency_ms"]
    verdicts = [
        aim_line(
            f"{theirs['p50'] / ours['p50']:.1f} times faster than the tutorial's job",
            theirs["p50"] >= 10 * ours["p50"],
        ),
        aim_line(f"p95 {ours['p95'] / 1000:.2f} s", ours["p95"] <= 1500),
    ]
    return _P1.format(**numbers) + rows + aim_list(verdicts)


def _p2(numbers: dict[str, Any]) -> str:
    rows = ""
    for name, title in _PEERS.items():
        at = numbers[name]["latency_ms"]
        times = " | ".join(f"{at[each]:.1f}" for each in ("p50", "p90", "p99", "p99.9", "max"))
        results, strangers = numbers[name]["results"], numbers[name]["strangers"]
        rows += f"| {title} | {at['count']:,} | {results:,} | {times} | {strangers} |\n"
    ours, stock, streams = (numbers[name]["latency_ms"] for name in ("weir", "microbatch", "streams"))
    verdicts = [
        aim_line(f"p50 {ours['p50']:.1f} ms", ours["p50"] <= 15),
        aim_line(f"p99 {ours['p99']:.0f} ms", ours["p99"] <= 300),
        aim_line(
            f"p50 {stock['p50'] / ours['p50']:.1f} times below stock micro-batch",
            stock["p50"] >= 15 * ours["p50"],
        ),
        aim_line(
            f"p50 {ours['p50'] / streams['p50']:.2f} times that of Kafka Streams",
            ours["p50"] <= 2 * streams["p50"],
        ),
    ]
    conflated = numbers["weir"]["conflated"]
    after = f"\nResults conflated on the way to the client: {conflated:,}.\n"
    settings = "".join(
        f"- {title}: {', '.join(numbers[name]['settings'])}\n" for name, title in _PEERS.items()
    )
    return _P2.format(**numbers) + rows + aim_list(verdicts) + after + "\nSettings\n\n" + settings


def _p5(numbers: dict[str, Any]) -> str:
    rows = ""
    for step in numbers["steps"]:
        states = step["states"]
        rows += f"| {step['jobs']} | {states.get('running', 0):.0%} | {states.get('queued', 0):.0%} "
        rows += f"| {step['fresh_p50_ms']:,} | {step['fresh_p95_ms']:,} | {step['engine_cores']} "
        rows += f"| {step['system_cores']} | {step['pss_mb']:,} | {step['start_s']} |\n"
    fresh = [step["jobs"] for step in numbers["steps"] if step["fresh_p95_ms"] <= 2_000]
    running = max((step["jobs"] * step["states"].get("running", 0) for step in numbers["steps"]), default=0)
    verdicts = [
        aim_line(f"freshness p95 within 2 s up to {max(fresh, default=0)} jobs", max(fresh, default=0) >= 64),
        aim_line(f"{running:.0f} jobs ran at once", running >= 64),
    ]
    return _P5.format(**numbers) + rows + aim_list(verdicts)


def _p6(numbers: dict[str, Any]) -> str:
    shapes = dict(numbers["shapes"])
    rows = ""
    for name, shape in shapes.items():
        times = " | ".join(f"{shape['latency_ms'][at]:.1f}" for at in ("p50", "p99", "max"))
        rows += f"| {name} | {shape['deliveries_per_second']:,} | {shape['cores']} "
        rows += f"| {shape['deliveries_per_core_second']:,} | {times} | {shape['lost']} "
        rows += f"| {shape['pss_mb'][0]}, {shape['pss_mb'][1]} |\n"
    peer, ours = shapes.pop("group_send, one job"), shapes["one job"]
    factor = ours["deliveries_per_core_second"] / peer["deliveries_per_core_second"]
    slowest = max(shape["latency_ms"]["p99"] for shape in shapes.values())
    growth = max(shape["pss_mb"][1] - shape["pss_mb"][0] for shape in shapes.values())
    verdicts = [
        aim_line(f"{factor:.1f} times the deliveries per core", factor >= 8),
        aim_line(f"p99 {slowest:.0f} ms at most", slowest <= 50),
        aim_line(f"memory grew by {growth} MiB at most", growth <= 20),
    ]
    return _P6.format(**numbers) + rows + aim_list(verdicts)


def _p7(numbers: dict[str, Any]) -> str:
    def row(title: str, times: dict[str, float]) -> str:
        seconds = " | ".join(f"{times[name] / 1000:.2f}" for name in ("p50", "p90", "p95", "max"))
        return f"| {title} | {times['count']} | {seconds} | {numbers['strangers']} |\n"

    fresh = numbers["fresh_ms"]
    rows = row("first result of a later event", fresh) + row("results within 300 ms", numbers["usual_ms"])
    verdicts = [
        aim_line(f"p50 {fresh['p50'] / 1000:.1f} s", fresh["p50"] <= 3_000),
        aim_line(f"p95 {fresh['p95'] / 1000:.1f} s", fresh["p95"] <= 5_000),
        aim_line(f"{numbers['wrong_windows']} wrong windows", numbers["wrong_windows"] == 0),
    ]
    return _P7.format(**numbers) + rows + aim_list(verdicts)


def _idle(numbers: dict[str, Any]) -> str:
    def row(name: str, use: dict[str, float]) -> str:
        return f"| {name} | {use['cores']:.3f} | {use['pss_mb']:.0f} | {use['rss_mb']:.0f} |\n"

    processes = sorted(numbers["processes"].items(), key=lambda item: -item[1]["cores"])
    rows = "".join(row(name, use) for name, use in processes) + row("**sum**", numbers["total"])
    rows += row("the browser, outside the sum", numbers["browser_outside_the_sum"])
    total = numbers["total"]
    verdicts = [
        aim_line(f"{total['cores']:.2f} cores", total["cores"] <= 0.9),
        aim_line(f"{total['pss_mb'] / 1024:.2f} GiB (PSS)", total["pss_mb"] <= 2.5 * 1024),
    ]
    jobs = ", ".join(f"{name} {state}" for name, state in numbers["jobs"].items())
    return _IDLE + rows + aim_list(verdicts) + f"\nJobs at the end: {jobs}.\n"


def _operators(numbers: dict[str, Any]) -> str:
    rows, above = "", []
    for name, job in numbers["jobs"].items():
        if job["by_hand"] is None:
            rows += f"| {name} | {job['ours']:,} | – | – | – | – |\n"
            continue
        ratio, beside = job["by_hand"] / job["ours"], job["trusting"] / job["ours"]
        above += [name] if job["native"] and ratio > _WITHIN else []
        rows += f"| {name} | {job['ours']:,} | {job['by_hand']:,} | {ratio:.2f} "
        rows += f"| {job['trusting']:,} | {beside:.2f} |\n"
    held = sum(job["native"] for job in numbers["jobs"].values())
    verdicts = [
        aim_line(f"{held - len(above)} of {held} jobs within {_WITHIN} times{_but(above)}", not above)
    ]
    return _OPERATORS.format(**numbers) + rows + aim_list(verdicts)


def _check(numbers: dict[str, Any]) -> str:
    verdicts = [
        aim_line(f"first check {numbers['first_ms']} ms", numbers["first_ms"] <= 20),
        aim_line(f"import {numbers['import_ms']} ms", numbers["import_ms"] <= 400),
    ]
    return _CHECK.format(**numbers) + aim_list(verdicts)


def _but(names: list[str]) -> str:
    return f"; above: {', '.join(names)}" if names else ""


def _state(numbers: dict[str, Any]) -> str:
    rows, below = "", []
    for kind, each in numbers["kinds"].items():
        ratio = each["ours"] / each["streams"]
        below += [kind] if ratio < _OF_STREAMS else []
        rows += f"| {_KINDS[kind]} | {each['ours']:,} | {each['streams']:,} | {ratio:.2f} |\n"
    verdict = aim_line(
        f"at least {_OF_STREAMS} × Kafka Streams{_but(below)}".replace("above", "below"), not below
    )
    peer = f"\nThe peer: {', '.join(numbers['settings'])}.\n"
    return _STATE.format(**numbers) + rows + aim_list([verdict]) + peer


def _formats(numbers: dict[str, Any]) -> str:
    rows = ""
    for name, each in numbers["formats"].items():
        hand = each["by_hand"]
        beside = f"{hand:,} | {hand / each['ours']:.2f}" if hand else "– | –"
        rows += f"| {name} | {each['bytes']} | {each['ours']:,} | {beside} |\n"
    return _FORMATS.format(**numbers) + rows


def _validator(numbers: dict[str, Any]) -> str:
    return _VALIDATOR.format(**numbers)


def _alerts(numbers: dict[str, Any]) -> str:
    return _ALERTS.format(**numbers) + aim_list(
        [aim_line(f"{numbers['cores']} core", numbers["cores"] < 0.3)]
    )


def _machine(machine: dict[str, str]) -> str:
    return "\nMeasured on: " + "; ".join(f"{name} {value}" for name, value in machine.items()) + ".\n"


_WAYS = {
    "each_group": "each group asked for (librdkafka)",
    "read": "all groups read together",
    "pass": "the same, with health, forecasts and the database",
}


def _consumer_groups(numbers: dict[str, Any]) -> str:
    rows = ""
    for name, title in _WAYS.items():
        at = numbers[name]
        rows += (
            f"| {title} | {at['requests']:,} | {at['cpu_ms']:,.0f} | {at['broker_cpu_ms']:,.0f} "
            f"| {at['seconds']:.2f} |\n"
        )
    each, read, whole = (numbers[name] for name in _WAYS)
    return (
        f"\n## Watching {numbers['groups']:,} consumer groups\n\n"
        f"{numbers['partitions']} partitions each, all of them behind, one broker; per pass, the "
        "median of several. "
        f"Requests: {each['requests'] / read['requests']:,.0f} times fewer; CPU: "
        f"{each['cpu_ms'] / read['cpu_ms']:.1f} times less for the same numbers, "
        f"{each['cpu_ms'] / whole['cpu_ms']:.1f} times with all that is made of them.\n\n"
        "| way | requests | CPU of the process (ms) | CPU of the broker (ms) | wall (s) |\n"
        "|---|--:|--:|--:|--:|\n"
        f"{rows}"
    )


SECTIONS = {
    "p1": _p1,
    "p2": _p2,
    "p5": _p5,
    "p6": _p6,
    "p7": _p7,
    "idle": _idle,
    "check": _check,
    "operators": _operators,
    "formats": _formats,
    "state": _state,
    "validator": _validator,
    "consumer_groups": _consumer_groups,
    "alerts": _alerts,
    "relay": relay_text,
    "previews": previews_text,
}
