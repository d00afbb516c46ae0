"""Stores what engines log about runs. The relay calls it inside its transaction."""

import time
from typing import Final

from django.db.models import Count, Q, Sum

from jobs.base.instants import microseconds_of
from jobs.kafka_messages import LogReport, Report
from weir.retention import LOG_LINE_RETENTION, LOG_LINES_PER_RUN, LOG_SIZE_PER_RUN
from weir.run_logs.models import RunLogLine
from weir.runs.models import Run

SLACK_LINES: Final = 100  # above the limit, so that not every report deletes
SLACK_SIZE: Final = 128 * 1024


def apply_report(report: Report) -> None:
    """Store the lines of a log report; other reports change nothing."""
    if isinstance(report, LogReport):
        record_lines(report)


def record_lines(report: LogReport) -> None:
    """Store lines about a run, and delete its oldest beyond the limit. Lines that are stored already, because
    the report came twice, change nothing; nor do those of a run that does not exist any more.
    """
    if not Run.objects.filter(pk=report.run_id).exists():
        return
    RunLogLine.objects.bulk_create(lines_of(report), ignore_conflicts=True)
    _limit(report.run_id)


def lines_of(report: LogReport) -> list[RunLogLine]:
    """The lines of a report as they are stored."""
    return [
        RunLogLine(
            run_id=report.run_id,
            epoch=report.epoch,
            incarnation=report.incarnation,
            number=line.number,
            engine_id=report.engine_id,
            at_us=line.at_us,
            size=len(line.message) + len(line.detail),
            level=line.level,
            origin=line.origin,
            logger=_storable(line.logger[:200]),
            message=_storable(line.message),
            detail=_storable(line.detail),
        )
        for line in report.lines
    ]


def purge(now_us: int | None = None) -> int:
    """Delete the lines that are older than the retention; returns how many. now_us: None: the present."""
    before = (now_us or time.time_ns() // 1_000) - microseconds_of(LOG_LINE_RETENTION)
    return RunLogLine.objects.filter(at_us__lt=before).delete()[0]


def _limit(run_id: str) -> None:
    lines = RunLogLine.objects.filter(run=run_id)
    kept = lines.aggregate(lines=Count("pk"), size=Sum("size"))
    few = kept["lines"] <= LOG_LINES_PER_RUN + SLACK_LINES
    if few and (kept["size"] or 0) <= LOG_SIZE_PER_RUN + SLACK_SIZE:
        return
    count = size = 0
    newest_first = lines.order_by("-at_us", "-pk").values_list("at_us", "pk", "size")
    for at_us, key, length in newest_first.iterator():
        count, size = count + 1, size + length
        if count > LOG_LINES_PER_RUN or size > LOG_SIZE_PER_RUN:
            lines.filter(Q(at_us__lt=at_us) | Q(at_us=at_us, pk__lte=key)).delete()
            return


def _storable(text: str) -> str:
    """PostgreSQL takes no NUL, and UTF-8 no lone surrogate."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
