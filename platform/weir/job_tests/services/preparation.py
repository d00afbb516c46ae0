"""Writes the scripts of a run's tests for what plays them."""

from jobs.job_tests.playable import PlayableTest, playable
from weir.job_tests.models import JobTest, JobTestRun
from weir.job_tests.services.spool import Spool
from weir.job_tests.services.subjects import subject_of


def prepare(run: JobTestRun) -> int:
    """Write what can be played; returns how many that are.

    A test that can't be played, because it or its job no longer fits, has no script: `record_result` says
    why.
    """
    spool = Spool(run.pk)
    spool.prepare()
    subject = subject_of(run)
    if not subject.plan.ok:
        return 0
    made = [playable(text, subject.plan, subject.contracts) for text in texts_of(run)]
    written = [(number, test) for number, test in enumerate(made) if isinstance(test, PlayableTest)]
    for number, test in written:
        spool.write(number, test)
    return len(written)


def texts_of(run: JobTestRun) -> list[str]:
    """The documents of a run's tests in order; empty text where a test is gone."""
    if run.draft:
        return [run.draft]
    held = dict(
        JobTest.objects.filter(pk__in=[play["test"] for play in run.plays]).values_list("pk", "document_text")
    )
    return [held.get(play["test"], "") for play in run.plays]
