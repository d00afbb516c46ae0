"""Tests before a start: those that failed or were not played refuse it, unless somebody insists."""

from typing import Final

from weir.job_tests.services.queries import names, standing_tests
from weir.job_tests.services.runs import request_run
from weir.runs.models import Job, JobVersion
from weir.workspaces.errors import ConflictError
from weir.workspaces.models import User

_NAMED: Final = 5


def require_tests_passed(job: Job, version: JobVersion, actor: User | None) -> None:
    """Refuse a start whose tests do not all pass; plays those that must be played with this version first.

    Args:
        job: that is to be started.
        version: that is to be started.
        actor: who starts it.

    Raises:
        ConflictError: TESTS_FAILED, or TESTS_PENDING; with the names of the tests.
    """
    tests = standing_tests(job, version.number)
    failed = names(tests, "failed", "error")
    if failed:
        raise ConflictError(
            "TESTS_FAILED",
            f"{_count(failed)} of version {version.number} failed: {_listed(failed)}. Check their results.",
            more={"tests": failed},
        )
    pending = [found.test.name for found in tests if found.must_run]
    if pending:
        run = request_run(job, actor, version.number)
        raise ConflictError(
            "TESTS_PENDING",
            f"{_count(pending)} of version {version.number} must be run first: {_listed(pending)}. "
            "They run now; start again when they have passed.",
            more={"tests": pending, "test_run": run.pk},
        )


def _count(tests: list[str]) -> str:
    return f"{len(tests)} {'test' if len(tests) == 1 else 'tests'}"


def _listed(tests: list[str]) -> str:
    more = f" and {len(tests) - _NAMED} more" if len(tests) > _NAMED else ""
    return ", ".join(tests[:_NAMED]) + more
