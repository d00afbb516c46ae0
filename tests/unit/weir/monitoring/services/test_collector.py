"""The exposition: parsed by the client's own parser, named by Prometheus' rules, bounded, never invented."""

from typing import Any

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client import Metric, generate_latest
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from tests.support.group_rows import stored_group, watched
from tests.support.judged_objectives import judged_objective
from tests.support.measured_jobs import measured_job, started_job
from tests.support.metric_names import name_faults
from tests.support.run_factories import DOCUMENT, job_of
from tests.support.users import create_user, workspace_of
from weir.clusters.models import Cluster
from weir.dead_letters.models import CountedRange, Validator
from weir.lag.models import CurrentLag
from weir.live.metrics import REGISTRY
from weir.measurements import MAX_AGE_US
from weir.monitoring.services.collector import DatabaseCollector
from weir.monitoring.services.metrics import GROUP_HEALTH, METRICS
from weir.runs.models import Engine, Job, ReconcilerState, Run
from weir.runs.services.lag_health import Kind
from weir.streams.models import Stream
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])

# What a name may end in. Beside Prometheus' own there are the things that we count, offsets, and states.
UNITS = ("_seconds", "_bytes", "_messages", "_records", "_rows", "_slots", "_series", "_offset", "_state",
         "_starts", "_batches", "_cores", "_groups", "_alerts", "_ratio", "_burn_rate", "_info")  # fmt: skip

MAX_QUERIES = 16


def families(workspace: Workspace | None = None) -> dict[str, Metric]:
    text = generate_latest(DatabaseCollector(workspace)).decode()
    return {family.name: family for family in text_string_to_metric_families(text)}


def values(name: str, **labels: str) -> list[float]:
    """Values of the samples that have these labels."""
    found = families()[name.removesuffix("_total")]
    return [
        sample.value
        for sample in found.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    ]


def test_the_names_follow_the_rules(workspace: Workspace, owner: User) -> None:
    measured_job(workspace, owner)
    found = families()
    assert [fault for family in found.values() for fault in name_faults(family)] == []
    assert {family.removesuffix("_total") for family in (metric.name for metric in METRICS)} == found.keys()


def test_the_live_hubs_names_follow_them_too() -> None:
    found = text_string_to_metric_families(generate_latest(REGISTRY).decode())
    assert [fault for family in found for fault in name_faults(family)] == []


def test_every_health_of_a_group_is_named() -> None:
    *_, names = GROUP_HEALTH.help.removesuffix(".").partition(": ")
    assert names.replace(" or ", ", ").split(", ") == [kind.value for kind in Kind]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_a_metric_has_a_unit_a_type_and_a_help(metric: Any) -> None:
    assert metric.name.startswith("weir_")
    assert metric.name.removesuffix("_total").endswith(UNITS)
    assert metric.name.endswith("_total") == (metric.kind == "counter")
    assert metric.help[0].isupper() or metric.help[0] == "1"
    assert metric.help.endswith(".")
    assert len(set(metric.labels)) == len(metric.labels)


def test_every_metric_is_written_for_a_system_with_everything(workspace: Workspace, owner: User) -> None:
    run = measured_job(workspace, owner)
    ReconcilerState.objects.create(pk=1, relay_caught_up_at=timezone.now())
    Run.objects.filter(pk=run.pk).update(last_seen_at=timezone.now())
    Engine.objects.update(
        last_seen_at=timezone.now(), slots=64, memory_bytes=1, cpu_cores=0.5, host_cpu_cores=1.5, host_cores=2
    )
    _validated(workspace)
    Cluster.objects.update(checked_at=timezone.now())
    watched()
    stored_group("billing", {"trades": 9}, loss_s=60.0)
    judged_objective(run.generation.job, good_s=200)
    progress = {"stats": 1, "trades": 5}
    measured_job(workspace, owner, "keys", malformed=progress, limit_reached={"stats": 1})
    empty = [name for name, family in families().items() if not family.samples]
    assert empty == []


