"""The section of previews in the report."""

from typing import Any

from bench.aims import aim_line, aim_list

_TEXT = """
## Previews
A play of {records:,} JSON records through {steps} steps (three filters, five projections, a final windowed
aggregate, a projection of its results) with the rows of every step, in one process as an engine does it,
after {warm} plays that warm up and another literal each time; {plays} plays of each way in turns. Asking and
answering over Kafka add some 0.05 s, reading the topics 0.05 to 0.15 s once. The first play of the process
took {first_ms:,} ms, which engines do before they are ready. Strangers took {strangers} cores meanwhile. Aim:
p95 of 700 ms where no row is late.

| records are read | p50 ms | p95 | CPU ms, median |
|---|---|---|---|
"""

_WAYS = {
    "ordered": "in one batch, where no row can be late",
    "late": "in two halves with an empty batch between, where one can",
    "halves": "in two halves, as before, which showed no late row",
}


def previews_text(numbers: dict[str, Any]) -> str:
    """The section.

    Args:
        numbers: from `bench.previews.measure`.
    """
    ways = numbers["ways"]
    rows = "".join(
        f"| {title} | {ways[way]['p50_ms']:,} | {ways[way]['p95_ms']:,} | {ways[way]['cpu_ms']:,} |\n"
        for way, title in _WAYS.items()
    )
    usual, before = ways["ordered"], ways["halves"]
    verdicts = [
        aim_line(f"p95 {usual['p95_ms']:,} ms", usual["p95_ms"] <= 700),
        f"{usual['p50_ms'] / before['p50_ms']:.2f} times the median of before, "
        f"{usual['cpu_ms'] / before['cpu_ms']:.2f} times its CPU",
    ]
    return _TEXT.format(**numbers) + rows + aim_list(verdicts)
