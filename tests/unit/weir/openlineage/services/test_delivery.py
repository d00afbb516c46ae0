"""Events of runs on their way to a real receiver, which holds them to OpenLineage's schemas."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone
from pytest_django import Settings

from jobs.kafka_messages import Failure, result_topic
from tests.support.openlineage_receiver import LineageCatalog, event_problems, lineage_catalog
from tests.support.run_factories import DOCUMENT, job_of, running, state_report, trades
from weir.openlineage.models import LineageEvent, LineageReceiver
from weir.openlineage.services import delivery, outbox
from weir.openlineage.services.delivery import deliver
from weir.openlineage.services.events import event_json
from weir.openlineage.services.settings import send_test, set_receiver
from weir.outgoing.http_door import Answer, post
from weir.outgoing.retries import GIVE_UP_AFTER
from weir.runs.models import Desired, Execution, Job, Run
from weir.runs.services.epochs import begin_epoch, restart
from weir.runs.services.report_handlers import apply_report
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"], transaction=True)

JOIN = """\
format: 1
name: pairs
sources:
  trades: {stream: trades}
  quotes: {stream: quotes}
steps:
  cheap: {op: filter, input: trades, where: price < 100}
  doubled: {op: derive, input: cheap, fields: {twice: price * 2}}
  pairs:
    op: join
    left: doubled
    right: quotes
    on: {symbol: symbol}
    between: {before: 5s, after: 5s}
    prefix: q_
  stats:
    op: aggregate
    input: pairs
    window: {tumbling: {size: 5s}}
    by: [symbol]
    measures: {n: count(), high: max(twice)}
outputs:
  live: {input: stats, to: result}
