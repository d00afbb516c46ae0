"""P1 and P2: how soon a result comes."""

from typing import Final

from bench.aims import Aim, Numbers, Report, Verdict, at_least, at_most, ratio
from bench.percentiles import shown

_P1: Final = """
From the moment before the request that starts the job (or before `spark-submit`) to the first row at a client
that counts exactly the events sent. {rate} events/s flow all the time, jobs begin at the end of the topic.
{warm_clicks} starts on the warm engine come before the ones that count: a JVM compiles what is used again.

| | trials | p50 ms | p90 | p95 | max | strangers, cores |
|---|---|---|---|---|---|---|
"""

_P2: Final = """
{rate} events/s in ten keys, counted per key in 10 s windows; measured for {seconds} s after {warm_seconds} s
of warming. An event's latency ends when the first result that holds it arrives.

| | events | results | p50 ms | p90 | p99 | p99.9 | max | strangers, cores |
|---|---|---|---|---|---|---|---|---|
"""

_P2_JOIN: Final = """
{rate} events/s in ten keys, each joined with the entry of its key in a table of {entries:,} entries, as the
table is now; real-time mode; measured for {seconds} s after {warm_seconds} s of warming. Latency is from the
event to its row at the client.

| | events | results | p50 ms | p90 | p99 | p99.9 | max | strangers, cores |
|---|---|---|---|---|---|---|---|---|
"""

_P3: Final = """
P2's job and load in micro-batches, as fast as each goes: ours with the shortest trigger that a job may ask
for, stock Spark with none; {seconds} s after {warm_seconds} s of warming.

| | events | results | p50 ms | p90 | p99 | p99.9 | max | strangers, cores |
|---|---|---|---|---|---|---|---|---|
"""

_HOPS: Final = """
Where the milliseconds go: the same events, followed for {seconds} s after that, beside plain consumers of
input and result topic. Since sending; a hop is the difference of two p50. The sink's time is that of the
result's record, in whole milliseconds, taken in their middle.

| until | events | p50 ms | p99 | hop, p50 ms |
|---|--:|--:|--:|--:|
"""
_STATIONS: Final = {
    "input": "a plain consumer has it from the input topic (producer, broker, fetch)",
    "sink": "its result is written (fetch by Spark, decoding, operator, encoding)",
    "result": "a plain consumer has the result (sink's producer, broker, fetch)",
    "hub": "the hub sends it (hub's consumer, folding, frame)",
    "client": "the client has it (socket)",
}
_PEERS: Final = {"weir": "Weir, real-time", "microbatch": "stock micro-batch", "streams": "Kafka Streams"}
_STARTS: Final = {
    "warm": "Weir, warm shared engine",
    "standby": "Weir, dedicated engine, a standby is ready",
    "cold": "Weir, cold dedicated engine",
    "tutorial": "tutorial job under spark-submit",
}


def _p1(numbers: Numbers) -> str:
    rows = ""
    for name, title in _STARTS.items():
        if name not in numbers:
            continue
        times = shown(numbers[name]["latency_ms"], ("p50", "p90", "p95", "max"), ".0f")
        rows += f"| {title} | {numbers[name]['trials']} | {times} | {numbers[name]['strangers']} |\n"
    return _P1.format(**numbers) + rows


def _p2(numbers: Numbers) -> str:
    return _P2.format(**numbers) + _beside(numbers, _PEERS) + _conflated(numbers) + _hops(numbers)


def _conflated(numbers: Numbers) -> str:
    if "weir" not in numbers:
        return ""
    return f"\nResults conflated on the way to the client: {numbers['weir']['conflated']:,}.\n"


def _p3(numbers: Numbers) -> str:
    return _P3.format(**numbers) + _beside(
        numbers, {"weir": "Weir, micro-batch", "microbatch": "stock micro-batch"}
    )


def _p2_join(numbers: Numbers) -> str:
    return _P2_JOIN.format(**numbers) + _beside(numbers, _PEERS)


def _all_joined(numbers: Numbers) -> Verdict | None:
    if "weir" not in numbers:
        return None
    without = numbers["weir"]["without_entry"]
    return Verdict(f"{without:,} without", without == 0)


def _beside(numbers: Numbers, titles: dict[str, str]) -> str:
    """Rows of a table of latencies, and under it how each was run; what failed is left out."""
    rows = settings = ""
    for name, title in titles.items():
        if name not in numbers:
            continue
        at = numbers[name]["latency_ms"]
        times = shown(at, ("p50", "p90", "p99", "p99.9", "max"), ".1f")
        results, strangers = numbers[name]["results"], numbers[name]["strangers"]
        rows += f"| {title} | {at['count']:,} | {results:,} | {times} | {strangers} |\n"
        settings += f"- {title}: {', '.join(numbers[name]['settings'])}\n"
    return rows + "\nSettings\n\n" + settings


def _hops(numbers: Numbers) -> str:
    """Empty where an older bench did not follow events."""
    hops = numbers.get("weir", {}).get("hops")
    if hops is None:
        return ""
    rows, before = "", 0.0
    for name, title in _STATIONS.items():
        at = hops[name]
        rows += (
            f"| {title} | {at['count']:,} | {at['p50']:.2f} | {at['p99']:.1f} | {at['p50'] - before:.2f} |\n"
        )
        before = at["p50"]
    return _HOPS.format(seconds=numbers["hop_seconds"]) + rows


def _ms(numbers: Numbers, name: str, percentile: str) -> float | None:
    """None: it was not measured."""
    return float(numbers[name]["latency_ms"][percentile]) if name in numbers else None


def _p50_ratio(numbers: Numbers, one: str, other: str) -> float | None:
    return ratio(_ms(numbers, one, "p50"), _ms(numbers, other, "p50"))


P1: Final = Report(
    "P1: click to first correct row",
    _p1,
    (
        at_least("p50 of the tutorial's job / ours", 10, "", lambda at: _p50_ratio(at, "tutorial", "warm")),
        at_most("p50", 400, "ms", lambda at: _ms(at, "warm", "p50")),
        at_most("p95", 1_500, "ms", lambda at: _ms(at, "warm", "p95")),
        at_most("p50 of a cold dedicated engine", 8, "s", lambda at: ratio(_ms(at, "cold", "p50"), 1_000)),
    ),
)

P2: Final = Report(
    "P2: event to client",
    _p2,
    (
        at_most("p50", 15, "ms", lambda at: _ms(at, "weir", "p50")),
        at_most("p99", 60, "ms", lambda at: _ms(at, "weir", "p99")),
        at_least("p50 of stock micro-batch / ours", 15, "", lambda at: _p50_ratio(at, "microbatch", "weir")),
        at_most("p50 / Kafka Streams'", 2, "", lambda at: _p50_ratio(at, "weir", "streams")),
    ),
)

P2_JOIN: Final = Report(
    "P2 with a table: event to enriched row",
    _p2_join,
    (
        at_most("p50", 15, "ms", lambda at: _ms(at, "weir", "p50")),
        at_most("p50 / Kafka Streams'", 2, "", lambda at: _p50_ratio(at, "weir", "streams")),
        Aim("every row has its entry", _all_joined),
    ),
)

P3: Final = Report(
    "P3: the floor of micro-batches",
    _p3,
    (at_most("p50 / stock Spark's", 1.1, "", lambda at: _p50_ratio(at, "weir", "microbatch")),),
)
