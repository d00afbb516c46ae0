"""Who is told what engines report: the place to subscribe another consumer of ``weir.reports``.

A consumer is called with every report, in the order of the topic, inside the transaction that stores all of
a flush: what it writes is there together with what the others write, or not at all. So it only uses the
database, answers quickly, and lets the kinds of reports pass that it does not know. A report may come again
after a crash. Of heartbeats and positions it sees the newest of a flush (`reports.newest_only`).

The history of lag needs no transaction and takes what was stored from `AppliedReports`.
"""

from collections.abc import Callable
from typing import Final

from jobs.kafka_messages import Report
from weir.dead_letters.services import counts
from weir.run_logs.services import store
from weir.runs.services import report_handlers

CONSUMERS: Final[tuple[Callable[[Report], None], ...]] = (
    report_handlers.apply_report,  # states of runs and engines, watermarks, positions
    counts.apply_report,  # what validators counted
    store.apply_report,  # what engines log about runs
)
