"""The relay: what it stores, and what it survives."""

import json
import random
import subprocess
import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connections, transaction

from jobs.kafka_messages import PartitionProgress, PositionsReport, ProgressReport
from tests.integration.live.conftest import Results
from tests.support.kafka_node import KafkaServer
from tests.support.processes import wait_until
from tests.support.run_factories import now_us, state_report
from tests.support.users import client_of
from weir.lag.models import LagPoint
from weir.results.models import ResultOffset, ResultRow
from weir.runs.models import Generation, Job, ReconcilerState, Run
from weir.workspaces.models import User

pytestmark = [
    pytest.mark.every_database,
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]

Relay = Callable[[], Callable[[], None]]


def write(results: Results, seed: int, count: int, content: dict[str, str]) -> None:
    rng = random.Random(seed)
    for at in range(count):
        key = f"k{rng.randrange(200)}"
        value = None if rng.random() < 0.2 else json.dumps({"n": at, "seed": seed})
        results.write(key, value)
        content.pop(f'["{key}"]', None)
        if value is not None:
            content[f'["{key}"]'] = value
    results.flush()


@pytest.mark.long
def test_a_relay_that_is_killed_again_and_again_loses_nothing(
    results: Results, relay_process: Callable[[], subprocess.Popen[bytes]]
) -> None:
    content: dict[str, str] = {}
    for turn in range(4):
        process = relay_process()
        before = results.stored_offsets()
        write(results, turn, 2_000, content)
        wait_until(lambda before=before: results.stored_offsets() > before, 30, "it stores")
        process.kill()
        process.wait(10)
        write(results, turn + 100, 500, content)
    process = relay_process()
    wait_until(lambda: results.stored_offsets() == 10_000, 30, "it has caught up")
    assert results.stored() == content
    process.terminate()
    assert process.wait(15) == 0, "SIGTERM ends it in order"


def test_two_relays_do_not_hurt_each_other(results: Results, relay: Relay) -> None:
    content: dict[str, str] = {}
    relay()
    relay()
    for turn in range(5):
        write(results, turn, 500, content)
        wait_until(lambda turn=turn: results.stored_offsets() == 500 * (turn + 1), 30, "all is stored")
    assert results.stored() == content


def test_a_locked_database_is_waited_for(results: Results, relay: Relay) -> None:
    content: dict[str, str] = {}
    relay()
    write(results, 1, 100, content)
    wait_until(lambda: results.stored_offsets() == 100, 20, "it stores")
    with connections["results"].cursor() as cursor:
        is_sqlite = connections["results"].vendor == "sqlite"
        cursor.execute("BEGIN IMMEDIATE" if is_sqlite else "BEGIN; LOCK TABLE results_resultrow")
        write(results, 2, 100, content)
        results.report(state_report(results.run, "replaying"))
        wait_until(
            lambda: Run.objects.get().observed == "replaying",
            20,
            "the control tables do not wait for the results",
        )
        cursor.execute("ROLLBACK")
    wait_until(lambda: results.stored() == content, 40, "it goes on")


def test_what_a_database_has_lost_is_stored_again(results: Results, relay: Relay) -> None:
    """As after a failover to a replica that lacks the last transactions. Nothing fails, nothing is new."""
    relay()
    for at in range(40):
        results.write(f"k{at}", json.dumps({"n": at}))
    results.flush()
    wait_until(lambda: results.stored_offsets() == 40, 20, "it stores")
    content = results.stored()
    with transaction.atomic(using="results"):
        ResultOffset.objects.filter(partition=0).update(next_offset=5)
        lost, _ = ResultRow.objects.filter(partition=0, offset__gte=5).delete()
    assert lost > 0
    wait_until(lambda: results.stored() == content, 30, "the rows are stored again")
    assert results.stored_offsets() == 40


