"""P7: what a killed process costs."""

from typing import Final

from bench.aims import Aim, Numbers, Report, Verdict, at_most

_P7: Final = """
SIGKILL of the engine of a running job, {kills} times at random moments, {rate} events/s, real-time mode,
commit interval {commit_interval}; a standby engine is ready each time (it was after {standby_ready_s} s at
most). Seconds from the kill, at a WebSocket client. Once all events are sent, every window and key must have
one result that counts exactly its events.

| | kills | p50 s | p90 | p95 | max | strangers, cores |
|---|---|---|---|---|---|---|
"""


def _p7(numbers: Numbers) -> str:
    def row(title: str, times: dict[str, float]) -> str:
        seconds = " | ".join(f"{times[name] / 1000:.2f}" for name in ("p50", "p90", "p95", "max"))
        return f"| {title} | {times['count']} | {seconds} | {numbers['strangers']} |\n"

    rows = row("first result of a later event", numbers["fresh_ms"])
    return _P7.format(**numbers) + rows + row("results within 300 ms", numbers["usual_ms"])


def windows_verdict(numbers: Numbers) -> Verdict:
    """Whether every window of every key counts what was sent."""
    wrong = numbers["wrong_windows"]
    text = (
        f"of {numbers['windows']:,} {wrong['missing']} missing, {wrong['unexpected']} doubled or without "
        f"events, {wrong['different']} with other counts"
    )
    return Verdict(text, not any(wrong.values()))


P7: Final = Report(
    "P7: recovery of a killed engine",
    _p7,
    (
        at_most(
            "first result of a later event, p50", 3, "s", lambda numbers: numbers["fresh_ms"]["p50"] / 1000
        ),
        at_most(
            "first result of a later event, p95", 5, "s", lambda numbers: numbers["fresh_ms"]["p95"] / 1000
        ),
        Aim("nothing lost, nothing doubled", windows_verdict),
    ),
)
