"""Tests beside the versions of their job."""

import pytest
from django.conf import LazySettings

from tests.support.job_test_documents import counted
from tests.support.run_factories import DOCUMENT, job_of
from weir.job_tests.models import JobTest
from weir.job_tests.services.tests import change_test, create_test, delete_test
from weir.runs.models import Job
from weir.runs.services.versions import add_version
from weir.workspaces.errors import ConflictError, ServiceError
from weir.workspaces.models import Event, User, Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def job(workspace: Workspace, owner: User) -> Job:
    return job_of(workspace, owner)


def newer(job: Job, owner: User, price: int) -> None:
    add_version(job, owner, DOCUMENT.replace("low: min(price)", f"low: min(price + {price})"))


def texts(job: Job, version: int) -> dict[str, str]:
    found = JobTest.objects.of_version(version).filter(job=job)
    return {test.name: test.document_text for test in found}


def test_a_version_keeps_the_tests_that_it_had(job: Job, owner: User) -> None:
    kept = create_test(job, owner, counted("kept"))
    gone = create_test(job, owner, counted("gone"))
    newer(job, owner, 1)
    assert texts(job, 2) == texts(job, 1) == {"kept": counted("kept"), "gone": counted("gone")}
    changed = change_test(kept, owner, counted("kept", 2), 1)
    assert changed.pk == kept.pk  # others have it open under its id
    delete_test(gone, owner)
    create_test(job, owner, counted("new"))
    assert texts(job, 1) == {"kept": counted("kept"), "gone": counted("gone")}
    assert texts(job, 2) == {"kept": counted("kept", 2), "new": counted("new")}
    again = change_test(changed, owner, counted("kept", 3), 2)  # of the same version: in its place
    assert again.pk == changed.pk
    assert JobTest.objects.filter(job=job, name="kept").count() == 2


def test_a_test_of_the_newest_version_alone_is_deleted_for_good(job: Job, owner: User) -> None:
    delete_test(create_test(job, owner, counted()), owner)
    assert not JobTest.objects.filter(job=job).exists()


def test_names_are_unique_among_the_newest(job: Job, owner: User) -> None:
    create_test(job, owner, counted("a"))
    other = create_test(job, owner, counted("b"))
    with pytest.raises(ConflictError, match="taken"):
        create_test(job, owner, counted("a"))
    with pytest.raises(ConflictError, match="taken"):
        change_test(other, owner, counted("a"), 1)


def test_two_people_do_not_overwrite_each_other(job: Job, owner: User) -> None:
    test = create_test(job, owner, counted())
    change_test(test, owner, counted(n=2), 1)
    with pytest.raises(ConflictError) as refused:
        change_test(test, owner, counted(n=3), 1)
    assert refused.value.code == "REVISION_OUTDATED"


def test_two_people_who_change_a_test_of_an_earlier_version_are_told_of_each_other(
    job: Job, owner: User
) -> None:
    test = create_test(job, owner, counted())
    newer(job, owner, 1)
    change_test(test, owner, counted(n=2), 1)
    with pytest.raises(ConflictError) as refused:
        change_test(test, owner, counted(n=3), 1)
    assert refused.value.code == "REVISION_OUTDATED"
    read = JobTest.objects.get(pk=test.pk)
    assert (read.document_text, read.revision) == (counted(n=2), 2)
    assert change_test(read, owner, counted(n=3), 2).document_text == counted(n=3)


def test_what_came_of_a_test_stays_with_the_version_that_it_was_played_with(job: Job, owner: User) -> None:
    test = create_test(job, owner, counted())
    newer(job, owner, 1)
    for version in (1, 2):
        test.results.create(version=version, status="passed", result={}, basis="b", elapsed_ms=1)
    changed_at = JobTest.objects.get(pk=test.pk).changed_at
    change_test(test, owner, counted(n=2), 1)
    earlier = JobTest.objects.of_version(1).get(job=job)
    assert earlier.changed_at == changed_at
    assert list(earlier.results.values_list("version", flat=True)) == [1]
    assert list(test.results.values_list("version", flat=True)) == [2]


def test_who_changes_a_test_that_was_deleted_is_told_so(job: Job, owner: User) -> None:
    test = create_test(job, owner, counted())
    newer(job, owner, 1)
    delete_test(test, owner)
    with pytest.raises(ConflictError) as refused:
        change_test(test, owner, counted(n=2), 1)
    assert refused.value.code == "TEST_DELETED"


def test_what_does_not_fit_the_job_is_refused_with_its_place(job: Job, owner: User) -> None:
    with pytest.raises(ServiceError) as refused:
        create_test(job, owner, counted().replace("trades:", "quotes:"))
    assert refused.value.code == "TEST_INVALID"
    assert [found.path for found in refused.value.problems] == [("batches", "0", "records", "quotes")]


def test_rows_of_the_last_pass_are_kept_while_the_records_are_the_same(job: Job, owner: User) -> None:
    test = create_test(job, owner, counted())
    JobTest.objects.filter(pk=test.pk).update(accepted={"stats": ["x"]})
    test = change_test(test, owner, counted(n=2), 1)
    assert test.accepted == {"stats": ["x"]}
    assert change_test(test, owner, counted(n=2).replace("2.5", "3.5"), 2).accepted == {}


def test_there_is_a_most(job: Job, owner: User, settings: LazySettings) -> None:
    settings.QUOTAS = {**settings.QUOTAS, "tests": 1}
    create_test(job, owner, counted("a"))
    with pytest.raises(ServiceError) as refused:
        create_test(job, owner, counted("b"))
    assert refused.value.code == "QUOTA_REACHED"


def test_changes_are_in_the_audit_trail(job: Job, owner: User) -> None:
    test = create_test(job, owner, counted())
    delete_test(change_test(test, owner, counted(n=2), 1), owner)
    told = Event.objects.filter(subject=job.pk, text__startswith="Test ").order_by("pk")
    assert [(event.action, event.actor) for event in told] == [
        ("created", owner.username),
        ("changed", owner.username),
        ("deleted", owner.username),
    ]