@pytest.mark.long
def test_a_broker_that_was_away_is_found_again(results: Results, relay: Relay, kafka: KafkaServer) -> None:
    content: dict[str, str] = {}
    relay()
    write(results, 1, 100, content)
    wait_until(lambda: results.stored_offsets() == 100, 20, "it stores")
    wait_until(
        lambda: ReconcilerState.objects.filter(relay_caught_up_at__isnull=False).exists(),
        20,
        "it is caught up",
    )
    kafka.kill()
    try:
        asked = ReconcilerState.objects.get().relay_caught_up_at
        wait_until(lambda: time.time() - asked.timestamp() > 6, 20, "time passes")
        assert ReconcilerState.objects.get().relay_caught_up_at - asked < timedelta(seconds=5), (
            "it claims nothing while the broker is away"
        )
    finally:
        kafka.start()
    write(results, 2, 100, content)
    wait_until(lambda: results.stored() == content, 60, "it goes on")
    wait_until(
        lambda: ReconcilerState.objects.get().relay_caught_up_at > asked + timedelta(seconds=5),
        60,
        "it is caught up again",
    )


def test_reports_reach_the_run_and_history(results: Results, relay: Relay, owner: User) -> None:
    source = {
        "cluster": {"cluster_id": "home", "bootstrap": "127.0.0.1:1"},
        "topic": "trades",
        "stream": "trades",
    }
    Generation.objects.update(sources={"trades": source})
    relay()
    run, at = results.run, now_us()
    header = {
        "at_us": at,
        "engine_id": run.engine_id or "",
        "incarnation": "inc-1",
        "run_id": run.pk,
        "epoch": 1,
    }
    results.report(
        state_report(run, "replaying"),
        PositionsReport(
            **header, sources={"trades": {0: PartitionProgress(committed=10, fetched=40, end=50)}}
        ),
        ProgressReport(
            **header,
            batch=1,
            began_us=at,
            duration_ms=1000,
            rows_in=40,
            rows_out=4,
            sources={},
            malformed={"trades": 3},
            late=2,
            state_rows=9,
        ),
    )
    results.write("a", '{"n":1}')
    results.flush()
    wait_until(lambda: Run.objects.get().observed == "replaying", 20, "the state is applied")
    wait_until(lambda: Run.objects.get().lag_records == 10, 20, "the lag is known")
    wait_until(
        lambda: LagPoint.objects.filter(lag_records_min=10, state_rows=9).exists(), 20, "history grows"
    )
    assert sum(LagPoint.objects.values_list("malformed", flat=True)) <= 3
    rest = client_of(owner)
    lag = rest.get(f"/api/v1/workspaces/ops/jobs/{results.job.pk}/lag").json()
    cell = lag["sources"]["trades"]["partitions"][0]
    assert (cell["committed"], cell["fetched"], cell["records"]) == (10, 40, cell["end"] - 40)
    assert lag["mirror_group"] == f"weir.ops.{results.job.name}"
    history = rest.get(f"/api/v1/workspaces/ops/jobs/{results.job.pk}/lag/history").json()
    assert history["measures"]["state_rows"]["max"][-1] == 9
    wait_until(results.stored, 20, "the row is stored")
    page = rest.get(f"/api/v1/workspaces/ops/jobs/{results.job.pk}/results").json()
    assert [row["key"] for row in page["rows"]] == [["a"]]
    assert page["total"] == 1


def test_a_relay_with_nothing_new_to_read_is_caught_up(results: Results, relay: Relay) -> None:
    end = relay()
    results.report(state_report(results.run, "replaying"))
    wait_until(lambda: Run.objects.get().observed == "replaying", 20, "it has read")
    end()
    ReconcilerState.objects.all().delete()
    relay()
    wait_until(
        lambda: ReconcilerState.objects.filter(relay_caught_up_at__isnull=False).exists(),
        20,
        "silence may be judged",
    )


def test_a_relay_that_starts_before_anything_exists_finds_it_later(results: Results, relay: Relay) -> None:
    Job.objects.update(generation=None)
    relay()
    results.write("a", '{"n":1}')
    results.flush()
    Job.objects.update(generation=1)
    wait_until(lambda: results.stored() == {'["a"]': '{"n":1}'}, 20, "it follows the run table")
    Job.objects.update(generation=None)
