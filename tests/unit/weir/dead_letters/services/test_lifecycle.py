"""A validator runs while it is enabled or a running job requires it; it is an ordinary run that is
not listed among the jobs.
"""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from jobs.kafka_messages import BoundSource, StartPosition, ValidatedRange
from tests.support.run_factories import CONTRACT, DOCUMENT, job_of, running, state_report, trades
from tests.support.users import client_of
from tests.support.validator_factories import create_validator, report, run_of
from weir.clusters.models import Cluster
from weir.clusters.services.clusters import profile_of
from weir.dead_letters.models import Validator
from weir.dead_letters.services import lifecycle
from weir.dead_letters.services.counts import record_counts
from weir.relay.result_topics import followed_topics
from weir.runs.models import Desired, Job, ReconcilerState
from weir.runs.services.planning import plan_in
from weir.runs.services.report_handlers import apply_report
from weir.runs.services.run_publisher import desired_run
from weir.runs.services.versions import add_version
from weir.streams.models import Stream, StreamUse
from weir.workspaces.errors import UNEXPECTED, ServiceError
from weir.workspaces.models import Event, User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
BASE = "/api/v1/workspaces/ops/"
REQUIRED = "settings: {contract_validation: true}\n"
ENDS = StartPosition(kind="offsets", offsets={0: 400, 1: 500})


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """What would be started, without a broker: the origin and where it begins."""
    found: list[tuple[str, dict[str, Any]]] = []

    def start(job: Job, actor: User | None, origin: str, **more: Any) -> Job:
        found.append((origin, more))
        Job.objects.filter(pk=job.pk).update(desired=Desired.RUNNING)
        return job

    monkeypatch.setattr(lifecycle, "start_job", start)
    monkeypatch.setattr(lifecycle, "confirm_topics", lambda streams: streams)
    monkeypatch.setattr(
        lifecycle,
        "watermarks",
        lambda *_, committed=False: {("trades", 0): (5, 400), ("trades", 1): (5, 500)},
    )
    return found


def test_a_person_switches_it_on_and_off(workspace: Workspace, owner: User, started: list[Any]) -> None:
    trades(workspace)
    client = client_of(owner)
    never = client.get(f"{BASE}streams/trades/validation").json()
    assert (never["on"], never["observed"], never["last_seen_at"], never["counts"]["records"]) == (
        False,
        "never_started",
        None,
        0,
    )
    on = client.put(f"{BASE}streams/trades/validation", {"on": True, "from": "now"})
    assert (on.status_code, on.json()["on"], on.json()["enabled"]) == (200, True, True)
    client.put(f"{BASE}streams/trades/validation", {"on": True})
    assert started == [("now", {"starts": {"records": ENDS}})]
    off = client.put(f"{BASE}streams/trades/validation", {"on": False}).json()
    assert (off["on"], off["enabled"]) == (False, False)
    events = list(Event.objects.filter(subject="trades").values_list("text", "actor"))
    assert ("Contract validation of trades turned on", "ann") in events
    assert ("Contract validation of trades turned off", "ann") in events


