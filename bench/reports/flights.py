"""The year's flights, from the click to the last result."""

from typing import Final

from bench.aims import Numbers, Report, at_most

_TEXT: Final = """
{flights:,} flights lie in a topic and are counted in hopping windows of 1 h by 10 min (the example's
document, on the warm engine; auto is its own mode, and in real-time mode it drains the backlog first): from
the moment before the start is asked for until a WebSocket client holds the right count of all {windows:,}
windows. Strangers took {strangers} cores.

| trial | seconds | results at the client | mode asked for | got |
|---|--:|--:|---|---|
"""


def _text(numbers: Numbers) -> str:
    return _TEXT.format(**numbers) + "".join(
        f"| {number} | {trial['seconds']:.1f} | {trial['results']:,} | {trial['asked']} | {trial['mode']} |\n"
        for number, trial in enumerate(numbers["trials"], 1)
    )


FLIGHTS: Final = Report(
    "The year's flights",
    _text,
    (
        at_most(
            "to the last result at the client, the slowest trial",
            12,
            "s",
            lambda at: None if at.get("failed") else max(trial["seconds"] for trial in at["trials"]),
        ),
    ),
)
