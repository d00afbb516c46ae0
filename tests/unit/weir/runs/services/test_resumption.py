"""What a start can do is told before: which version resumes the state, and why another does not."""

import pytest
from django.db import transaction

from jobs.kafka_messages import StartPosition
from tests.support.run_factories import DOCUMENT, job_of, running
from tests.support.users import client_of
from weir.clusters.services.clusters import home_cluster
from weir.runs.models import Desired, Generation, Job, Run
from weir.runs.services.planning import plan_in, streams_of
from weir.runs.services.start import _Prepared, _resume, bound_source
from weir.runs.services.versions import add_version
from weir.streams.models import Stream
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]
JOBS = "/api/v1/workspaces/ops/jobs"
SUMS = """\
format: 1
name: sums
sources:
  pairs: {stream: pairs}
steps:
  sums: {op: aggregate, input: pairs, by: [a], measures: {total: sum(b)}}
outputs:
  live: {input: sums, to: result}
"""
LONGER = DOCUMENT.replace("size: 5s", "size: 10s")


def started(workspace: Workspace, owner: User) -> tuple[Job, Run]:
    job = job_of(workspace, owner)
    run = running(job)
    run.generation.sources = {"trades": {"topic_id": "id-1"}}
    run.generation.save()
    Job.objects.filter(pk=job.pk).update(generation=1)
    job.refresh_from_db()
    return job, run


def options(owner: User, job: Job, version: int | None = None) -> dict[str, object]:
    asked = "" if version is None else f"?version={version}"
    found: dict[str, object] = client_of(owner).get(f"{JOBS}/{job.id}/start{asked}").json()
    return found


def test_a_job_that_never_ran_has_nothing_to_resume(owner: User, workspace: Workspace) -> None:
    found = options(owner, job_of(workspace, owner))
    assert (found["version"], found["resumable"], found["resumable_version"]) == (1, False, None)
    assert "no state to resume" in str(found["reason"])


def test_the_version_that_made_the_state_resumes_it(owner: User, workspace: Workspace) -> None:
    job, _ = started(workspace, owner)
    assert options(owner, job) == {
        "version": 1,
        "resumable": True,
        "reason": "",
        "note": "",
        "resumable_version": 1,
    }


def test_a_version_that_resets_state_says_so_and_which_does_not(owner: User, workspace: Workspace) -> None:
    job, _ = started(workspace, owner)
    add_version(job, owner, LONGER)
    found = options(owner, job)
    assert (found["version"], found["resumable"], found["resumable_version"]) == (2, False, 1)
    assert "resets state" in str(found["reason"])
    assert options(owner, job, 1)["resumable"] is True
    assert client_of(owner).get(f"{JOBS}/{job.id}/start?version=7").json()["code"] == "VERSION_UNKNOWN"


def test_a_recreated_topic_cannot_be_resumed_by_any_version(owner: User, workspace: Workspace) -> None:
    job, _ = started(workspace, owner)
    Stream.objects.update(topic_id="id-2")
    found = options(owner, job)
    assert (found["resumable"], found["resumable_version"]) == (False, None)
    assert "recreated" in str(found["reason"])


FIELDS = [{"name": "a", "type": "int"}, {"name": "b", "type": "int"}]


def pairs_and_job(owner: User, workspace: Workspace) -> tuple[Stream, Job]:
    """A stream of CSV with `FIELDS`, and a running job that sums them."""
    stream = Stream.objects.create(
        workspace=workspace, name="pairs", cluster=home_cluster(), topic="pairs", topic_id="id-1",
        partitions=1, contract={"format": "csv", "fields": FIELDS},
    )  # fmt: skip
    job = job_of(workspace, owner, SUMS)
    run = running(job)
    run.generation.sources = {"pairs": bound_source(stream, StartPosition(kind="earliest"))}
    run.generation.save()
    return stream, job


def test_a_contract_that_reads_records_otherwise_cannot_resume(owner: User, workspace: Workspace) -> None:
    """The line `1,10` was a = 1 in the state; with the columns in another order it would be a = 10."""
    stream, job = pairs_and_job(owner, workspace)
    assert options(owner, job)["resumable"] is True
    Stream.objects.filter(pk=stream.pk).update(contract={"format": "csv", "fields": FIELDS[::-1]})
    found = options(owner, job)
    assert (found["resumable"], found["resumable_version"]) == (False, None)
    assert "The contract of pairs has changed since the last start" in str(found["reason"])
    assert client_of(owner).post(f"{JOBS}/{job.id}/diff", {"document": SUMS}).json()["outcome"] == (
        "new_generation"
    )


def test_a_document_that_has_become_invalid_is_the_reason(owner: User, workspace: Workspace) -> None:
    job, _ = started(workspace, owner)
    Stream.objects.update(name="renamed")
    assert "Version 1 has problems" in str(options(owner, job)["reason"])


