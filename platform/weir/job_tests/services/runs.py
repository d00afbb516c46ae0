"""Asks for runs of tests, and cancels them; `player.py` plays them.

A host plays one run at a time for all workspaces, so what may wait is bounded: of drafts each person's
newest, of others a number for each workspace.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import structlog
from django.db import transaction
from django.db.models import QuerySet

from jobs.base.problems import has_errors
from weir.job_tests.models import LIVE, JobTest, JobTestRun
from weir.job_tests.services.basis import basis_of, read_streams
from weir.job_tests.services.play_hosts import host_for_tests
from weir.job_tests.services.subjects import subject_of_document
from weir.job_tests.services.tests import check_text, plan_of
from weir.job_tests.task_names import PLAY_TESTS
from weir.runs.models import Job, JobVersion
from weir.runs.services.job_lock import lock_job
from weir.runs.services.planning import current_version, require_ok
from weir.runs.task_queue import enqueue
from weir.streams.services.catalog import Catalog
from weir.streams.services.streams import catalog
from weir.workspaces.errors import BusyError, ServiceError
from weir.workspaces.models import User, Workspace

MAX_LIVE_RUNS: Final = 10
"""Runs of saved tests that a workspace may have waiting or running."""

KEPT_RUNS: Final = 20
"""Of a job, or of a workspace without one; older ones go when another is asked for. Results of tests stay."""


_LOG: Final = structlog.get_logger("weir.job_tests")


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
        BusyError: the workspace has `MAX_LIVE_RUNS`.
        NotFoundError: the job is deleted.
    """
    version = current_version(job, number)
    with transaction.atomic():
        lock_job(job)
        wanted = JobTest.objects.of_version(version.number).filter(job=job)
        chosen = wanted if tests is None else wanted.filter(pk__in=tests)
        plays = _plays(chosen, version, catalog(job.workspace))
        if not plays:
            raise ServiceError("NO_TESTS", f"Version {version.number} has no such tests.")
        same = JobTestRun.objects.filter(
            job=job, version=version.number, draft="", cancel_requested=False, state__in=LIVE
        ).first()
        if same is not None and same.plays == plays:
            return same
        _require_room(job.workspace)
        return _queue(JobTestRun(job=job, version=version.number, plays=plays, created_by=actor))


def request_draft(job: Job, actor: User, text: str, number: int | None = None) -> JobTestRun:
    """Play a test that is not saved, to look at what comes; the same person's draft that is not over ends for
    it.

    Args:
        job: by whose document it is played.
        actor: who asks.
        text: a test document; what it expects is compared.
        number: of the version; None: the newest.

    Raises:
        ServiceError: TEST_INVALID; it carries all problems.
        NotFoundError: the job is deleted.
    """
    document, problems = check_text(text, plan_of(job, number))
    if document is None or has_errors(list(problems)):
        raise ServiceError("TEST_INVALID", "The test has errors.", problems)
    with transaction.atomic():
        _end_drafts(actor)
        lock_job(job)
        version = current_version(job, number)
        return _queue(JobTestRun(job=job, version=version.number, draft=text, created_by=actor))


def request_document(
    workspace: Workspace, actor: User, document: str, streams: Mapping[str, Any] | None, text: str
) -> JobTestRun:
    """Play a test of a document that no job has; the same person's draft that is not over ends for it.

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
    with transaction.atomic():
        _end_drafts(actor)
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
    if not JobTest.objects.of_version(job.version).filter(job=job).exists():
        return
    try:
        request_run(job, actor)
    except BusyError:  # the version is made; its start asks for them again
        _LOG.info("the tests of a new version are not run by themselves", job=job.pk)


def _end_drafts(person: User) -> None:
    """Cancel what the person looks at no more, here or in another workspace; called in the transaction that
    asks for a newer one.
    """
    User.objects.select_for_update(no_key=True).filter(pk=person.pk).first()  # two at once leave one
    for older in JobTestRun.objects.filter(created_by=person, state__in=LIVE).exclude(draft=""):
        if not older.cancel_requested:
            cancel_run(older)


def _require_room(workspace: Workspace) -> None:
    """Refuse one run more than a workspace may have.

    Raises:
        BusyError: it has them.
    """
    Workspace.objects.select_for_update(no_key=True).filter(pk=workspace.pk).first()
    live = JobTestRun.objects.filter(
        job__workspace=workspace, draft="", cancel_requested=False, state__in=LIVE
    ).count()
    if live >= MAX_LIVE_RUNS:
        raise BusyError(
            f"{MAX_LIVE_RUNS} test runs of this workspace are waiting or running, the maximum. "
            "Wait for one of them to end, or cancel one."
        )


def _plays(tests: QuerySet[JobTest], version: JobVersion, contracts: Catalog) -> list[dict[str, object]]:
    """Documents one by one, as all of them together may be hundreds of megabytes."""
    contracts.read(read_streams(version))
    return [
        {
            "test": test.pk,
            "revision": test.revision,
            "basis": basis_of(test.document, version, contracts),
        }
        for test in tests.defer("document_text", "accepted").iterator(chunk_size=1)
    ]


def _queue(run: JobTestRun) -> JobTestRun:
    """Save a run and send it to a host; runs that ended long ago make room."""
    run.host_queue = host_for_tests()
    run.save()
    runs = JobTestRun.objects.filter(job=run.job, workspace=run.workspace)
    kept = list(runs.values_list("pk", flat=True)[:KEPT_RUNS])
    runs.exclude(pk__in=kept).exclude(state__in=LIVE).delete()
    transaction.on_commit(lambda: enqueue(PLAY_TESTS, run.pk, queue=run.host_queue))
    return run
