"""Gaps without results: changes of modes, and hand-overs."""

from typing import Final

from bench.aims import Numbers, Report, at_most

_TEXT: Final = """
The longest time without a result at a WebSocket client of a count in hopping windows of 20 s by 1 s,
{rate:,} events/s, in seconds, beside the same of {undisturbed_s} s in which nothing happens. {burst:,}
events at once make the job fall behind by more than its `catch_up_from` ({catch_up_from:,}): it changes to
micro-batches, and back by itself; between two batches there are no results either. A job that keeps up
changes nothing: "not seen". A hand-over is a person's replacement of the engine by a standby that is ready.
Strangers took {strangers} cores.

| | times | least | greatest |
|---|--:|--:|--:|
"""
_TITLES: Final = {
    "undisturbed": "undisturbed",
    "to_batches": "from real-time mode to micro-batches",
    "in_batches": "between two micro-batches",
    "to_real_time": "from micro-batches to real-time mode",
    "hand_over": "hand-over to the standby",
}


def _text(numbers: Numbers) -> str:
    rows = ""
    for name, title in _TITLES.items():
        times = numbers[name]
        shown = f"{min(times):.2f} | {max(times):.2f}" if times else "not seen | –"
        rows += f"| {title} | {len(times)} | {shown} |\n"
    return _TEXT.format(**numbers) + rows


GAPS: Final = Report(
    "Gaps without results",
    _text,
    (
        at_most(
            "at a change of modes",
            1,
            "s",
            lambda at: max(at["to_batches"] + at["to_real_time"], default=None),
        ),
        at_most("at a hand-over", 1, "s", lambda at: max(at["hand_over"], default=None)),
    ),
)
