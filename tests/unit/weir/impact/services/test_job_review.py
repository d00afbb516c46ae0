"""A change that many large jobs read: all of them are looked at in bounded time, and those that were not are
counted as broken.
"""

import json
import time

import pytest

from tests.support.hostile_documents import derived
from tests.support.run_factories import CONTRACT, job_of
from weir.impact.services import job_review
from weir.impact.services.job_review import NOT_CHECKED
from weir.impact.services.schema_change import review_contract
from weir.runs.models import Job
from weir.streams.models import Stream
from weir.streams.services.contracts import read_contract
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
WITH_MORE = {**CONTRACT, "fields": [*CONTRACT["fields"], {"name": "more", "type": "long"}]}  # type: ignore[misc]
LARGE = derived(20, 8, lambda salt: "+".join(["price"] * 60) + f"+{salt}")
JOBS = 6
SECONDS = 2.0  # of processor time; below 0.6 s where nothing else runs


def test_many_large_jobs_are_reviewed_in_bounded_time(
    owner: User, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_review, "MAX_CPU_S", 0.2)
    for at in range(JOBS):
        job_of(workspace, owner, json.dumps({**json.loads(LARGE), "name": f"j{at}"}))
    began = time.thread_time()
    found = review_contract(Stream.objects.get(name="trades"), read_contract(WITH_MORE))
    assert time.thread_time() - began < SECONDS
    assert len(found) == Job.objects.count() == JOBS
    assert (found[-1].impact, found[-1].details) == ("breaks", (NOT_CHECKED,))


def test_small_jobs_are_all_checked(owner: User, workspace: Workspace) -> None:
    job_of(workspace, owner)
    found = review_contract(Stream.objects.get(name="trades"), read_contract(WITH_MORE))
    assert [(each.impact, each.details) for each in found] == [("new_fields", ("more",))]
