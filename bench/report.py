"""Writes docs/benchmarks.md from what the sections measured."""

from pathlib import Path
from typing import Final

from bench.aims import Measured, Numbers, Report, aim_list, aim_table
from bench.reports.browser import BROWSER
from bench.reports.costs import COSTS
from bench.reports.drain import P4
from bench.reports.flights import FLIGHTS
from bench.reports.gaps import GAPS
from bench.reports.large_state import LARGE_STATE
from bench.reports.latency import P1, P2, P2_JOIN, P3
from bench.reports.neighbour import NEIGHBOUR
from bench.reports.previews import PREVIEWS
from bench.reports.recovery import P7
from bench.reports.relay import RELAY
from bench.reports.results_table import RESULTS_TABLE
from bench.reports.scale import IDLE, P5, P6
from bench.reports.services import ALERTS, CHECK, CONSUMER_GROUPS, VALIDATOR
from bench.reports.standby import STANDBY
from bench.reports.submitted_jobs import SUBMITTED_JOBS
from bench.reports.throughput import FORMATS, OPERATORS, STATE
from bench.results import load, load_failure

REPORTS: Final[dict[str, Report]] = {
    "p1": P1,
    "p2": P2,
    "p2_join": P2_JOIN,
    "p3": P3,
    "p4": P4,
    "p5": P5,
    "p6": P6,
    "p7": P7,
    "idle": IDLE,
    "browser": BROWSER,
    "check": CHECK,
    "operators": OPERATORS,
    "formats": FORMATS,
    "state": STATE,
    "costs": COSTS,
    "validator": VALIDATOR,
    "consumer_groups": CONSUMER_GROUPS,
    "alerts": ALERTS,
    "relay": RELAY,
    "previews": PREVIEWS,
    "results_table": RESULTS_TABLE,
    "gaps": GAPS,
    "neighbour": NEIGHBOUR,
    "flights": FLIGHTS,
    "large_state": LARGE_STATE,
    "standby": STANDBY,
    "submitted_jobs": SUBMITTED_JOBS,
}

_HEAD: Final = """# Benchmarks

Written by `make bench`; do not edit. Weir and its peers run one after the other on one machine, on the same
broker, with the same number of partitions and the same load. Latency ends at the client; clock and machine
are the same as the producer's. Peers are read by a plain Kafka consumer, which spares them the hop to a
browser. "Strangers" are cores that were taken meanwhile by processes that are no part of the
measurement: where that is not near 0, the numbers are worse than the machine allows. Raw histograms lie in
[benchmarks/](benchmarks/), in milliseconds.
"""


def write_report(folder: Path) -> None:
    """Write ``<folder>.md`` from the sections that lie in a folder, those that failed included."""
    known = [(report, _measured(folder, section, report)) for section, report in REPORTS.items()]
    parts = [_HEAD, "\n## All aims\n", aim_table(known)]
    parts += [_section(report, measured) for report, measured in known]
    (folder.parent / f"{folder.name}.md").write_text("".join(parts))


def _measured(folder: Path, section: str, report: Report) -> Measured:
    numbers, failure = load(folder, section), load_failure(folder, section)
    if numbers is not None:
        numbers |= {other: load(folder, other) for other in report.beside}
    failed = None if failure is None else f"{failure.at}, commit {failure.commit}: {failure.reason}"
    return Measured(numbers, failed)


def _section(report: Report, measured: Measured) -> str:
    """Nothing of a section that was never tried: the table of aims names it."""
    parts = []
    if measured.failed is not None:
        follows = ""
        if measured.numbers is not None:
            rest = "what else that run measured" if measured.is_partial else "older"
            follows = f". What follows is {rest}."
        parts.append(f"\n**The last run failed**: {measured.failed}{follows}\n")
    if measured.numbers is not None:
        parts += [
            report.text(measured.numbers),
            aim_list(report.aims, measured.numbers),
            _machine(measured.numbers),
        ]
    return "".join([f"\n## {report.title}\n", *parts]) if parts else ""


def _machine(numbers: Numbers) -> str:
    return (
        "\nMeasured on: " + "; ".join(f"{name} {value}" for name, value in numbers["machine"].items()) + ".\n"
    )
