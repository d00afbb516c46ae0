"""Reads the log lines of a job's runs: filtered, newest first, in pages."""

import re
import time
from dataclasses import dataclass
from typing import Any, Final, Literal

from django.db.models import Q, QuerySet

from jobs.base.instants import Instant, instant_of, instant_text, microseconds_of
from jobs.kafka_messages import LogReport
from weir.retention import LOG_LINE_RETENTION
from weir.run_logs.models import LEVELS, RunLogLine
from weir.run_logs.services.store import lines_of
from weir.runs.models import Desired, Job, Run
from weir.workspaces.errors import NotFoundError, ServiceError

MAX_RUNS: Final = 50  # that may be chosen: the newest
_CURSOR: Final = re.compile(r"(-?\d{1,17})\.(\d{1,18})")

Empty = Literal["never_started", "not_taken_up", "expired", "older_engine", "no_match"]
"""Why a page has no line: the job was never started; no engine has taken up the run yet; all lines are past
the retention, as those of a run that began before it and has been silent since; the run's engine sends none,
because it is of an older version; none passes the filter.
"""


@dataclass(frozen=True, slots=True)
class LineFilter:
    """Which lines are asked for.

    Attributes:
        level: the lowest level, one of `LEVELS`.
        text: a part of message, detail or logger, in upper or lower case; empty: any.
        since_us: the first instant, inclusive; None: no bound.
        until_us: the last instant, exclusive; None: no bound.
    """

    level: str = LEVELS[0]
    text: str = ""
    since_us: int | None = None
    until_us: int | None = None


def runs_of(job: Job) -> list[Run]:
    """The job's newest runs, newest first."""
    runs = Run.objects.filter(generation__job=job).select_related("generation")
    small = runs.defer("generation__result", "generation__sources")
    return list(small.order_by("-generation__number")[:MAX_RUNS])


def run_of(job: Job, run_id: str | None) -> Run | None:
    """A run of the job; None as id: that of its newest generation, or None before the first start.

    Raises:
        NotFoundError: the job has no run of that id.
    """
    runs = Run.objects.filter(generation__job=job).select_related("generation")
    if run_id is None:
        return runs.order_by("-generation__number").first()
    run = runs.filter(pk=run_id).first()
    if run is None:
        raise NotFoundError("NOT_FOUND", "Run not found, or you don't have access.")
    return run


def page(run: Run, wanted: LineFilter, cursor: str | None, limit: int) -> tuple[list[RunLogLine], str | None]:
    """Lines of a run, newest first, and the cursor of the next page; None: there is none.

    Args:
        run: whose lines.
        wanted: which of them.
        cursor: of the page before; None: the first page.
        limit: how many lines.

    Raises:
        ServiceError: the cursor is none of ours (CURSOR_INVALID).
    """
    lines = _filtered(run, wanted)
    if cursor is not None:
        found = _CURSOR.fullmatch(cursor)
        if found is None:
            raise ServiceError("CURSOR_INVALID", "This cursor isn't valid. Use `cursor` of the page before.")
        at_us, key = int(found[1]), int(found[2])
        lines = lines.filter(Q(at_us__lt=at_us) | Q(at_us=at_us, pk__lt=key))
    rows = list(lines.order_by("-at_us", "-pk")[: limit + 1])
    more = len(rows) > limit
    return rows[:limit], f"{rows[limit - 1].at_us}.{rows[limit - 1].pk}" if more else None


def why_empty(run: Run | None) -> Empty:
    """Why no line of a run was found."""
    if run is None:
        return "never_started"
    if run.log_lines.exists():
        return "no_match"
    if run.last_seen_at is None and not run.start_phases:
        return "not_taken_up"
    oldest_us = time.time_ns() // 1_000 - microseconds_of(LOG_LINE_RETENTION)
    ended = run.desired == Desired.STOPPED and instant_of(run.observed_since) < oldest_us
    started_at = run.executions.values_list("started_at", flat=True).first()  # the newest
    # A run that goes on in silence since then has had lines, too: its engine wrote them at its start.
    silent = started_at is not None and instant_of(started_at) < oldest_us
    return "expired" if ended or silent else "older_engine"


def line_json(line: RunLogLine) -> dict[str, Any]:
    """A stored line as routes give it."""
    return {
        "id": line.name,
        "at": instant_text(Instant(line.at_us)),
        "level": line.level,
        "origin": line.origin,
        "logger": line.logger,
        "message": line.message,
        "detail": line.detail,
        "epoch": line.epoch,
        "engine": line.engine_id,
    }


def report_json(report: LogReport) -> list[dict[str, Any]]:
    """The lines of a report as routes will give them once they are stored."""
    return list(map(line_json, lines_of(report)))


def _filtered(run: Run, wanted: LineFilter) -> QuerySet[RunLogLine]:
    lines = RunLogLine.objects.filter(run=run)
    if wanted.level != LEVELS[0]:
        lines = lines.filter(level__in=LEVELS[LEVELS.index(wanted.level) :])
    if wanted.text:
        text = wanted.text
        lines = lines.filter(
            Q(message__icontains=text) | Q(detail__icontains=text) | Q(logger__icontains=text)
        )
    if wanted.since_us is not None:
        lines = lines.filter(at_us__gte=wanted.since_us)
    if wanted.until_us is not None:
        lines = lines.filter(at_us__lt=wanted.until_us)
    return lines
