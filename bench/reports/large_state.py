"""State of many keys: restart, memory, latency."""

from typing import Final

from bench.aims import Numbers, Report, at_most
from bench.percentiles import shown

_TEXT: Final = """
A count per key without a window, of {keys:,} keys, whose job gives results of ten of them; {rate:,}
events/s of these ten, real-time mode. The other keys came as a backlog, and were in the state after
{fill_s:,.0f} s. Latency is from event to client, {seconds} s after as long of warming. A restart is a stop
and a start from the saved state on the same warm engine: from the request to the first result of a later
event. Strangers took {strangers} cores.

| keys | p50 ms | p99 | max | engine, PSS MiB |
|---|--:|--:|--:|--:|
"""


def _text(numbers: Numbers) -> str:
    rows = ""
    for name, keys, engine_mb in zip(
        ("few_ms", "many_ms"), (10, numbers["keys"] + 10), numbers["engine_mb"], strict=True
    ):
        times = shown(numbers[name], ("p50", "p99", "max"))
        rows += f"| {keys:,} | {times} | {engine_mb:,} |\n"
    restarts = ", ".join(f"{seconds:.1f}" for seconds in numbers["restart_s"]) or "not known"
    return _TEXT.format(**numbers) + rows + f"\nSeconds until a restarted job gives results: {restarts}.\n"


LARGE_STATE: Final = Report(
    "State of ten million keys",
    _text,
    (
        at_most(
            "restart", 5, "s", lambda at: None if at.get("failed") else max(at["restart_s"], default=None)
        ),
        at_most("p99", 60, "ms", lambda at: at["many_ms"]["p99"]),
        at_most("the engine grows by", 512, "MiB", lambda at: at["engine_mb"][1] - at["engine_mb"][0]),
    ),
)
