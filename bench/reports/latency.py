"""P1 and P2: how soon a result comes."""

from typing import Final

from bench.aims import Numbers, Report, at_least, at_most

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

_PEERS: Final = {"weir": "Weir, real-time", "microbatch": "stock micro-batch", "streams": "Kafka Streams"}
_STARTS: Final = {
    "warm": "Weir, warm shared engine",
    "cold": "Weir, cold dedicated engine",
    "tutorial": "tutorial job under spark-submit",
}


def _p1(numbers: Numbers) -> str:
    rows = ""
    for name, title in _STARTS.items():
        at = numbers[name]["latency_ms"]
        times = " | ".join(f"{at[each]:.0f}" for each in ("p50", "p90", "p95", "max"))
        rows += f"| {title} | {numbers[name]['trials']} | {times} | {numbers[name]['strangers']} |\n"
    return _P1.format(**numbers) + rows


def _p2(numbers: Numbers) -> str:
    rows = ""
    for name, title in _PEERS.items():
        at = numbers[name]["latency_ms"]
        times = " | ".join(f"{at[each]:.1f}" for each in ("p50", "p90", "p99", "p99.9", "max"))
        results, strangers = numbers[name]["results"], numbers[name]["strangers"]
        rows += f"| {title} | {at['count']:,} | {results:,} | {times} | {strangers} |\n"
    conflated = f"\nResults conflated on the way to the client: {numbers['weir']['conflated']:,}.\n"
    settings = "".join(
        f"- {title}: {', '.join(numbers[name]['settings'])}\n" for name, title in _PEERS.items()
    )
    return _P2.format(**numbers) + rows + conflated + "\nSettings\n\n" + settings


def _ms(numbers: Numbers, name: str, percentile: str) -> float:
    return float(numbers[name]["latency_ms"][percentile])


P1: Final = Report(
    "P1: click to first correct row",
    _p1,
    (
        at_least(
            "p50 of the tutorial's job / ours",
            10,
            "",
            lambda numbers: _ms(numbers, "tutorial", "p50") / _ms(numbers, "warm", "p50"),
        ),
        at_most("p50", 400, "ms", lambda numbers: _ms(numbers, "warm", "p50")),
        at_most("p95", 1_500, "ms", lambda numbers: _ms(numbers, "warm", "p95")),
        at_most("p50 of a cold dedicated engine", 8, "s", lambda numbers: _ms(numbers, "cold", "p50") / 1000),
    ),
)

P2: Final = Report(
    "P2: event to client",
    _p2,
    (
        at_most("p50", 15, "ms", lambda numbers: _ms(numbers, "weir", "p50")),
        at_most("p99", 60, "ms", lambda numbers: _ms(numbers, "weir", "p99")),
        at_least(
            "p50 of stock micro-batch / ours",
            15,
            "",
            lambda numbers: _ms(numbers, "microbatch", "p50") / _ms(numbers, "weir", "p50"),
        ),
        at_most(
            "p50 / Kafka Streams'",
            2,
            "",
            lambda numbers: _ms(numbers, "weir", "p50") / _ms(numbers, "streams", "p50"),
        ),
    ),
)
