"""Previews: how long a play takes, by how its records are read."""

from typing import Final

from bench.aims import Numbers, Report, at_most

_TEXT: Final = """
A play of {records:,} JSON records through {steps} steps (three filters, five projections, a final windowed
aggregate, a projection of its results) with the rows of every step, in one process as an engine does it,
after {warm} plays that warm up and another literal each time; {plays} plays of each way in turns, between
which garbage is collected, as an engine without runs does when nobody has asked for 0.4 s. Asking and
answering over Kafka add some 0.05 s, reading the topics 0.05 to 0.15 s once. The first play of the process
took {first_ms:,} ms, which engines do before they are ready. Strangers took {strangers} cores meanwhile. With
one batch a play took {time:.2f} times the median of two halves, and {cpu:.2f} times their processor time.

| records are read | p50 ms | p95 | CPU ms, median |
|---|---|---|---|
"""

_WAYS: Final = {
    "ordered": "in one batch, where no row can be late",
    "late": "in two halves with an empty batch between, where one can",
    "halves": "in two halves, as before, which showed no late row",
}


def _previews(numbers: Numbers) -> str:
    ways = numbers["ways"]
    usual, before = ways["ordered"], ways["halves"]
    ratios = {"time": usual["p50_ms"] / before["p50_ms"], "cpu": usual["cpu_ms"] / before["cpu_ms"]}
    rows = "".join(
        f"| {title} | {ways[way]['p50_ms']:,} | {ways[way]['p95_ms']:,} | {ways[way]['cpu_ms']:,} |\n"
        for way, title in _WAYS.items()
    )
    return _TEXT.format(**numbers, **ratios) + rows


PREVIEWS: Final = Report(
    "Previews",
    _previews,
    (
        at_most(
            "p95 where no row is late", 700, "ms", lambda numbers: float(numbers["ways"]["ordered"]["p95_ms"])
        ),
    ),
)