def test_a_resumed_job_puts_out_what_its_version_does(owner: User, workspace: Workspace) -> None:
    """A field behind the state keeps the state; the table, panels and rules have to know it."""
    job, run = started(workspace, owner)
    shown = "  shown: {op: derive, input: stats, fields: {double: low * 2}}\noutputs:"
    add_version(
        job, owner, DOCUMENT.replace("outputs:", shown).replace("{input: stats, to", "{input: shown, to")
    )
    job.refresh_from_db()
    stream = Stream.objects.get(name="trades")
    run.generation.sources = {"trades": bound_source(stream, StartPosition(kind="earliest"))}
    run.generation.save()
    newest = job.versions.order_by("-number").first()
    plan = plan_in(workspace, newest.document)
    prepared = _Prepared(plan, {"trades": stream}, newest, "resume")
    with transaction.atomic():
        _resume(job, owner, run.generation, prepared, {})
    found = client_of(owner).get(f"{JOBS}/{job.id}").json()["result"]["schema"]
    assert "double" in {field["name"] for field in found}


JOIN = (
    "named: {op: table_join, input: trades, table: names, on: {symbol: symbol}, broadcast: {}, prefix: is_}"
)
NAMED = DOCUMENT.replace("steps:\n", f"  names: {{table: names}}\nsteps:\n  {JOIN}\n").replace(
    "input: trades\n", "input: named\n"
)
UNUSED = DOCUMENT.replace("steps:\n", "  later: {stream: trades}\nsteps:\n")


@pytest.mark.parametrize("document", [NAMED, UNUSED], ids=["a broadcast table", "a source nobody reads"])
def test_a_version_that_reads_one_more_resumes(owner: User, workspace: Workspace, document: str) -> None:
    """No state depends on either, so nothing of it is in the fingerprint."""
    job, run = started(workspace, owner)
    fields = [{"name": name, "type": "string"} for name in ("symbol", "name")]
    table = {"kind": "table", "key": ["symbol"], "fields": fields}
    Stream.objects.create(
        workspace=workspace, name="names", cluster=home_cluster(), topic="names", topic_id="id-2",
        partitions=1, contract=table,
    )  # fmt: skip
    stream = Stream.objects.get(name="trades")
    run.generation.sources = {
        "trades": bound_source(stream, StartPosition(kind="offsets", offsets={0: 7, 1: 8}))
    }
    run.generation.save()
    newest = add_version(job, owner, document, expected="same_state")
    job.refresh_from_db()
    found = options(owner, job)
    assert (found["version"], found["resumable"], found["reason"]) == (2, True, "")
    plan = plan_in(workspace, newest.document)
    streams = streams_of(workspace, plan)
    prepared = _Prepared(plan, streams, newest, "resume")
    with transaction.atomic():
        _resume(job, owner, run.generation, prepared, {})
    sources = Generation.objects.get(pk=run.generation.pk).sources
    assert sources.keys() == streams.keys()
    assert sources.pop("trades")["start"]["offsets"] == {"0": 7, "1": 8}, "where it began stays"
    assert [source["start"]["kind"] for source in sources.values()] == ["earliest"]


def test_a_broadcast_table_of_another_stream_is_no_recreated_topic(owner: User, workspace: Workspace) -> None:
    job, run = started(workspace, owner)
    table = {"kind": "table", "key": ["symbol"], "fields": [{"name": "symbol", "type": "string"}]}
    for name in ("names", "others"):
        Stream.objects.create(
            workspace=workspace, name=name, cluster=home_cluster(), topic=name, topic_id=f"id-{name}",
            partitions=1, contract=table,
        )  # fmt: skip
    streams = {name: Stream.objects.get(name=name) for name in ("trades", "names")}
    run.generation.sources = {
        name: bound_source(stream, StartPosition(kind="earliest")) for name, stream in streams.items()
    }
    run.generation.save()
    add_version(job, owner, NAMED.replace("{table: names}", "{table: others}"))
    assert options(owner, job)["resumable"] is True
    Stream.objects.filter(name="trades").update(topic_id="id-2")
    assert "trades was recreated" in str(options(owner, job)["reason"])


MORE = DOCUMENT.replace("low: min(price)", "low: min(price), high: max(price)")
STARTS_EMPTY = "Measure stats.high starts empty: windows open at the restart are marked partial."