def test_values(workspace: Workspace, owner: User) -> None:
    measured_job(workspace, owner)
    job = {"workspace": "ops", "job_name": "stats"}
    source = {**job, "source": "trades", "topic": "trades"}
    assert values("weir_job_lag_records", **job) == [20]
    assert values("weir_job_freshness_seconds", **job) == [1.5]
    assert values("weir_job_end_to_end_latency_seconds", **job) == [0.04]
    assert values("weir_job_watermark_timestamp_seconds", **job) == [2]
    assert values("weir_job_input_rows_total", **job) == [95]
    assert values("weir_source_lag_records", **source) == [20]
    assert values("weir_source_records_total", **source) == [100]
    assert values("weir_source_malformed_records_total", **source) == [5]
    assert values("weir_partition_lag_records", **source, partition="1") == [10]
    assert values("weir_partition_committed_offset", **source, partition="0") == [80]
    assert values("weir_step_expression_null_rows_total", **job, step="stats") == [3]
    assert values("weir_source_output_rows_total", **source) == [95]
    assert values("weir_job_info", **job, mode="realtime", version="1", group="weir.ops.stats") == [1]
    assert values("weir_job_desired_state", **job, state="running") == [1]
    assert sum(values("weir_job_state", **job)) == 1


def test_a_lag_in_time_that_is_a_lower_bound_is_missing(workspace: Workspace, owner: User) -> None:
    measured_job(workspace, owner)
    assert values("weir_partition_lag_seconds", topic="trades") == [1, 1]
    lag = CurrentLag.objects.using("results").get()
    lag.payload["sources"]["trades"]["partitions"][0]["lower_bound"] = True
    lag.save(using="results")
    assert values("weir_partition_lag_seconds", topic="trades") == [1]
    assert values("weir_partition_lag_records", topic="trades") == [10, 10]


def test_a_job_without_reports_has_no_invented_value(workspace: Workspace, owner: User) -> None:
    started_job(workspace, owner, "silent")
    job_of(workspace, owner, DOCUMENT.replace("name: stats", "name: idle", 1))
    found = {
        name
        for name, family in families(workspace).items()
        if any("job_name" in sample.labels for sample in family.samples)
    }
    assert found == {
        "weir_job_info",
        "weir_job_desired_state",
        "weir_job_state",
        "weir_job_state_since_timestamp_seconds",
        "weir_job_starts",
    }
    assert values("weir_job_state", job_name="idle", state="never_started") == [1]
    assert values("weir_job_state_since_timestamp_seconds", job_name="idle") == []


def test_what_is_old_is_not_told_as_current(workspace: Workspace, owner: User) -> None:
    measured_job(workspace, owner, age_us=MAX_AGE_US + 1_000_000)
    assert values("weir_job_lag_records") == values("weir_partition_lag_records") == []
    assert values("weir_job_freshness_seconds") == values("weir_step_stored_state_rows") == []
    assert values("weir_job_input_rows_total") == [95], "what was counted stays counted"


def test_an_engine_without_a_process_takes_no_memory(workspace: Workspace, owner: User) -> None:
    """The last heartbeat of one that has died would be told as the present for hours."""
    measured_job(workspace, owner)
    Engine.objects.update(last_seen_at=timezone.now(), memory_bytes=7, slots_used=2)
    assert values("weir_engine_memory_bytes") == [7]
    Engine.objects.update(state=Engine.State.LOST)
    assert values("weir_engine_memory_bytes") == values("weir_engine_used_slots") == []


def test_a_stopped_job_has_no_lag(workspace: Workspace, owner: User) -> None:
    run = measured_job(workspace, owner)
    Run.objects.filter(pk=run.pk).update(observed="stopped")
    assert values("weir_job_lag_records") == values("weir_source_lag_records") == []
    assert values("weir_job_state", state="stopped") == [1]
    assert values("weir_job_info", engine="", mode="", version="") == [1]


def test_what_an_earlier_generation_counted_is_not_this_ones(workspace: Workspace, owner: User) -> None:
    run = measured_job(workspace, owner)
    Run.objects.filter(pk=run.pk).delete()
    Run.objects.create(
        id="next",
        generation=run.generation,
        engine=run.engine,
        version=1,
        mode="realtime",
        observed="running",
    )
    assert values("weir_job_input_rows_total") == []
    assert values("weir_job_lag_records") == []


def test_the_number_of_queries_does_not_grow_with_jobs(workspace: Workspace, owner: User) -> None:
    measured_job(workspace, owner)
    one = {scope: _queries(scope) for scope in (None, workspace)}
    for number in range(29):
        measured_job(workspace, owner, f"job{number}")
    assert {scope: _queries(scope) for scope in (None, workspace)} == one
    assert all(count <= MAX_QUERIES for count in one.values()), one
    assert len(values("weir_job_lag_records")) == 30