def test_turned_on_from_now_it_reads_from_now_also_when_the_first_start_fails(
    workspace: Workspace, owner: User, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    trades(workspace)
    start = lifecycle.start_job

    def refuse(*_: Any, **__: Any) -> None:
        raise ServiceError("BROKER_UNREACHABLE", "The cluster does not answer.")

    monkeypatch.setattr(lifecycle, "start_job", refuse)
    client_of(owner).put(f"{BASE}streams/trades/validation", {"on": True, "from": "now"})
    monkeypatch.setattr(lifecycle, "start_job", start)
    lifecycle.reconcile_validators()
    assert started == [("now", {"starts": {"records": ENDS}})]


def test_turned_off_before_it_ran_it_forgets_where_it_was_to_start(
    workspace: Workspace, owner: User, started: list[Any]
) -> None:
    validator = create_validator(workspace)
    Validator.objects.update(enabled=True, start_from="now")
    lifecycle.disable(validator.stream, owner)
    _requiring_job(workspace, owner)
    lifecycle.reconcile_validators()
    assert started == [("earliest", {})]


def test_it_is_no_job_of_people_and_no_use_of_the_stream(workspace: Workspace, owner: User) -> None:
    run = run_of(create_validator(workspace))
    client = client_of(owner)
    assert client.get(f"{BASE}jobs").json()["results"] == []
    assert client.get(f"{BASE}jobs/{run.generation.job_id}").status_code == 404
    assert client.post(f"{BASE}jobs/{run.generation.job_id}/stop").status_code == 404
    assert [engine["runs"] for engine in client.get(f"{BASE}engines").json()["results"]] == [[]]
    assert not StreamUse.objects.exists()
    assert followed_topics() == {}


def test_engines_are_told_a_validator(workspace: Workspace, owner: User) -> None:
    run = run_of(create_validator(workspace))
    desired = desired_run(run)
    assert (desired.task, desired.mode, desired.trigger_ms) == (
        "validator",
        "realtime",
        5_000,
    )  # the mode is what `running` wrote
    assert desired.max_rows_per_batch == 50_000
    assert desired_run(running(job_of(workspace, owner, DOCUMENT))).task == "job"


def _requiring_job(workspace: Workspace, owner: User) -> Job:
    job = job_of(workspace, owner, DOCUMENT + REQUIRED)
    running(job)
    return job


def test_a_running_job_keeps_it_on(workspace: Workspace, owner: User, started: list[Any]) -> None:
    job = _requiring_job(workspace, owner)
    lifecycle.reconcile_validators()
    validator = Validator.objects.get()
    assert started == [("earliest", {})]
    assert lifecycle.required_by(validator.stream) == ["stats"]
    lifecycle.enable(validator.stream, owner)
    off = lifecycle.disable(validator.stream, owner)
    assert off is not None
    assert (off.enabled, off.job.desired) == (False, "running")
    Job.objects.filter(pk=job.pk).update(desired=Desired.STOPPED)
    lifecycle.reconcile_validators()
    validator.job.refresh_from_db()
    assert validator.job.desired == "stopped"


def test_documents_are_read_once_for_all_validators(
    workspace: Workspace, owner: User, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each validator read all of them again, every 5 s."""
    _requiring_job(workspace, owner)
    for name in ("quotes", "orders", "clicks"):
        create_validator(workspace, name=name, topic=name)
    read: list[int | None] = []
    find = lifecycle._requiring_versions

    def counted(workspace_id: int | None = None) -> Any:
        read.append(workspace_id)
        return find(workspace_id)

    monkeypatch.setattr(lifecycle, "_requiring_versions", counted)
    lifecycle.reconcile_validators()
    assert read == [None]
    assert started == [("earliest", {})]


@pytest.mark.parametrize("runs_with_it", [True, False])
def test_what_a_job_runs_with_requires_it_and_not_what_was_saved_since(
    workspace: Workspace, owner: User, runs_with_it: bool
) -> None:
    first, second = (REQUIRED, "") if runs_with_it else ("", REQUIRED)
    job = job_of(workspace, owner, DOCUMENT + first)
    running(job)
    add_version(job, owner, DOCUMENT + second)
    assert lifecycle.required_by(Stream.objects.get()) == (["stats"] if runs_with_it else [])


def test_a_job_that_requires_it_decodes_every_field(workspace: Workspace) -> None:
    trades(workspace)
    document = DOCUMENT.replace("low: min(price)", "newest: max(_time)")
    for required, fields in (("true", {"symbol", "price", "at"}), ("false", {"symbol", "at"})):
        plan = plan_in(workspace, f"{document}settings: {{contract_validation: {required}}}\n")
        assert plan.ok, plan.problems
        assert set(plan.node("trades").bound.used_fields) == fields


def test_a_changed_contract_starts_it_again(workspace: Workspace, started: list[Any]) -> None:
    validator = create_validator(workspace)
    run = run_of(validator)
    Validator.objects.update(enabled=True)
    bound = {
        "stream": "trades",
        "cluster": profile_of(validator.stream.cluster).model_dump(mode="json"),
        "topic": "trades",
    }
    bound |= {
        "topic_id": "id-1",
        "partitions": 2,
        "contract": validator.stream.stream_contract.as_json(),
        "start": {"kind": "earliest"},
    }
    run.generation.sources = {"records": bound}
    run.generation.save()
    lifecycle.reconcile_validators()
    assert started == []
    validator.stream.contract = {
        **CONTRACT,
        "fields": [*CONTRACT["fields"], {"name": "venue", "type": "string"}],
    }  # type: ignore[misc]
    validator.stream.save()
    lifecycle.reconcile_validators()
    assert started == [("resume", {"again": True})]


def test_an_error_is_stored(workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    create_validator(workspace)
    Validator.objects.update(enabled=True)

    def refuse(*_: Any, **__: Any) -> None:
        raise ServiceError("TOPIC_NOT_FOUND", "The topic is gone.")

    monkeypatch.setattr(lifecycle, "start_job", refuse)
    lifecycle.reconcile_validators()
    assert (
        client_of(owner).get(f"{BASE}streams/trades/validation").json()["last_error"] == "The topic is gone."
    )


def test_a_cluster_that_is_silent_is_not_asked_by_each_of_its_validators(
    workspace: Workspace, owner: User, started: list[Any]
) -> None:
    """Each start would wait for seconds, in one of the few threads that look after everything else, too."""
    create_validator(workspace)
    Validator.objects.update(enabled=True)
    Cluster.objects.update(reachable=False, error="timed out")
    lifecycle.reconcile_validators()
    assert started == []
    shown = client_of(owner).get(f"{BASE}streams/trades/validation").json()
    assert shown["last_error"].endswith("is unreachable: timed out")
    Cluster.objects.update(reachable=True)
    lifecycle.reconcile_validators()
    assert started == [("earliest", {})]


def test_a_failed_validator_starts_after_the_counted_ranges(
    workspace: Workspace, owner: User, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    validator = create_validator(workspace)
    run = run_of(validator)
    lost = {"code": "DATA_LOST", "message": "gone", "raw": "", "permanent": True}
    apply_report(state_report(run, "failed", lost))  # type: ignore[arg-type]  # validated there
    monkeypatch.setattr(lifecycle, "_start_after_counts", lambda _: "after counts")
    with pytest.raises(ServiceError, match="still being stored"):
        lifecycle.enable(validator.stream, owner)
    ReconcilerState.objects.update_or_create(
        pk=1, defaults={"relay_caught_up_at": timezone.now() + timedelta(seconds=1)}
    )
    lifecycle.enable(validator.stream, owner)
    assert started == [("earliest", {"starts": {"records": "after counts"}})]


@pytest.mark.parametrize(
    ("topic_id", "start", "expected"),
    [
        ("id-1", {"kind": "offsets", "offsets": {0: 100, 1: 100}}, {0: 150, 1: 100}),
        ("id-1", {"kind": "offsets", "offsets": {0: 100}}, {0: 150, 1: 5}),
        ("id-1", {"kind": "earliest"}, {0: 150, 1: 5}),
        ("id-0", {"kind": "offsets", "offsets": {0: 100, 1: 100}}, {0: 150, 1: 5}),
    ],
    ids=["from now", "a new partition", "from the beginning", "the topic was recreated"],
)
def test_a_partition_without_counts_is_read_from_where_the_validator_began(
    workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
    topic_id: str,
    start: dict[str, Any],
    expected: dict[int, int],
) -> None:
    """A validator that is turned on from now must not validate what was there before, even after a reset."""
    validator = create_validator(workspace)
    run = run_of(validator)
    stream = validator.stream
    bound = BoundSource(
        stream=stream.name,
        cluster=profile_of(stream.cluster),
        topic=stream.topic,
        topic_id=topic_id,
        partitions=2,
        contract=stream.stream_contract,
        start=StartPosition.model_validate(start),
    )
    run.generation.sources = {"records": bound.model_dump(mode="json")}
    run.generation.save()
    record_counts(report(run, ValidatedRange(partition=0, first=100, last=149, valid=50)))
    monkeypatch.setattr(lifecycle, "confirm_topics", lambda streams: streams)
    monkeypatch.setattr(
        lifecycle, "watermarks", lambda *_: {("trades", 0): (5, 500), ("trades", 1): (5, 500)}
    )
    assert lifecycle._start_after_counts(validator).offsets == expected


def test_a_stream_that_is_forgotten_takes_its_validator_with_it(workspace: Workspace, owner: User) -> None:
    run_of(create_validator(workspace))
    assert client_of(owner).delete(f"{BASE}streams/trades").status_code == 204
    assert not Validator.objects.exists()
    assert Job.objects.get().desired == Desired.DELETED


def test_a_validator_whose_contract_cannot_be_read_goes_on_with_that_of_today(
    workspace: Workspace, started: list[Any]
) -> None:
    """An older version of Weir has saved what it was started with."""
    validator = create_validator(workspace)
    run = run_of(validator)
    run.generation.sources = {"records": {"gone": True}}
    run.generation.save()
    Validator.objects.update(enabled=True)
    Job.objects.filter(pk=validator.job_id).update(desired=Desired.RUNNING)
    lifecycle.reconcile_validators()
    assert started == [("resume", {"again": True})]


def test_a_validator_that_fails_unexpectedly_keeps_no_other_from_being_looked_after(
    workspace: Workspace, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = create_validator(workspace)
    sound = create_validator(workspace, name="quotes", topic="quotes")
    Validator.objects.update(enabled=True)
    reconcile = lifecycle._reconcile

    def stumble(validator: Validator, is_required: bool) -> None:
        if validator == broken:
            raise KeyError("unexpected")
        reconcile(validator, is_required)

    monkeypatch.setattr(lifecycle, "_reconcile", stumble)
    lifecycle.reconcile_validators()
    assert started == [("earliest", {})]
    sound.refresh_from_db()
    broken.refresh_from_db()
    assert (broken.last_error, sound.last_error) == (UNEXPECTED, "")
    assert broken.locked_until is None