def test_a_version_with_another_measure_resumes_and_says_what_is_empty(
    owner: User, workspace: Workspace
) -> None:
    job, _ = started(workspace, owner)
    told = client_of(owner).post(f"{JOBS}/{job.id}/diff", {"document": MORE}).json()
    assert (told["outcome"], told["note"]) == ("same_state", STARTS_EMPTY)
    assert [change["breaks_state"] for change in told["changes"]] == [False]
    add_version(job, owner, MORE, expected="same_state")
    found = options(owner, job)
    assert (found["resumable"], found["reason"], found["note"]) == (True, "", STARTS_EMPTY)
    fewer = DOCUMENT.replace("n: count(), ", "")
    assert client_of(owner).post(f"{JOBS}/{job.id}/diff", {"document": fewer}).json()["note"] == ""


def test_a_resumed_generation_keeps_the_measures_of_its_version(owner: User, workspace: Workspace) -> None:
    job, run = started(workspace, owner)
    add_version(job, owner, MORE)
    job.refresh_from_db()
    stream = Stream.objects.get(name="trades")
    run.generation.sources = {"trades": bound_source(stream, StartPosition(kind="earliest"))}
    newest = job.versions.order_by("-number").first()
    plan = plan_in(workspace, newest.document)
    prepared = _Prepared(plan, {"trades": stream}, newest, "resume")
    with transaction.atomic():
        _resume(job, owner, run.generation, prepared, {})
    run.generation.refresh_from_db()
    assert run.generation.fingerprint == plan.fingerprint
    assert options(owner, job)["note"] == ""
    assert options(owner, job, 1)["note"] == "", "high is gone, and nothing else begins"
    back = client_of(owner).post(f"{JOBS}/{job.id}/diff", {"document": MORE.replace("high", "top")}).json()
    assert (back["outcome"], back["note"]) == ("same_state", ""), "another name is the same measure"


def test_state_from_before_layouts_were_kept_is_reset_as_ever(owner: User, workspace: Workspace) -> None:
    job, run = started(workspace, owner)
    Generation.objects.filter(pk=run.generation.pk).update(base_fingerprint="", measures=[])
    add_version(job, owner, MORE)
    found = options(owner, job)
    assert (found["resumable"], found["note"], found["resumable_version"]) == (False, "", 1)
    assert client_of(owner).post(f"{JOBS}/{job.id}/diff", {"document": MORE}).json()["outcome"] == (
        "new_generation"
    )


def test_a_measure_over_a_field_that_the_contract_has_now(owner: User, workspace: Workspace) -> None:
    """What a contract reads otherwise resets state; a field more does not."""
    stream, job = pairs_and_job(owner, workspace)
    longer = [*FIELDS, {"name": "c", "type": "int"}]
    more = SUMS.replace("sum(b)", "sum(b), other: sum(c)")

    def outcome(fields: list[dict[str, str]]) -> str:
        Stream.objects.filter(pk=stream.pk).update(contract={"format": "csv", "fields": fields})
        found: str = client_of(owner).post(f"{JOBS}/{job.id}/diff", {"document": more}).json()["outcome"]
        return found

    assert outcome(longer) == "same_state"
    assert outcome([longer[0], longer[2], longer[1]]) == "new_generation"


def test_a_stopped_job_does_not_say_that_a_version_runs(owner: User, workspace: Workspace) -> None:
    job, run = started(workspace, owner)
    client = client_of(owner)
    assert client.get(f"{JOBS}/{job.id}").json()["running_version"] == 1
    Run.objects.filter(pk=run.pk).update(observed="stopped", desired=Desired.STOPPED)
    assert client.get(f"{JOBS}/{job.id}").json()["running_version"] is None


def test_any_two_versions_are_compared(owner: User, workspace: Workspace) -> None:
    job, _ = started(workspace, owner)
    add_version(job, owner, LONGER)
    add_version(job, owner, LONGER.replace("low: min(price)", "low: max(price)"))
    client = client_of(owner)
    body = {"document": DOCUMENT, "base": 2}
    found = client.post(f"{JOBS}/{job.id}/diff", body).json()
    assert found["outcome"] == "same_state"  # the state is version 1's, and so is the document
    assert len(found["changes"]) == 1
    assert len(client.post(f"{JOBS}/{job.id}/diff", {"document": DOCUMENT}).json()["changes"]) == 2
    assert client.post(f"{JOBS}/{job.id}/diff", {**body, "base": 9}).json()["code"] == "VERSION_UNKNOWN"


def test_a_contract_that_cannot_be_read_is_another(owner: User, workspace: Workspace) -> None:
    """An older version of Weir has saved it with what the run was given."""
    job, run = started(workspace, owner)
    run.generation.sources["trades"] |= {"stream": "trades", "contract": {"gone": True}}
    run.generation.save()
    assert options(owner, job)["resumable"]
    found = options(owner, job, add_version(job, owner, LONGER).number)
    assert not found["resumable"]
    assert "The contract of trades has changed since the last start" in str(found["reason"])
