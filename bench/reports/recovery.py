"""P7: what a killed process costs."""

from typing import Final

from bench.aims import Aim, Numbers, Report, Verdict, at_most

_P7: Final = """
SIGKILL at random moments and in random order, {rate} events/s, a windowed count in real-time mode, commit
interval {commit_interval}; a standby engine is ready each time (it was after {standby_ready_s} s at most).
Seconds from the kill to the first result of a later event, and until results are no older than 300 ms again,
at a WebSocket client that connects again every 50 ms and goes on from its cursor. Once all events are sent,
every window and key must have one result that counts exactly its events. Gaps that the client was told of:
{told}. Strangers took {strangers} cores.

| killed | kills | later event, p50 s | max | as before, p50 s | max |
|---|---|---|---|---|---|
"""
_TITLES: Final = {"kafka": "broker"}


def _p7(numbers: Numbers) -> str:
    rows = ""
    for name, each in numbers["victims"].items():
        fresh, usual = each["fresh_ms"], each["usual_ms"]
        times = [at[name] for at in (fresh, usual) if at["count"] for name in ("p50", "max")]
        seconds = " | ".join([*(f"{time / 1000:.2f}" for time in times), *["–"] * (4 - len(times))])
        rows += f"| {_TITLES.get(name, name)} | {each['kills']} | {seconds} |\n"
    told = ", ".join(numbers["gaps"]) or "none"
    phases = ", ".join(f"{name.replace('_', ' ')} {at:,}" for name, at in numbers["phases_ms"].items())
    after = f"\nA start after an engine's kill, median ms until each phase: {phases}.\n"
    return _P7.format(**numbers, told=told) + rows + after


def windows_verdict(numbers: Numbers) -> Verdict | None:
    """Whether every window of every key counts what was sent; None: that could not be compared."""
    wrong = numbers["wrong_windows"]
    if wrong is None:
        return None
    text = (
        f"of {numbers['windows']:,} {wrong['missing']} missing, {wrong['unexpected']} doubled or without "
        f"events, {wrong['different']} with other counts"
    )
    return Verdict(text, not any(wrong.values()))


def _seconds(numbers: Numbers, victim: str, percentile: str) -> float | None:
    killed = numbers["victims"].get(victim)
    return killed["fresh_ms"][percentile] / 1000 if killed else None


P7: Final = Report(
    "P7: recovery of killed processes",
    _p7,
    (
        at_most(
            "a later event after an engine's kill, p50", 3, "s", lambda at: _seconds(at, "engine", "p50")
        ),
        at_most(  # asked for at p95, which of eight kills is the slowest
            "a later event after an engine's kill, the slowest",
            5,
            "s",
            lambda at: _seconds(at, "engine", "max"),
        ),
        at_most("a later event by cursor after a web's kill", 2, "s", lambda at: _seconds(at, "web", "max")),
        Aim("nothing lost, nothing doubled", windows_verdict),
    ),
)
