"""A change that many large jobs read: all of them are looked at in bounded time, and those that were not are
counted as broken.
"""

import json
import time

import pytest

from jobs.formats.contract import StreamContract
from tests.support.hostile_documents import derived
from tests.support.run_factories import CONTRACT, job_of, running, trades
from tests.support.users import client_of
from weir.impact.services import job_review
from weir.impact.services.job_review import NOT_CHECKED
from weir.impact.services.schema_change import review_contract
from weir.runs.models import Job
from weir.runs.services.versions import add_version
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


def lines(*names: str, **more: object) -> StreamContract:
    """A contract of lines of whole numbers."""
    fields = [{"name": name, "type": "int"} for name in names]
    return read_contract({"fields": fields, "encoding": {"format": "csv", **more}})


SUMS = """\
format: 1
name: sums
sources:
  trades: {stream: trades}
steps:
  sums: {op: aggregate, input: trades, by: [a], measures: {total: sum(b)}}
outputs:
  live: {input: sums, to: result}
"""


def test_a_contract_that_reads_records_otherwise_resets_state(owner: User, workspace: Workspace) -> None:
    stream = trades(workspace)
    Stream.objects.filter(pk=stream.pk).update(contract=lines("a", "b").as_json())
    stream.refresh_from_db()
    job = job_of(workspace, owner, SUMS)

    def impact(contract: StreamContract) -> tuple[str, tuple[str, ...]]:
        (found,) = review_contract(stream, contract)
        return found.impact, found.details

    assert impact(lines("b", "a")) == ("unaffected", ()), "it has no state yet"
    running(job)
    told = ("Stream trades changed how its records are read.",)
    assert impact(lines("b", "a")) == ("resets_state", told)
    assert impact(lines("a", "b", delimiter=";")) == ("resets_state", told)
    assert impact(lines("a", "b", columns=["a", "b"])) == ("unaffected", ())
    assert impact(lines("a", "b", "c")) == ("new_fields", ("c",))
    assert impact(lines("a"))[0] == "breaks"


def test_a_version_that_waits_for_its_start_with_another_measure_is_reviewed(
    owner: User, workspace: Workspace
) -> None:
    stream = trades(workspace)
    Stream.objects.filter(pk=stream.pk).update(contract=lines("a", "b", "c").as_json())
    stream.refresh_from_db()
    job = job_of(workspace, owner, SUMS)
    running(job)
    add_version(job, owner, SUMS.replace("sum(b)", "sum(b), other: sum(c)"))
    (found,) = review_contract(stream, lines("a", "c", "b"))
    assert (found.impact, found.details) == (
        "resets_state",
        ("Stream trades changed how its records are read.",),
    )
    (found,) = review_contract(stream, lines("a", "b", "d", "c"))
    assert found.impact == "new_fields", "what is read otherwise has no state yet"


def test_a_contract_that_resets_state_must_be_confirmed(owner: User, workspace: Workspace) -> None:
    stream = trades(workspace)
    Stream.objects.filter(pk=stream.pk).update(contract=lines("a", "b").as_json())
    running(job_of(workspace, owner, SUMS))
    client, body = client_of(owner), {"contract": lines("b", "a").as_json()}
    route = "/api/v1/workspaces/ops/streams/trades"
    refused = client.patch(route, data=json.dumps(body), content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (409, "RESETS_STATE")
    assert "resets the state of 1 job(s): sums" in refused.json()["detail"]
    forced = json.dumps({**body, "force": True})
    assert client.patch(route, data=forced, content_type="application/json").status_code == 200
