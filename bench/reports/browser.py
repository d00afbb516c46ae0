"""What pages take in a browser, and how smoothly drawings pan."""

from typing import Final

from bench.aims import Numbers, Report, at_least, at_most

_PAGES: Final = {"job": "a job's live result", "dashboard": "a dashboard"}
_DRAWINGS: Final = {"job": "a job", "map": "the map"}
_TEXT: Final = """
Headless Chromium without a graphics card, which paints on the two cores that run Weir and the load, too;
{seconds:g} s of each page, {settle:g} s after it is open. The job's result is a windowed count of ten keys
with {rate} changed rows/s: its chart and the rows in sight are drawn. The dashboard has {panels} panels of
one job with {panel_rate} changed rows/s: lines, bars, areas, numbers and top lists. Cores are those of all
processes of the browser; of the page's main thread, time in which it has something to do. Strangers took
{strangers} cores.

| page | cores | main thread, share of time |
|---|--:|--:|
"""
_PAN: Final = """
Panning: an empty place is dragged to and fro for half as long. The job has {steps} steps, the map
{places} streams and jobs.

| drawing | frames per second | after more than 20 ms | p99 ms | longest ms |
|---|--:|--:|--:|--:|
"""


def _text(numbers: Numbers) -> str:
    pages = "".join(
        f"| {_PAGES[name]} | {page['cores']:.2f} | {page['main_thread']:.0%} |\n"
        for name, page in numbers["pages"].items()
    )
    drawings = "".join(
        f"| {_DRAWINGS[name]} | {each['fps']} | {each['slow_share']:.1%} "
        f"| {each['p99_ms']} | {each['longest_ms']} |\n"
        for name, each in numbers["drawings"].items()
    )
    return _TEXT.format(**numbers) + pages + _PAN.format(**numbers) + drawings


BROWSER: Final = Report(
    "In the browser",
    _text,
    (
        at_most("a job's page", 0.2, "cores", lambda numbers: numbers["pages"]["job"]["cores"]),
        at_most("20 live panels", 0.35, "cores", lambda numbers: numbers["pages"]["dashboard"]["cores"]),
        at_least(
            "panning",
            59,
            "frames per second",
            lambda numbers: min(one["fps"] for one in numbers["drawings"].values()),
        ),
    ),
)
