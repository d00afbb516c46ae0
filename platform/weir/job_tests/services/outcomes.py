"""Judges what was played, and keeps it: the only writer of results."""

from typing import Any

from django.db import transaction

from jobs.base.storable import without_nul
from jobs.job_tests.capture import TooManyRowsError, captured_expectation
from jobs.job_tests.playable import JudgedPlay, PlayableTest, invalid_result, judge, playable
from jobs.job_tests.results import JobTestResult as TestResult
from jobs.job_tests.rows_by_batch import rows_by_batch
from jobs.play import PlayResult
from weir.job_tests.models import JobTest, JobTestResult, JobTestRun
from weir.job_tests.services.preparation import text_of
from weir.job_tests.services.spool import Spool
from weir.job_tests.services.subjects import subject_of


def record_result(run: JobTestRun, number: int) -> bool:
    """Keep the result of a run's test; False: it is not there yet.

    Args:
        run: that is being played.
        number: of the test in it.
    """
    spool = Spool(run.pk)
    if spool.plays.is_waiting(number):  # asked ten times a second, so before the job is planned
        return False
    made = spool.read_test(number)
    if made is None:
        if not spool.is_there:  # which says nothing of the test
            return False
        _keep(run, number, JudgedPlay(_why_not_played(run, number), {}))
        return True
    played = spool.plays.read_result(number)
    if played is None:  # gone with the folder
        return False
    if run.draft:
        _keep_draft(run, made, played)
    else:
        _keep(run, number, judge(made, played, _accepted(run, number)))
    return True


def _accepted(run: JobTestRun, number: int) -> dict[str, list[str]]:
    found = JobTest.objects.filter(pk=run.plays[number]["test"]).values_list("accepted", flat=True).first()
    return found or {}


def _keep(run: JobTestRun, number: int, judged: JudgedPlay) -> None:
    if run.draft:
        _save_outcome(run, {"result": judged.result.as_json(), "expect": None, "message": "", "batches": []})
        return
    play = run.plays[number]
    assert run.version is not None  # tests that are kept are of a version
    with transaction.atomic():
        test = JobTest.objects.select_for_update().filter(pk=play["test"], revision=play["revision"]).first()
        if test is None:  # deleted or changed meanwhile
            return
        JobTestResult.objects.update_or_create(
            test=test,
            version=run.version,
            defaults={
                "status": judged.result.status,
                "result": without_nul(judged.result.as_json()),
                "basis": play["basis"],
                "elapsed_ms": judged.result.elapsed_ms,
            },
        )
        if judged.result.status == "passed":
            test.accepted = judged.digests
            test.save(update_fields=["accepted"])


def _keep_draft(run: JobTestRun, made: PlayableTest, played: PlayResult) -> None:
    result = judge(made, played, None).result
    expect: dict[str, Any] | None = None
    message = ""
    if result.status != "error":
        try:
            expect = captured_expectation(made.plan, played)
        except TooManyRowsError as error:
            message = str(error)
    batches = rows_by_batch(made.plan, played)
    _save_outcome(run, {"result": result.as_json(), "expect": expect, "message": message, "batches": batches})


def _save_outcome(run: JobTestRun, outcome: dict[str, Any]) -> None:
    run.outcome = without_nul(outcome)
    run.save(update_fields=["outcome"])


def _why_not_played(run: JobTestRun, number: int) -> TestResult:
    """A test without a script: its job has errors by now, or it does not fit the job any more."""
    text = text_of(run, number)
    subject = subject_of(run)
    name = (
        "draft"
        if run.draft
        else JobTest.objects.filter(pk=run.plays[number]["test"]).values_list("name", flat=True).first() or ""
    )
    if not subject.plan.ok:
        which = "document" if run.job is None else f"document of version {run.version}"
        return TestResult(name=name, status="error", message=f"The {which} has errors by now.")
    found = playable(text, subject.plan, subject.contracts)
    if isinstance(found, PlayableTest):
        return TestResult(name=name, status="error", message="It changed while it was run. Run it again.")
    return invalid_result(name, found)
