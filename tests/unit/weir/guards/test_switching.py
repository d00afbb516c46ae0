"""A guard is on while a person or a running job wants it; it is an ordinary run that people do not see among their jobs."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from tests.support.guard_factories import guarded, run_of
from tests.support.run_factories import CONTRACT, DOCUMENT, job_of, running, state_report, trades
from tests.support.users import client_of
from weir.clusters.services import profile_of
from weir.guards.models import Guard
from weir.guards.services import switching
from weir.relay.sources import current_sources
from weir.runs.models import Desired, Job, ReconcilerState
from weir.runs.planning import plan_in
from weir.runs.report_handlers import apply_report
from weir.runs.services.run_publisher import desired_run
from weir.streams.models import StreamUse
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import Event, User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
BASE = "/api/v1/workspaces/ops/"


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """What would be started, without a broker: the origin and where it begins."""
    found: list[tuple[str, dict[str, Any]]] = []

    def start(job: Job, actor: User | None, origin: str, **more: Any) -> Job:
        found.append((origin, more))
        Job.objects.filter(pk=job.pk).update(desired=Desired.RUNNING)
        return job

    monkeypatch.setattr(switching, "start_job", start)
    return found


def test_a_person_switches_it_on_and_off(workspace: Workspace, owner: User, started: list[Any]) -> None:
    trades(workspace)
    client = client_of(owner)
    never = client.get(f"{BASE}streams/trades/guard").json()
    assert (never["on"], never["observed"], never["last_seen_at"], never["counts"]["records"]) == (False, "never_started", None, 0)
    on = client.put(f"{BASE}streams/trades/guard", {"on": True, "from": "now"})
    assert (on.status_code, on.json()["on"], on.json()["wanted"]) == (200, True, True)
    client.put(f"{BASE}streams/trades/guard", {"on": True})
    assert started == [("now", {})]
    off = client.put(f"{BASE}streams/trades/guard", {"on": False}).json()
    assert (off["on"], off["wanted"]) == (False, False)
    said = list(Event.objects.filter(subject="trades").values_list("text", "actor"))
    assert ("Contract validation of trades turned on", "ann") in said
    assert ("Contract validation of trades turned off", "ann") in said


def test_it_is_no_job_of_people_and_no_use_of_the_stream(workspace: Workspace, owner: User) -> None:
    run = run_of(guarded(workspace))
    client = client_of(owner)
    assert client.get(f"{BASE}jobs").json()["results"] == []
    assert client.get(f"{BASE}jobs/{run.generation.job_id}").status_code == 404
    assert client.post(f"{BASE}jobs/{run.generation.job_id}/stop").status_code == 404
    assert [engine["runs"] for engine in client.get(f"{BASE}engines").json()["results"]] == [[]]
    assert not StreamUse.objects.exists()
    assert current_sources() == {}


def test_engines_are_told_a_guard(workspace: Workspace, owner: User) -> None:
    run = run_of(guarded(workspace))
    said = desired_run(run)
    assert (said.task, said.mode, said.trigger_ms) == ("guard", "realtime", 5_000)  # the mode is what `running` wrote
    assert said.max_rows_per_batch == 50_000
    assert desired_run(running(job_of(workspace, owner, DOCUMENT))).task == "job"


def _asking(workspace: Workspace, owner: User) -> Job:
    job = job_of(workspace, owner, DOCUMENT + "settings: {guard: true}\n")
    Job.objects.filter(pk=job.pk).update(desired=Desired.RUNNING)
    return job


def test_a_running_job_keeps_it_on(workspace: Workspace, owner: User, started: list[Any]) -> None:
    job = _asking(workspace, owner)
    switching.tend_guards()
    guard = Guard.objects.get()
    assert started == [("earliest", {})]
    assert switching.needed_by(guard.stream) == ["stats"]
    switching.switch_on(guard.stream, owner)
    off = switching.switch_off(guard.stream, owner)
    assert off is not None
    assert (off.wanted, off.job.desired) == (False, "running")
    Job.objects.filter(pk=job.pk).update(desired=Desired.STOPPED)
    switching.tend_guards()
    guard.job.refresh_from_db()
    assert guard.job.desired == "stopped"


def test_a_job_that_asks_for_it_decodes_every_field(workspace: Workspace) -> None:
    trades(workspace)
    document = DOCUMENT.replace("low: min(price)", "newest: max(_time)")
    for asks, fields in (("true", {"symbol", "price", "at"}), ("false", {"symbol", "at"})):
        plan = plan_in(workspace, f"{document}settings: {{guard: {asks}}}\n")
        assert plan.ok, plan.problems
        assert set(plan.node("trades").bound.used_fields) == fields


def test_a_changed_contract_starts_it_again(workspace: Workspace, started: list[Any]) -> None:
    guard = guarded(workspace)
    run = run_of(guard)
    Guard.objects.update(wanted=True)
    bound = {"stream": "trades", "cluster": profile_of(guard.stream.cluster).model_dump(mode="json"), "topic": "trades"}
    bound |= {"topic_id": "id-1", "partitions": 2, "contract": guard.stream.stream_contract.as_json(), "start": {"kind": "earliest"}}
    run.generation.sources = {"records": bound}
    run.generation.save()
    switching.tend_guards()
    assert started == []
    guard.stream.contract = {**CONTRACT, "fields": [*CONTRACT["fields"], {"name": "venue", "type": "string"}]}  # type: ignore[misc]
    guard.stream.save()
    switching.tend_guards()
    assert started == [("resume", {"again": True})]


def test_what_stands_in_the_way_is_said(workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    guarded(workspace)
    Guard.objects.update(wanted=True)

    def refuse(*_: Any, **__: Any) -> None:
        raise ServiceError("TOPIC_NOT_FOUND", "The topic is gone.")

    monkeypatch.setattr(switching, "start_job", refuse)
    switching.tend_guards()
    assert client_of(owner).get(f"{BASE}streams/trades/guard").json()["trouble"] == "The topic is gone."


def test_a_failed_guard_begins_behind_what_was_counted(
    workspace: Workspace, owner: User, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    guard = guarded(workspace)
    run = run_of(guard)
    lost = {"code": "DATA_LOST", "message": "gone", "raw": "", "permanent": True}
    apply_report(state_report(run, "failed", lost))  # type: ignore[arg-type]  # validated there
    monkeypatch.setattr(switching, "_start_behind", lambda _: "behind")
    with pytest.raises(ServiceError, match="still being stored"):
        switching.switch_on(guard.stream, owner)
    ReconcilerState.objects.update_or_create(pk=1, defaults={"relay_caught_up_at": timezone.now() + timedelta(seconds=1)})
    switching.switch_on(guard.stream, owner)
    assert started == [("earliest", {"starts": {"records": "behind"}})]


def test_a_stream_that_is_forgotten_takes_its_guard_with_it(workspace: Workspace, owner: User) -> None:
    run_of(guarded(workspace))
    assert client_of(owner).delete(f"{BASE}streams/trades").status_code == 204
    assert not Guard.objects.exists()
    assert Job.objects.get().desired == Desired.DELETED