"""


@pytest.fixture(autouse=True)
def _private_addresses(settings: Settings) -> None:
    settings.PRIVATE_WEBHOOKS = True


def told(
    catalog: LineageCatalog, workspace: Workspace, owner: User, key: str | None = None
) -> LineageReceiver:
    return set_receiver(workspace, owner, catalog.url, "", key, enabled=True)


def again(receiver: LineageReceiver) -> None:
    """The time until the next try is over."""
    LineageReceiver.objects.filter(pk=receiver.pk).update(due_at=timezone.now())
    deliver(receiver.pk)


def report(run: Run, state: str, failure: Failure | None = None) -> None:
    run.refresh_from_db()
    apply_report(state_report(run, state, failure))


def names_and_types(catalog: LineageCatalog) -> list[tuple[str, str]]:
    return [(event["job"]["name"], event["eventType"]) for event in catalog.events]


def stop(run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(desired=Desired.STOPPED)
    report(run, "stopped")


def broken() -> Failure:
    return Failure(code="ENGINE", message="a column is gone", permanent=True)


def test_a_run_begins_reads_and_is_stopped(workspace: Workspace, owner: User) -> None:
    job: Job = job_of(workspace, owner)
    with lineage_catalog() as catalog:
        receiver = told(catalog, workspace, owner, "secret-key")
        run = running(job, state="starting")
        report(run, "running")
        report(run, "waiting")
        report(run, "running")
        stop(run)
        deliver(receiver.pk)
        assert catalog.types == ["START", "RUNNING", "COMPLETE"]
        ((path, headers, _), *_) = catalog.receiver.requests
        assert (path, headers["Authorization"]) == ("/api/v1/lineage", "Bearer secret-key")
        assert "secret-key" not in catalog.receiver.requests[0][2].decode()
        assert len({UUID(event["run"]["runId"]) for event in catalog.events}) == 1
        assert all(datetime.fromisoformat(event["eventTime"]).tzinfo for event in catalog.events)
        start = catalog.events[0]
    assert (start["job"]["namespace"], start["job"]["name"]) == ("weir.ops", "stats")
    assert start["job"]["facets"]["jobType"]["processingType"] == "STREAMING"
    assert start["job"]["facets"]["sourceCode"]["sourceCode"].startswith("format: 1")
    (given,) = start["inputs"]
    assert given["namespace"].startswith("kafka://")
    assert given["name"] == "trades"
    assert {"name": "price", "type": "double"} in [
        {"name": field["name"], "type": field["type"]} for field in given["facets"]["schema"]["fields"]
    ]
    (made,) = start["outputs"]
    assert made["name"] == result_topic(run.id)
    receiver.refresh_from_db()
    assert (receiver.error, receiver.attempts, receiver.sent_at is not None) == ("", 0, True)


@pytest.mark.parametrize(("end", "type_"), [("stopped", "COMPLETE"), ("failed", "FAIL")])
def test_an_execution_that_ends_for_a_newer_version_has_its_own_lineage(
    workspace: Workspace, owner: User, end: str, type_: str
) -> None:
    job = job_of(workspace, owner)
    newer = job.versions.get()
    with lineage_catalog() as catalog:
        receiver = told(catalog, workspace, owner)
        run = running(job)
        newer.pk, newer.number, newer.document_text = None, 2, f"# newer\n{newer.document_text}"
        newer.save()
        run.version = 2
        restart(run, run.engine)
        report(run, end, broken() if end == "failed" else None)
        deliver(receiver.pk)
        texts = [event["job"]["facets"]["sourceCode"]["sourceCode"] for event in catalog.events]
        assert catalog.types == ["START", type_, "START"]
        assert [text.startswith("# newer") for text in texts] == [False, False, True]


def columns_of(event: dict[str, Any]) -> dict[str, dict[str, str]]:
    """By column of the only output: what is done to each source column."""
    (output,) = event["outputs"]
    return {
        column: {
            f"{source['name']}.{source['field']}": source["transformations"][0]["subtype"]
            for source in found["inputFields"]
        }
        for column, found in output["facets"]["columnLineage"]["fields"].items()
    }


def event_of_a_join(workspace: Workspace, owner: User) -> dict[str, Any]:
    """What is told of the start of a job with two sources."""
    trades(workspace)
    trades(workspace, name="quotes", topic="market.quotes")
    job = job_of(workspace, owner, JOIN)
    with lineage_catalog() as catalog:
        receiver = told(catalog, workspace, owner)
        running(job)
        deliver(receiver.pk)
        (event,) = catalog.events
    return event


def test_the_lineage_of_columns_that_is_too_large_is_left_out(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weir.openlineage.services.datasets.MAX_SOURCE_FIELDS", 1)
    event = event_of_a_join(workspace, owner)
    (output,) = event["outputs"]
    assert output["facets"].keys() == {"schema"}
    assert len(event["inputs"]) == 2


def test_columns_of_a_join_with_an_aggregate(workspace: Workspace, owner: User) -> None:
    event = event_of_a_join(workspace, owner)
    assert sorted(given["name"] for given in event["inputs"]) == ["market.quotes", "trades"]
    columns = columns_of(event)
    assert columns["symbol"] == {"trades.symbol": "IDENTITY"}
    assert columns["high"] == {"trades.price": "AGGREGATION"}
    assert "n" not in columns  # counts rows, of no column
    (output,) = event["outputs"]
    deciding = {
        f"{one['name']}.{one['field']}": {how["subtype"] for how in one["transformations"]}
        for one in output["facets"]["columnLineage"]["dataset"]
    }
    assert deciding["trades.price"] == {"FILTER"}
    assert deciding["trades.symbol"] == {"JOIN", "GROUP_BY"}
    assert deciding["market.quotes.symbol"] == {"JOIN"}
    assert {how for kinds in deciding.values() for how in kinds} == {"FILTER", "JOIN", "GROUP_BY", "WINDOW"}


def test_a_failure_says_why_and_the_next_start_is_another_run(workspace: Workspace, owner: User) -> None:
    job = job_of(workspace, owner)
    with lineage_catalog() as catalog:
        receiver = told(catalog, workspace, owner)
        run = running(job)
        report(run, "failed", broken())
        report(run, "stopped")  # an engine that starts later calls a failed run stopped
        run.refresh_from_db()
        assert run.engine is not None
        begin_epoch(run, run.engine)
        report(run, "stopped")  # while it should run
        deliver(receiver.pk)
        assert catalog.types == ["START", "FAIL", "START", "ABORT"]
        events = catalog.events
    assert events[1]["run"]["facets"]["errorMessage"]["message"] == "a column is gone"
    runs = [event["run"]["runId"] for event in events]
    assert runs[0] == runs[1] != runs[2] == runs[3]


def test_a_receiver_that_was_away_gets_all_in_order(workspace: Workspace, owner: User) -> None:
    job = job_of(workspace, owner)
    with lineage_catalog() as catalog:
        receiver = told(catalog, workspace, owner)
        catalog.receiver.status = 503
        run = running(job)
        deliver(receiver.pk)
        report(run, "running")
        stop(run)
        deliver(receiver.pk)  # not due
        assert len(catalog.receiver.requests) == 1
        receiver.refresh_from_db()
        assert receiver.error == "The receiver answered 503."
        assert receiver.due_at > timezone.now()
        assert (receiver.attempts, receiver.sent_at) == (1, None)
        catalog.receiver.requests.clear()
        catalog.receiver.status = 201
        again(receiver)
        again(receiver)
        assert catalog.types == ["START", "RUNNING", "COMPLETE"]
    assert set(LineageEvent.objects.values_list("state", flat=True)) == {"sent"}
    receiver.refresh_from_db()
    assert (receiver.attempts, receiver.error) == (0, "The receiver answered 503."), (
        "the last failure is kept"
    )


def test_a_refused_event_is_given_up_and_a_wrong_key_is_not(workspace: Workspace, owner: User) -> None:
    with lineage_catalog() as catalog:
        receiver = told(catalog, workspace, owner, "wrong")
        send_test(receiver, owner)
        catalog.receiver.status = 401
        deliver(receiver.pk)
        assert LineageEvent.objects.get().state == "waiting"
        receiver.refresh_from_db()
        assert "check the API key" in receiver.error
        catalog.receiver.status = 422
        again(receiver)
        assert LineageEvent.objects.get().state == "failed"


def test_what_waited_for_a_day_is_given_up(workspace: Workspace, owner: User) -> None:
    with lineage_catalog() as catalog:
        receiver = told(catalog, workspace, owner)
        send_test(receiver, owner)
        LineageEvent.objects.update(created_at=timezone.now() - GIVE_UP_AFTER - timedelta(minutes=1))
        catalog.receiver.status = 500
        deliver(receiver.pk)
        assert LineageEvent.objects.get().state == "failed"


def test_all_that_waited_for_a_day_is_given_up_at_once(workspace: Workspace, owner: User) -> None:
    """A receiver that is away is asked every half an hour: one event each time would never end."""
    with lineage_catalog() as catalog:
        receiver = told(catalog, workspace, owner)
        send_test(receiver, owner)
        send_test(receiver, owner)
        LineageEvent.objects.update(created_at=timezone.now() - GIVE_UP_AFTER - timedelta(minutes=1))
        send_test(receiver, owner)
        catalog.receiver.status = 500
        deliver(receiver.pk)
        states = list(LineageEvent.objects.order_by("id").values_list("state", flat=True))
        assert states == ["failed", "failed", "waiting"]


def test_a_defect_while_sending_waits_as_a_receiver_that_is_away(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def post(url: str, body: bytes, headers: dict[str, str]) -> Answer:
        raise ValueError("a defect")

    with lineage_catalog() as catalog:
        receiver = told(catalog, workspace, owner)
        send_test(receiver, owner)
        with monkeypatch.context() as patch:
            patch.setattr(delivery, "post", post)
            deliver(receiver.pk)
            event = LineageEvent.objects.get()
            assert (event.state, "ValueError" in event.error) == ("waiting", True)
            receiver.refresh_from_db()
            assert receiver.due_at > timezone.now(), "it isn't tried at once again"
            assert receiver.leased_until <= timezone.now(), "and no other worker has to wait for its lease"
            LineageEvent.objects.update(created_at=timezone.now() - GIVE_UP_AFTER - timedelta(minutes=1))
            again(receiver)
        assert LineageEvent.objects.get().state == "failed"


def test_a_receiver_says_when_to_come_again(workspace: Workspace, owner: User) -> None:
    with lineage_catalog() as catalog:
        receiver = told(catalog, workspace, owner)
        send_test(receiver, owner)
        catalog.receiver.status, catalog.receiver.headers = 503, {"Retry-After": "900"}
        before = timezone.now()
        deliver(receiver.pk)
        receiver.refresh_from_db()
        assert receiver.due_at >= before + timedelta(minutes=15)


def test_a_start_of_long_ago_waits_for_a_day_too(workspace: Workspace, owner: User) -> None:
    """A new receiver is told of a job that runs for a week: its first try may fail as any other."""
    running(job_of(workspace, owner))
    Execution.objects.update(started_at=timezone.now() - timedelta(days=7))
    with lineage_catalog() as catalog:
        receiver = told(catalog, workspace, owner)
        catalog.receiver.status = 503
        deliver(receiver.pk)
        assert set(LineageEvent.objects.values_list("state", flat=True)) == {"waiting"}
        catalog.receiver.status = 201
        again(receiver)
        outbox.purge()
    assert set(LineageEvent.objects.values_list("state", flat=True)) == {"sent"}


@contextmanager
def unbuildable(monkeypatch: pytest.MonkeyPatch, run: Run, type_: str) -> Iterator[None]:
    """One event of one run meets a defect."""

    def build(receiver: LineageReceiver, event: LineageEvent) -> str:
        if (event.run_id, event.type) == (run.pk, type_):
            raise KeyError("a defect")
        return event_json(receiver, event)

    with monkeypatch.context() as patch:
        patch.setattr(delivery, "event_json", build)
        yield


def due_again(receiver: LineageReceiver) -> None:
    """Whatever waits may be tried again."""
    LineageEvent.objects.update(due_at=timezone.now())
    deliver(receiver.pk)


def test_an_event_that_cannot_be_built_holds_back_its_execution_alone(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    job, other = (
        job_of(workspace, owner),
        job_of(workspace, owner, DOCUMENT.replace("name: stats", "name: more")),
    )
    with lineage_catalog() as catalog:
        receiver = told(catalog, workspace, owner)
        bad = running(job, state="starting")
        report(bad, "running")
        with unbuildable(monkeypatch, bad, "START"):
            good = running(other, state="starting")
            stop(good)
            deliver(receiver.pk)
            assert names_and_types(catalog) == [("more", "START"), ("more", "COMPLETE")]
            report(bad, "stopped")
            deliver(receiver.pk)
            assert len(catalog.events) == 2, "nothing of the execution overtakes its start"
            assert receiver.pk not in outbox.due_receivers()
        due_again(receiver)
        assert names_and_types(catalog)[2:] == [("stats", "START"), ("stats", "RUNNING"), ("stats", "ABORT")]
    assert job.pk in caplog.text


def test_an_event_that_cannot_be_built_is_given_up(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    with lineage_catalog() as catalog:
        receiver = told(catalog, workspace, owner)
        run = running(job_of(workspace, owner), state="starting")
        report(run, "running")
        with unbuildable(monkeypatch, run, "START"):
            for attempt in range(1, outbox.MAX_BUILDS + 1):
                assert LineageEvent.objects.get(type="START").state == "waiting"
                due_again(receiver)
                assert LineageEvent.objects.get(type="START").attempts == attempt
            assert catalog.types == ["RUNNING"], "in the delivery that gave up"
            due_again(receiver)
    given_up = LineageEvent.objects.get(type="START")
    assert (given_up.state, given_up.attempts) == ("failed", outbox.MAX_BUILDS)
    assert "KeyError" in given_up.error
    receiver.refresh_from_db()
    assert receiver.error == given_up.error


def test_only_one_worker_delivers(workspace: Workspace, owner: User) -> None:
    with lineage_catalog() as catalog:
        receiver = told(catalog, workspace, owner)
        send_test(receiver, owner)
        other = LineageReceiver.objects.get()
        assert outbox.lease(other)
        assert not outbox.lease(receiver)
        deliver(receiver.pk)
        assert catalog.receiver.requests == []


def test_an_address_that_became_private_is_not_asked(
    workspace: Workspace, owner: User, settings: Settings
) -> None:
    with lineage_catalog() as catalog:
        receiver = told(catalog, workspace, owner)
        send_test(receiver, owner)
        LineageReceiver.objects.update(url=catalog.url.replace("http:", "https:"))
        settings.PRIVATE_WEBHOOKS = False
        deliver(receiver.pk)
        assert catalog.receiver.requests == []
    receiver.refresh_from_db()
    assert "isn't allowed" in receiver.error


def test_a_new_receiver_is_told_of_what_runs(workspace: Workspace, owner: User) -> None:
    run = running(job_of(workspace, owner))
    with lineage_catalog() as catalog:
        receiver = told(catalog, workspace, owner)
        told(catalog, workspace, owner)
        stop(run)
        deliver(receiver.pk)
        assert catalog.types == ["START", "RUNNING", "COMPLETE"]


@pytest.mark.parametrize(("end", "type_"), [("stopped", "COMPLETE"), ("failed", "FAIL")])
def test_what_ended_while_it_was_off_is_told_when_it_is_on_again(
    workspace: Workspace, owner: User, end: str, type_: str
) -> None:
    """It would show it as running for ever."""
    run = running(job_of(workspace, owner))
    with lineage_catalog() as catalog:
        receiver = told(catalog, workspace, owner)
        deliver(receiver.pk)
        set_receiver(workspace, owner, catalog.url, "", None, enabled=False)
        Run.objects.filter(pk=run.pk).update(desired=Desired.STOPPED)
        report(run, end, broken() if end == "failed" else None)
        for _ in range(2):
            told(catalog, workspace, owner)
        deliver(receiver.pk)
        assert catalog.types == ["START", "RUNNING", type_]


def test_a_new_receiver_is_not_told_that_a_run_reads_which_waits_for_its_cluster(
    workspace: Workspace, owner: User
) -> None:
    run = running(job_of(workspace, owner), state="waiting")
    with lineage_catalog() as catalog:
        receiver = told(catalog, workspace, owner)
        deliver(receiver.pk)
        assert catalog.types == ["START"]
        report(run, "running")
        deliver(receiver.pk)
        assert catalog.types == ["START", "RUNNING"]


def test_a_deleted_job_still_ends(workspace: Workspace, owner: User) -> None:
    job = job_of(workspace, owner)
    with lineage_catalog() as catalog:
        receiver = told(catalog, workspace, owner)
        stop(running(job))
        job.delete()
        deliver(receiver.pk)
        assert catalog.types == ["START", "COMPLETE"]
        assert catalog.events[1]["outputs"] == []


def test_without_a_receiver_nothing_is_written(workspace: Workspace, owner: User) -> None:
    stop(running(job_of(workspace, owner)))
    assert not LineageEvent.objects.exists()


def test_the_schemas_refuse_what_is_no_event() -> None:
    folder = Path("tests/support/data/openlineage")
    assert json.loads((folder / "OpenLineage.json").read_text())["$id"].endswith("2-0-2/OpenLineage.json")
    url = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
    bad = {"schemaURL": url, "run": {"facets": {}}, "job": {"facets": {}}, "inputs": [], "outputs": []}
    assert event_problems(bad)


def test_what_waits_goes_to_an_address_that_is_set_while_events_are_delivered(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    with lineage_catalog() as before, lineage_catalog() as after:
        receiver = told(before, workspace, owner)
        run = running(job_of(workspace, owner), state="starting")
        report(run, "running")
        stop(run)

        def post_and_change(url: str, body: bytes, headers: dict[str, str]) -> Answer:
            answer = post(url, body, headers)
            told(after, workspace, owner)
            return answer

        monkeypatch.setattr(delivery, "post", post_and_change)
        deliver(receiver.pk)
        again(receiver)
        assert (before.types, after.types) == (["START"], ["RUNNING", "COMPLETE"])
