"""What a waiting standby engine takes."""

from typing import Final

from bench.aims import Report, at_most, below

_TEXT: Final = """
A warm standby engine without runs, JVM and Python, in a system without jobs; {seconds} s, from
{settle_seconds} s after it is ready. PSS divides shared pages among their users, RSS counts them for each.
Strangers took {strangers} cores.

| cores | PSS MiB | RSS MiB |
|--:|--:|--:|
| {cores} | {pss_mb:,} | {rss_mb:,} |
"""

STANDBY: Final = Report(
    "A waiting standby engine",
    lambda numbers: _TEXT.format(**numbers),
    (
        below("idle", 0.03, "core", lambda numbers: numbers["cores"]),
        at_most("memory", 600, "MiB (PSS)", lambda numbers: numbers["pss_mb"]),
    ),
)
