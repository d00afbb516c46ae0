"""Writes the scripts of a run's tests for what plays them: some at a time, and within a budget.

A hundred tests of a megabyte take a worker minutes, in which it can't look after engines.
"""

import time
from collections.abc import Callable
from typing import Final

from jobs.job_tests.playable import PlayableTest, playable
from weir.job_tests.models import JobTest, JobTestRun
from weir.job_tests.services.spool import Spool
from weir.job_tests.services.subjects import subject_of

MOST_S: Final = 60.0
"""Seconds of work that a run's scripts may take; a test is not interrupted."""


def prepare(run: JobTestRun, seconds: float, note: Callable[[JobTestRun], None]) -> bool:
    """Write scripts for some seconds, at least one; True when all that can be played are there.

    A test that can't be played, because it or its job no longer fits, has no script: `record_result` says
    why.

    Args:
        run: is changed, and goes on where an earlier call ended.
        seconds: after which no other one is written.
        note: is called after each, to keep what was done.
    """
    before = time.monotonic()
    until = before + seconds
    spool = Spool(run.pk)
    if run.prepared == 0:
        spool.prepare()
    subject = subject_of(run)
    size = run_size(run)
    while subject.plan.ok and run.prepared < size:
        made = playable(text_of(run, run.prepared), subject.plan, subject.contracts)
        if isinstance(made, PlayableTest):
            spool.write(run.prepared, made)
        now = time.monotonic()
        run.prepared += 1
        run.preparing_s += now - before
        note(run)
        before = now
        if now > until:
            break
    return not subject.plan.ok or run.prepared >= size


def run_size(run: JobTestRun) -> int:
    """How many tests a run plays."""
    return 1 if run.draft else len(run.plays)


def text_of(run: JobTestRun, number: int) -> str:
    """The document of one of a run's tests, which all together may be too large; empty where it is gone."""
    if run.draft:
        return run.draft
    held = JobTest.objects.filter(pk=run.plays[number]["test"])
    return held.values_list("document_text", flat=True).first() or ""
