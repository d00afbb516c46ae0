"""Asks for runs of tests, and cancels them; `player.py` plays them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.conf import settings
from django.db import transaction

from jobs.base.problems import has_errors
from jobs.formats.contract import StreamContract
from weir.job_tests.models import JobTest, JobTestRun
from weir.job_tests.services.basis import basis_of
from weir.job_tests.services.subjects import subject_of_document
from weir.job_tests.services.tests import check_text, plan_of
from weir.job_tests.task_names import PLAY_TESTS
from weir.runs.models import Job, JobVersion
from weir.runs.services.planning import current_version, require_ok
from weir.runs.task_queue import enqueue
from weir.streams.services.streams import catalog
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import User, Workspace

KEPT_RUNS: Final = 20
"""Of a job, or of a workspace without one; older ones go when another is asked for. Results of tests stay."""


def request_run(
    job: Job, actor: User | None, number: int | None = None, tests: Sequence[str] | None = None
) -> JobTestRun:
    """Play tests of a version, those that were asked for already included: one run at a time of a job.

    Args:
        job: whose tests.
        actor: who asks; None: the system.
        number: of the version; None: the newest.
        tests: ids; None: all of the version.

    Raises:
        ServiceError: NO_TESTS, the version has none of them.
    """
    version = current_version(job, number)
    with transaction.atomic():
        Job.objects.select_for_update().get(pk=job.pk)
        wanted = JobTest.objects.of_version(version.number).filter(job=job)
        chosen = list(wanted if tests is None else wanted.filter(pk__in=tests))
        if not chosen:
            raise ServiceError("NO_TESTS", f"Version {version.number} has no such tests.")
        plays = _plays(chosen, version, catalog(job.workspace))
        same = JobTestRun.objects.filter(
            job=job, version=version.number, draft="", cancel_requested=False, state__in=_LIVE
        ).first()
        if same is not None and same.plays == plays:
            return same
        return _queue(JobTestRun(job=job, version=version.number, plays=plays, created_by=actor))


def request_draft(job: Job, actor: User, text: str, number: int | None = None) -> JobTestRun:
    """Play a test that is not saved, to look at what comes.

    Args:
        job: by whose document it is played.
        actor: who asks.
        text: a test document; what it expects is compared.
        number: of the version; None: the newest.

    Raises:
        ServiceError: TEST_INVALID; it carries all problems.
    """
    document, problems = check_text(text, plan_of(job, number))
    if document is None or has_errors(list(problems)):
        raise ServiceError("TEST_INVALID", "The test has errors.", problems)
    with transaction.atomic():
        Job.objects.select_for_update().get(pk=job.pk)
        version = current_version(job, number)
        return _queue(JobTestRun(job=job, version=version.number, draft=text, created_by=actor))


def request_document(
    workspace: Workspace, actor: User, document: str, streams: Mapping[str, Any] | None, text: str
) -> JobTestRun:
    """Play a test of a document that no job has; the same person's run that is not over ends for it.

    Args:
        workspace: for which it is played.
        actor: who asks.
        document: the job document as text.
        streams: contracts by name, which nobody has to register; None: the registered ones.
        text: a test document; what it expects is compared.

    Raises:
        ServiceError: CONTRACT_INVALID, DOCUMENT_INVALID or TEST_INVALID; it carries all problems.
    """
    plan = require_ok(subject_of_document(workspace, document, streams).plan)
    test, problems = check_text(text, plan)
    if test is None or has_errors(list(problems)):
        raise ServiceError("TEST_INVALID", "The test has errors.", problems)
    for older in JobTestRun.objects.filter(workspace=workspace, created_by=actor, state__in=_LIVE):
        cancel_run(older)
    with transaction.atomic():
        run = JobTestRun(workspace=workspace, document=document, streams=streams, draft=text)
        run.created_by = actor
        return _queue(run)


def cancel_run(run: JobTestRun) -> JobTestRun:
    """Ask a run to end; one that has ended is no error."""
    with transaction.atomic():
        held = JobTestRun.objects.select_for_update().get(pk=run.pk)
        if held.is_live:
            held.cancel_requested = True
            held.save(update_fields=["cancel_requested"])
            transaction.on_commit(lambda: enqueue(PLAY_TESTS, held.pk, queue=held.host_queue))
    return held


def version_made(job: Job, actor: User | None) -> None:
    """Play the tests of a version that was just made; a job without tests has nothing to play."""
    if JobTest.objects.of_version(job.version).filter(job=job).exists():
        request_run(job, actor)


_LIVE: Final = (JobTestRun.State.QUEUED, JobTestRun.State.RUNNING)


def _plays(
    tests: Sequence[JobTest], version: JobVersion, contracts: dict[str, StreamContract]
) -> list[dict[str, object]]:
    return [
        {
            "test": test.pk,
            "revision": test.revision,
            "basis": basis_of(test.document, version, contracts),
        }
        for test in tests
    ]


def _queue(run: JobTestRun) -> JobTestRun:
    """Save a run and send it to this host; runs that ended long ago make room."""
    run.host_queue = settings.HOST_QUEUE
    run.save()
    runs = JobTestRun.objects.filter(job=run.job, workspace=run.workspace)
    kept = list(runs.values_list("pk", flat=True)[:KEPT_RUNS])
    runs.exclude(pk__in=kept).exclude(state__in=_LIVE).delete()
    transaction.on_commit(lambda: enqueue(PLAY_TESTS, run.pk, queue=run.host_queue))
    return run