def test_too_many_series_are_left_out_and_counted(
    settings: Settings, workspace: Workspace, owner: User
) -> None:
    measured_job(workspace, owner, "a", partitions=40)
    measured_job(workspace, owner, "b", partitions=2)
    settings.METRICS_MAX_SERIES = 100
    omitted = values("weir_metrics_omitted_series", workspace="ops", level="partition")
    assert omitted == [200], "40 partitions with 5 series each"
    assert values("weir_metrics_omitted_series", workspace="ops", level="job") == [0]
    assert len(values("weir_partition_lag_records", job_name="a")) == 0
    assert len(values("weir_partition_lag_records", job_name="b")) == 2, "a smaller one still fits"
    assert values("weir_source_lag_records", job_name="a") == [400], "what matters more is there"
    written = sum(
        "workspace" in sample.labels and family.name != "weir_metrics_omitted_series"
        for family in families(workspace).values()
        for sample in family.samples
    )
    assert written <= 100


def test_one_workspace_does_not_take_the_room_of_another(
    settings: Settings, workspace: Workspace, owner: User
) -> None:
    labs = workspace_of(create_user("eve"), "labs")
    measured_job(workspace, owner, "big", partitions=50)
    measured_job(labs, owner, "small", partitions=1)
    settings.METRICS_MAX_SERIES = 100
    assert len(values("weir_partition_lag_records", workspace="labs")) == 1
    assert values("weir_metrics_omitted_series", workspace="labs", level="partition") == [0]


def test_a_workspace_has_its_own_series_alone(workspace: Workspace, owner: User) -> None:
    labs = workspace_of(create_user("eve"), "labs")
    measured_job(workspace, owner, "planted-job")
    measured_job(labs, owner, "own")
    _validated(workspace)
    Engine.objects.filter(runs__generation__job__workspace=workspace).update(kind="dedicated")
    text = generate_latest(DatabaseCollector(labs)).decode()
    assert "planted" not in text
    assert 'workspace="ops"' not in text
    assert 'job_name="own"' in text


def test_a_name_with_quotes_is_escaped(workspace: Workspace, owner: User) -> None:
    run = measured_job(workspace, owner)
    name = 'a "b" \\ c\nd'
    Job.objects.filter(pk=run.generation.job_id).update(name=name)
    assert values("weir_job_lag_records", job_name=name) == [20]


def test_steps(workspace: Workspace, owner: User) -> None:
    measured_job(workspace, owner, given={"trades": 95, "stats": 12, "split.big": 4, "split.else": 0},
                 malformed={"trades": 5, "stats": 1})  # fmt: skip
    job = {"workspace": "ops", "job_name": "stats"}
    rows = {
        (sample.labels["step"], sample.labels["port"]): sample.value
        for sample in families()["weir_step_output_rows"].samples
    }
    assert rows == {("stats", ""): 12, ("split", "big"): 4, ("split", "else"): 0}, "not of the source"
    assert values("weir_step_late_rows_total", **job, step="stats") == [2]
    assert values("weir_step_keyless_rows_total", **job, step="stats") == [1]
    assert values("weir_step_stored_state_rows", **job, step="stats") == [7]
    assert values("weir_step_stored_state_bytes", **job, step="stats") == [700]


def test_what_no_engine_counted_of_steps_is_missing(workspace: Workspace, owner: User) -> None:
    measured_job(workspace, owner, given={}, steps={})
    assert values("weir_step_output_rows_total") == values("weir_step_late_rows_total") == []
    assert values("weir_step_stored_state_rows") == values("weir_source_output_rows_total") == []


def test_contract_validation_by_outcome(workspace: Workspace, owner: User) -> None:
    job_of(workspace, owner)
    _validated(workspace)
    found = {outcome: values("weir_stream_validated_records_total", outcome=outcome)
             for outcome in ("valid", "malformed", "skipped")}  # fmt: skip
    assert found == {"valid": [5], "malformed": [2], "skipped": [1]}


def _validated(workspace: Workspace) -> None:
    stream = Stream.objects.get(workspace=workspace, name="trades")
    job = Job.objects.create(workspace=workspace, kind=Job.Kind.VALIDATOR, name="validates trades")
    validator = Validator.objects.create(workspace=workspace, stream=stream, job=job)
    for first, valid in ((0, 2), (10, 3)):
        CountedRange.objects.create(
            validator=validator,
            topic_id="id-1",
            partition=0,
            first=first,
            last=first + 9,
            hour=timezone.now(),
            valid=valid,
            malformed=1,
            skipped=first // 10,
        )


def _queries(workspace: Workspace | None) -> int:
    control, results = (CaptureQueriesContext(connections[alias]) for alias in ("default", "results"))
    with control, results:
        generate_latest(DatabaseCollector(workspace))
    return len(control) + len(results)
