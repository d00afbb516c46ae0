"""Writes the tests of jobs: the only writer of `JobTest` but for its accepted rows."""

from collections.abc import Sequence

from django.db import transaction

from jobs.base.problems import Problem, has_errors
from jobs.job_tests.check import check_test
from jobs.job_tests.document import JobTest as TestDocument
from jobs.job_tests.document import parse_test
from jobs.plan import Plan
from weir.job_tests.models import JobTest
from weir.runs.models import Job, new_id
from weir.runs.services.job_lock import lock_job
from weir.runs.services.planning import current_version, plan_in
from weir.workspaces.errors import ConflictError, NotFoundError, ServiceError
from weir.workspaces.models import Action, Event, User
from weir.workspaces.services.events import record_event
from weir.workspaces.services.quotas import require_room
from weir.workspaces.services.revisions import outdated
from weir.workspaces.services.uniqueness import unique_or


def plan_of(job: Job, number: int | None = None) -> Plan:
    """The plan of a version of a job in its workspace, as it is now; None: the newest."""
    return plan_in(job.workspace, current_version(job, number).document)


def check_text(text: str, plan: Plan) -> tuple[TestDocument | None, tuple[Problem, ...]]:
    """A test document and all its problems, those of its form and those against the job.

    Args:
        text: YAML or JSON.
        plan: of the job document; where it has errors, only the form is checked.
    """
    parsed = parse_test(text)
    if parsed.test is None or not plan.ok:
        return parsed.test, parsed.problems
    return parsed.test, (*parsed.problems, *check_test(parsed.test, plan).problems)


def create_test(job: Job, actor: User, text: str) -> JobTest:
    """A new test, from the job's newest version on.

    Raises:
        ServiceError: TEST_INVALID, the document has problems; it carries all of them. QUOTA_REACHED.
        ConflictError: NAME_TAKEN.
    """
    require_room("tests", JobTest.objects.filter(job=job, last_version__isnull=True).count())
    document = _require_valid(text, plan_of(job))
    with unique_or(_taken(document.name)):
        made = _unsaved(job, actor, text, document)
        made.save(force_insert=True)
        _record(made, actor, Action.CREATED)
    return made


def _unsaved(
    job: Job, actor: User, text: str, document: TestDocument, *, from_example: bool = False
) -> JobTest:
    """A new test of the job's newest version, not in the database yet."""
    return JobTest(
        job=job,
        name=document.name,
        description=document.description,
        document_text=text,
        document=document.as_json(),
        first_version=job.version,
        from_example=from_example,
        changed_by=actor,
    )


def install_tests(job: Job, actor: User, texts: Sequence[str]) -> None:
    """The tests that an example's job begins with. They are not played now: somebody else has, with the same
    document.

    Args:
        job: of the example's document, just made.
        actor: the user.
        texts: documents of the tests, YAML.

    Raises:
        ServiceError: TEST_INVALID: a test does not fit the job's streams, which were registered before and
            are others than the example's; then none is installed.
    """
    plan = plan_of(job)
    documents = [(text, _require_valid(text, plan)) for text in texts]
    JobTest.objects.bulk_create(
        _unsaved(job, actor, text, document, from_example=True) for text, document in documents
    )


def change_test(test: JobTest, actor: User, text: str, revision: int) -> JobTest:
    """Replace a test's document, from the job's newest version on.

    Args:
        test: as it was read.
        actor: the user.
        text: YAML or JSON.
        revision: that the change was made on.

    Raises:
        ServiceError: TEST_INVALID.
        ConflictError: REVISION_OUTDATED, somebody else changed it meanwhile; TEST_DELETED, the newest version
            has it no more; NAME_TAKEN.
    """
    document = _require_valid(text, plan_of(test.job))
    with unique_or(_taken(document.name)):
        held = _locked(test, revision)
        same_records = held.document.get("batches") == document.as_json()["batches"]
        if held.first_version < held.job.version:
            _keep_for_earlier_versions(held)
            held.first_version = held.job.version
        held.name, held.description = document.name, document.description
        held.document_text, held.document = text, document.as_json()
        held.revision, held.changed_by = revision + 1, actor
        held.accepted = held.accepted if same_records else {}
        held.from_example = False
        held.save()
        _record(held, actor, Action.CHANGED)
    return held


def _keep_for_earlier_versions(test: JobTest) -> None:
    """Copy a test that is about to change, with its results, for the versions before the newest. The one that
    goes on keeps its id: it is the one that others have open.
    """
    earlier = JobTest.objects.get(pk=test.pk)
    earlier.pk, earlier.last_version = new_id(), test.job.version - 1
    earlier.save(force_insert=True)
    JobTest.objects.filter(pk=earlier.pk).update(changed_at=test.changed_at)
    test.results.filter(version__lt=test.job.version).update(test=earlier)


def delete_test(test: JobTest, actor: User) -> None:
    """Delete a test; versions before the newest keep it."""
    with transaction.atomic():
        held = _locked(test, test.revision)
        _record(held, actor, Action.DELETED)
        if held.first_version < held.job.version:
            held.last_version = held.job.version - 1
            held.save(update_fields=["last_version"])
        else:
            held.delete()


def _locked(test: JobTest, revision: int) -> JobTest:
    job = lock_job(test.job)
    held = JobTest.objects.select_for_update().filter(pk=test.pk).first()
    if held is None:
        raise NotFoundError("NOT_FOUND", "Test not found, or you don't have access.")
    if held.last_version is not None:
        raise ConflictError(
            "TEST_DELETED", "Somebody else deleted this test. Copy what you wrote into a new one."
        )
    if held.revision != revision:
        raise outdated("test")
    held.job = job
    return held


def _require_valid(text: str, plan: Plan) -> TestDocument:
    document, problems = check_text(text, plan)
    if document is None or has_errors(list(problems)):
        count = sum(found.severity == "error" for found in problems)
        raise ServiceError(
            "TEST_INVALID", f"The test has {count} {'error' if count == 1 else 'errors'}.", problems
        )
    return document


def _taken(name: str) -> ConflictError:
    return ConflictError("NAME_TAKEN", f"Test name {name[:100]!r} is taken. Choose another.")


def _record(test: JobTest, actor: User, action: Action) -> None:
    record_event(
        test.job.workspace,
        Event.Kind.JOB,
        f"Test {test.name} of job {test.job.name} {action}",
        actor=actor.username,
        subject=test.job.id,
        action=action,
    )
