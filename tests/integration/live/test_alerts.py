"""From a fault to the receiver: a real relay on a real broker, the outbox, and a real HTTP server."""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from jobs.kafka_messages import Failure, PartitionProgress, PositionsReport
from tests.integration.live.conftest import Results
from tests.support.alerting import metric_rule, row_rule
from tests.support.kafka_node import KafkaServer
from tests.support.processes import wait_until
from tests.support.receivers import HttpReceiver, http_receiver
from tests.support.run_factories import now_us, state_report
from weir.alerts.models import Alert, AlertRule, EvaluatedOffset, Notification
from weir.alerts.services.channels import create_channel
from weir.alerts.services.delivery import deliver
from weir.alerts.services.outbox import due_channels
from weir.alerts.services.rules import create_rule
from weir.clusters.services.clients import home_profile
from weir.runs.models import Generation, Job, Run
from weir.workspaces.models import User

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]
RESULT = {
    "identity_kind": "key",
    "windowed": False,
    "identity": ["k"],
    "schema": [{"name": "k", "type": "string", "nullable": False}, {"name": "low", "type": "double"}],
}
MAX_S = 30  # another machine is slower; what was measured is printed


@pytest.fixture
def receiver(results: Results, owner: User, settings: Settings) -> Iterator[HttpReceiver]:
    settings.PRIVATE_WEBHOOKS = True
    Generation.objects.update(result=RESULT)
    with http_receiver() as found:
        address = f"http://127.0.0.1:{found.port}/"
        create_channel(results.job.workspace, owner, "hook", "webhook", address, "info")
        yield found


def told(receiver: HttpReceiver, count: int) -> list[Any]:
    """The first notifications, delivered as a worker does."""

    def arrived() -> bool:
        for channel in due_channels():
            deliver(channel)
        return len(receiver.requests) >= count

    wait_until(arrived, MAX_S, f"{count} notifications arrive")
    return [json.loads(body) for _, _, body in receiver.requests]


def only(results: Results, owner: User, rule: dict[str, Any]) -> None:
    AlertRule.objects.all().delete()  # those of templates
    create_rule(results.job.workspace, owner, "rule", rule)


def row(results: Results, key: str, low: float) -> None:
    results.write(key, json.dumps({"k": key, "low": low}), at_ms=int(time.time() * 1000))
    results.flush()


def evaluated() -> int:
    return sum(EvaluatedOffset.objects.values_list("next_offset", flat=True))


def test_a_row_reaches_the_receiver(
    results: Results, receiver: HttpReceiver, owner: User, relay: Callable[[], Callable[[], None]]
) -> None:
    only(results, owner, row_rule(results.job))
    relay()
    row(results, "a", 9.0)
    wait_until(lambda: evaluated() == 1, MAX_S, "rows are evaluated")
    began = time.monotonic()
    row(results, "b", 1.0)
    (fired,) = told(receiver, 1)
    print(f"row to receiver: {time.monotonic() - began:.2f} s")
    assert (fired["change"], fired["alerts"][0]["group"]) == ("fired", {"k": "b"})
    row(results, "b", 9.0)
    assert told(receiver, 2)[1]["change"] == "resolved"


@pytest.mark.long
def test_relays_that_are_killed_neither_lose_nor_repeat(
    results: Results, receiver: HttpReceiver, owner: User, relay_process: Callable[[], Any]
) -> None:
    only(results, owner, row_rule(results.job))
    process = relay_process()
    row(results, "k", 9.0)
    wait_until(lambda: evaluated() == 1, MAX_S, "rows are evaluated")
    for turn in range(3):
        row(results, f"a{turn}", 1.0)
        process.kill()  # at whatever point it is
        process.wait(10)
        row(results, f"b{turn}", 1.0)
        process = relay_process()
        wait_until(
            lambda turn=turn: Alert.objects.filter(state="firing").count() == 2 * (turn + 1),
            MAX_S + 10,  # the killed one's lease runs out first
            "what was written before and after is found",
        )
    assert Notification.objects.filter(change="fired").count() == 6


def test_a_failed_job_reaches_the_receiver(
    results: Results, receiver: HttpReceiver, owner: User, relay: Callable[[], Callable[[], None]]
) -> None:
    AlertRule.objects.exclude(template="job-failed").delete()
    relay()
    results.report(state_report(results.run, "running"))
    wait_until(lambda: Run.objects.get().last_seen_at is not None, MAX_S, "the relay reads reports")
    time_of_fault = time.monotonic()
    failure = Failure(code="ENGINE_ERROR", message="made by a test", permanent=True)
    results.report(state_report(results.run, "failed", failure))
    (fired,) = told(receiver, 1)
    print(f"failure to receiver: {time.monotonic() - time_of_fault:.2f} s")
    assert (fired["severity"], fired["alerts"][0]["job"]) == ("critical", results.job.name)


@pytest.mark.long
def test_a_silent_source_reaches_the_receiver(
    results: Results,
    receiver: HttpReceiver,
    broker: KafkaServer,
    owner: User,
    relay: Callable[[], Callable[[], None]],
) -> None:
    broker.create_topic("alerts.trades", 1, {})
    source = {
        "stream": "trades",
        "cluster": home_profile().model_dump(mode="json"),
        "topic": "alerts.trades",
        "topic_id": broker.topic_id("alerts.trades"),
        "partitions": 1,
        "contract": {},
        "start": {"kind": "earliest"},
    }
    Generation.objects.update(sources={"trades": source})
    only(results, owner, metric_rule("source.silent_seconds", above=4, job=results.job.pk))
    relay()
    began = time.monotonic()
    header = {"at_us": now_us(), "engine_id": results.run.engine_id, "incarnation": "inc-1",
              "run_id": results.run.pk, "epoch": 1}  # fmt: skip
    results.report(
        state_report(results.run, "running"),
        PositionsReport(**header, sources={"trades": {0: PartitionProgress(committed=0, fetched=0, end=0)}}),
    )
    (fired,) = told(receiver, 1)
    print(f"silence to receiver: {time.monotonic() - began:.2f} s, of which 4 s are the rule's")
    assert fired["alerts"][0]["group"]["source"] == "trades"
    assert Job.objects.get().desired == "running"
    assert Alert.objects.get().since <= timezone.now()
