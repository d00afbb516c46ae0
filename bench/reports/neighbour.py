"""A live job beside one that drains a backlog."""

from typing import Final

from bench.aims import Numbers, Report, at_most
from bench.percentiles import shown

_TEXT: Final = """
Event to client of a windowed count over {rate:,} events/s in real-time mode: alone for {seconds} s, and while
another such job on the same engine reads {records:,} records from the beginning, which took {drain_s:,.0f} s.
Strangers took {strangers} cores.

| | events | p50 ms | p90 | p99 | max |
|---|--:|--:|--:|--:|--:|
"""


def _text(numbers: Numbers) -> str:
    rows = ""
    for title, name in (("alone", "alone_ms"), ("beside the backlog", "beside_ms")):
        at = numbers[name]
        times = shown(at, ("p50", "p90", "p99", "max"))
        rows += f"| {title} | {at['count']:,} | {times} |\n"
    return _TEXT.format(**numbers) + rows


NEIGHBOUR: Final = Report(
    "A live job beside a backlog",
    _text,
    (at_most("p99 / p99 alone", 3, "", lambda at: at["beside_ms"]["p99"] / at["alone_ms"]["p99"]),),
)
