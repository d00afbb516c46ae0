"""The table of metrics: names, labels and meanings. `docs/reference/monitoring.md` is checked against it.

Names follow https://prometheus.io/docs/practices/naming/: base units, the unit last, `_total` behind it for
counters. A label is never called `job` or `instance`: Prometheus sets these itself.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, NamedTuple


class Level(StrEnum):
    """What a series is about, in the order in which series are written until the limit is reached
    (`weir.monitoring.services.series_limit`): a job's state matters more than one of its partitions.
    """

    INSTALLATION = "installation"
    CLUSTER = "cluster"
    ENGINE = "engine"
    ALERT = "alert"
    JOB = "job"
    OBJECTIVE = "objective"
    SOURCE = "source"
    STREAM = "stream"
    STEP = "step"
    PARTITION = "partition"
    GROUP = "group"


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric.

    Attributes:
        name: as Prometheus shows it, with its unit, and `_total` for a counter.
        kind: a counter only rises, until its job begins a new generation.
        level: what its series are about.
        labels: names of its labels, in the order in which samples give their values.
        help: one sentence; what a missing series means, where that is not "not measured yet".
    """

    name: str
    kind: Literal["gauge", "counter"]
    level: Level
    labels: tuple[str, ...]
    help: str


class Sample(NamedTuple):
    """One value: of which metric, with which label values (in the order of its labels)."""

    metric: Metric
    labels: tuple[str, ...]
    value: float


_JOB: Final = ("workspace", "job_name")
_SOURCE: Final = (*_JOB, "source", "topic")
_STREAM: Final = ("workspace", "stream")
_GROUP: Final = ("workspace", "cluster", "group", "topic")
_OBJECTIVE: Final = (*_JOB, "objective", "output")  # output: empty where it is of the whole job
_ALERTS: Final = ("workspace", "severity")
_STEP: Final = (*_JOB, "step")
_PARTITION: Final = (*_SOURCE, "partition")
_ENGINE: Final = ("engine", "kind")
_CLUSTER: Final = ("workspace", "cluster")


def _gauge(level: Level, name: str, labels: tuple[str, ...], text: str) -> Metric:
    return Metric(name, "gauge", level, labels, text)


def _counter(level: Level, name: str, labels: tuple[str, ...], text: str) -> Metric:
    return Metric(name, "counter", level, labels, text)


REPORTS_READ_AT: Final = _gauge(
    Level.INSTALLATION,
    "weir_relay_reports_read_timestamp_seconds",
    (),
    "Engine reports sent before this Unix time are in the database.",
)
OMITTED_SERIES: Final = _gauge(
    Level.INSTALLATION,
    "weir_metrics_omitted_series",
    ("workspace", "level"),
    "Series left out of this answer because the workspace reached WEIR_METRICS_MAX_SERIES; "
    "no workspace: engines, clusters and the relay.",
)

CLUSTER_STATE: Final = _gauge(
    Level.CLUSTER,
    "weir_cluster_state",
    (*_CLUSTER, "state"),
    "1 for the Kafka cluster's state when it was last checked, 0 for the others.",
)
CLUSTER_CHECKED_AT: Final = _gauge(
    Level.CLUSTER,
    "weir_cluster_checked_timestamp_seconds",
    _CLUSTER,
    "Unix time of the last check of the Kafka cluster.",
)

CLUSTER_GROUPS_READ_AT: Final = _gauge(
    Level.CLUSTER,
    "weir_cluster_groups_read_timestamp_seconds",
    _CLUSTER,
    "Unix time of the last look at the Kafka cluster's consumer groups. Missing before the first.",
)
CLUSTER_GROUPS: Final = _gauge(
    Level.CLUSTER,
    "weir_cluster_groups",
    _CLUSTER,
    "Consumer groups of the Kafka cluster at that look, Weir's own included.",
)
CLUSTER_UNWATCHED_GROUPS: Final = _gauge(
    Level.CLUSTER,
    "weir_cluster_unwatched_groups",
    _CLUSTER,
    "Consumer groups of the Kafka cluster that are beyond what is watched; they have no series.",
)

ENGINE_STATE: Final = _gauge(
    Level.ENGINE,
    "weir_engine_state",
    (*_ENGINE, "state"),
    "1 for the engine's state, 0 for the others.",
)
ENGINE_SEEN_AT: Final = _gauge(
    Level.ENGINE,
    "weir_engine_last_heartbeat_timestamp_seconds",
    _ENGINE,
    "Unix time of the engine's last heartbeat.",
)
ENGINE_SLOTS: Final = _gauge(
    Level.ENGINE, "weir_engine_slots", _ENGINE, "Tasks that the engine can run at a time."
)
ENGINE_USED_SLOTS: Final = _gauge(
    Level.ENGINE, "weir_engine_used_slots", _ENGINE, "Tasks that the engine's runs need."
)
ENGINE_MEMORY: Final = _gauge(
    Level.ENGINE, "weir_engine_memory_bytes", _ENGINE, "Memory that the engine reports."
)
ENGINE_CPU: Final = _gauge(
    Level.ENGINE,
    "weir_engine_cpu_cores",
    _ENGINE,
    "Processor time per second of the engine's own processes over the last 20 s, without Python workers.",
)
ENGINE_HOST_CPU: Final = _gauge(
    Level.ENGINE,
    "weir_engine_host_cpu_cores",
    _ENGINE,
    "Processor time per second of everything on the engine's host over the last 20 s.",
)
ENGINE_HOST_CORES: Final = _gauge(
    Level.ENGINE, "weir_engine_host_cores", _ENGINE, "Cores of the engine's host."
)

FIRING_ALERTS: Final = _gauge(
    Level.ALERT,
    "weir_firing_alerts",
    _ALERTS,
    "Alerts of Weir's own rules that fire, as last evaluated; silenced ones included.",
)
SILENCED_ALERTS: Final = _gauge(
    Level.ALERT,
    "weir_silenced_alerts",
    _ALERTS,
    "Those of the firing alerts that are silenced now: no channel is told of them.",
)

JOB_INFO: Final = _gauge(
    Level.JOB,
    "weir_job_info",
    (*_JOB, "job_id", "version", "mode", "engine", "group"),
    "Always 1; its labels say what runs: version, execution mode, engine and mirror group. "
    "They are empty unless a run is live.",
)
JOB_DESIRED: Final = _gauge(
    Level.JOB,
    "weir_job_desired_state",
    (*_JOB, "state"),
    "1 for the state that the user asked for, 0 for the other.",
)
JOB_STATE: Final = _gauge(
    Level.JOB,
    "weir_job_state",
    (*_JOB, "state"),
    "1 for the observed state, 0 for the others; unknown without heartbeats.",
)
JOB_STATE_SINCE: Final = _gauge(
    Level.JOB,
    "weir_job_state_since_timestamp_seconds",
    _JOB,
    "Unix time since when the engine reports this state.",
)
JOB_SEEN_AT: Final = _gauge(
    Level.JOB,
    "weir_job_last_report_timestamp_seconds",
    _JOB,
    "Unix time of the last report about the job's run.",
)
JOB_LAG: Final = _gauge(
    Level.JOB,
    "weir_job_lag_records",
    _JOB,
    "Consumer lag: records not read yet, over all partitions. "
    "Missing while the job is stopped, or that of a partition isn't known.",
)
JOB_LAG_SECONDS: Final = _gauge(
    Level.JOB,
    "weir_job_lag_seconds",
    _JOB,
    "Consumer lag in time: how long ago the log ended where the slowest partition is read. "
    "Missing while the job is stopped, or that of a partition isn't known or only at least so long.",
)
JOB_FRESHNESS: Final = _gauge(
    Level.JOB,
    "weir_job_freshness_seconds",
    _JOB,
    "Age of the newest input included in the results; written when it has grown by a twentieth. "
    "Missing while the job is stopped.",
)
JOB_LATENCY: Final = _gauge(
    Level.JOB,
    "weir_job_end_to_end_latency_seconds",
    _JOB,
    "Time from a record's Kafka timestamp to its result, median of the last seconds. "
    "Missing where no result was written in them.",
)
JOB_WATERMARK: Final = _gauge(
    Level.JOB,
    "weir_job_watermark_timestamp_seconds",
    _JOB,
    "Event time, as Unix time, up to which input is considered complete. "
    "Missing for a job without a watermark.",
)
JOB_STORED_ROWS: Final = _gauge(
    Level.JOB, "weir_job_stored_state_rows", _JOB, "Rows in the state that the job's steps keep."
)
JOB_STORED_BYTES: Final = _gauge(
    Level.JOB,
    "weir_job_stored_state_bytes",
    _JOB,
    "Size of the state that the job's steps keep, on disk and in memory.",
)
JOB_STARTS: Final = _counter(
    Level.JOB,
    "weir_job_starts_total",
    _JOB,
    "Starts and restarts of the current generation.",
)
JOB_BATCHES: Final = _counter(
    Level.JOB, "weir_job_batches_total", _JOB, "Batches that the current generation has committed."
)
JOB_ROWS_IN: Final = _counter(
    Level.JOB,
    "weir_job_input_rows_total",
    _JOB,
    "Rows read by the current generation; rows read again after a crash count again.",
)
JOB_ROWS_OUT: Final = _counter(
    Level.JOB, "weir_job_output_rows_total", _JOB, "Rows written by the current generation."
)
JOB_LATE: Final = _counter(
    Level.JOB,
    "weir_job_late_rows_total",
    _JOB,
    "Rows that the watermark had passed; at least so many, and 0 only where none was late.",
)

SOURCE_LAG: Final = _gauge(
    Level.SOURCE,
    "weir_source_lag_records",
    _SOURCE,
    "Consumer lag of one source: records not read yet. "
    "Missing while the job is stopped, or that of a partition isn't known.",
)
SOURCE_LAG_SECONDS: Final = _gauge(
    Level.SOURCE,
    "weir_source_lag_seconds",
    _SOURCE,
    "Consumer lag of one source in time, of its slowest partition. "
    "Missing while the job is stopped, or that of a partition isn't known or only at least so long.",
)
SOURCE_RECORDS: Final = _counter(
    Level.SOURCE,
    "weir_source_records_total",
    _SOURCE,
    "Records read of a source, malformed and skipped ones included.",
)
SOURCE_MALFORMED: Final = _counter(
    Level.SOURCE,
    "weir_source_malformed_records_total",
    _SOURCE,
    "Records of a source that can't be decoded or break its contract.",
)

SOURCE_ROWS: Final = _counter(
    Level.SOURCE,
    "weir_source_output_rows_total",
    _SOURCE,
    "Rows that a source gave to the job's steps: decoded records without heartbeats. "
    "Missing where the engine does not count them.",
)

STREAM_VALIDATED: Final = _counter(
    Level.STREAM,
    "weir_stream_validated_records_total",
    (*_STREAM, "outcome"),
    "Records that contract validation has decoded: valid, malformed (kept as dead letters) or skipped.",
)

STEP_NULLS: Final = _counter(
    Level.STEP,
    "weir_step_expression_null_rows_total",
    _STEP,
    "Rows of a step with a null because an expression failed.",
)
STEP_LIMITED: Final = _counter(
    Level.STEP,
    "weir_step_limit_reached_rows_total",
    _STEP,
    "Results of a step with a null because a measure passed its limit.",
)

STEP_ROWS: Final = _counter(
    Level.STEP,
    "weir_step_output_rows_total",
    (*_STEP, "port"),
    "Rows that a step gave, by port where it has several, as a branch has; deletions included. "
    "Missing where the engine does not count them.",
)
STEP_LATE: Final = _counter(
    Level.STEP,
    "weir_step_late_rows_total",
    _STEP,
    "Late rows that a step with state dropped; at least so many, and 0 only where none was late.",
)
STEP_KEYLESS: Final = _counter(
    Level.STEP,
    "weir_step_keyless_rows_total",
    _STEP,
    "Rows that a step left out because a field of their key is null. Missing where it was never so.",
)
STEP_STORED_ROWS: Final = _gauge(
    Level.STEP,
    "weir_step_stored_state_rows",
    _STEP,
    "Rows in the state that a step keeps. Missing while the job is stopped, and for a step without state.",
)
STEP_STORED_BYTES: Final = _gauge(
    Level.STEP,
    "weir_step_stored_state_bytes",
    _STEP,
    "Size of the state that a step keeps, on disk and in memory. Missing as above.",
)

OBJECTIVE_TARGET: Final = _gauge(
    Level.OBJECTIVE,
    "weir_objective_target_ratio",
    _OBJECTIVE,
    "Share of the time that a job, or one of its outputs, should be as its objective says; output is "
    "empty where it is of the whole job.",
)
OBJECTIVE_ATTAINED: Final = _gauge(
    Level.OBJECTIVE,
    "weir_objective_attained_ratio",
    _OBJECTIVE,
    "Share of the judged time of the objective's window in which it held. Missing where nothing was judged.",
)
OBJECTIVE_BUDGET: Final = _gauge(
    Level.OBJECTIVE,
    "weir_objective_remaining_budget_ratio",
    _OBJECTIVE,
    "Share of the error budget that is left, below 0 where it is overspent. "
    "Missing where nothing was judged.",
)
OBJECTIVE_BURN: Final = _gauge(
    Level.OBJECTIVE,
    "weir_objective_burn_rate",
    (*_OBJECTIVE, "window"),
    "How fast the error budget is spent; 1 spends it exactly in the objective's window. The lesser of 1 h "
    "and 5 min (window 1h), and of 6 h and 30 min (window 6h). Missing where nothing was judged in one.",
)

GROUP_LAG: Final = _gauge(
    Level.GROUP,
    "weir_group_lag_records",
    _GROUP,
    "Records between a consumer group's committed offsets and the end of a topic.",
)
GROUP_LAG_SECONDS: Final = _gauge(
    Level.GROUP,
    "weir_group_lag_seconds",
    _GROUP,
    "Consumer lag of a group in time, of the slowest partition of a topic. "
    "Missing where it is not known or only at least so long.",
)
GROUP_HEALTH: Final = _gauge(
    Level.GROUP,
    "weir_group_health_info",
    (*_GROUP, "health"),
    "Always 1; its label says the health: empty, fine, unknown, catching_up, behind, falling_behind, "
    "stalled, stopped or losing.",
)
GROUP_LOSS: Final = _gauge(
    Level.GROUP,
    "weir_group_loss_seconds",
    _GROUP,
    "Time until retention deletes records that a group has not read; 0 where it has. "
    "Missing where none is at risk, or that can't be said.",
)
GROUP_LOST: Final = _gauge(
    Level.GROUP,
    "weir_group_lost_records",
    _GROUP,
    "Records between a group's committed offsets and the beginning of a topic: deleted unread.",
)

PARTITION_LAG: Final = _gauge(
    Level.PARTITION,
    "weir_partition_lag_records",
    _PARTITION,
    "Consumer lag of one partition: records not read yet. Missing while the job is stopped.",
)
PARTITION_LAG_SECONDS: Final = _gauge(
    Level.PARTITION,
    "weir_partition_lag_seconds",
    _PARTITION,
    "Consumer lag of one partition in time. "
    "Missing while the job is stopped, or it isn't known or only at least so long.",
)
PARTITION_COMMITTED: Final = _gauge(
    Level.PARTITION,
    "weir_partition_committed_offset",
    _PARTITION,
    "Committed offset: where a restart continues.",
)
PARTITION_FETCHED: Final = _gauge(
    Level.PARTITION,
    "weir_partition_fetched_offset",
    _PARTITION,
    "Next offset to read in real-time mode, ahead of the committed one. Missing in micro-batch mode.",
)
PARTITION_END: Final = _gauge(
    Level.PARTITION,
    "weir_partition_end_offset",
    _PARTITION,
    "Log end offset: what the partition's next record will get.",
)

METRICS: Final[tuple[Metric, ...]] = (
    REPORTS_READ_AT,
    OMITTED_SERIES,
    CLUSTER_STATE,
    CLUSTER_CHECKED_AT,
    CLUSTER_GROUPS_READ_AT,
    CLUSTER_GROUPS,
    CLUSTER_UNWATCHED_GROUPS,
    ENGINE_STATE,
    ENGINE_SEEN_AT,
    ENGINE_SLOTS,
    ENGINE_USED_SLOTS,
    ENGINE_MEMORY,
    ENGINE_CPU,
    ENGINE_HOST_CPU,
    ENGINE_HOST_CORES,
    FIRING_ALERTS,
    SILENCED_ALERTS,
    JOB_INFO,
    JOB_DESIRED,
    JOB_STATE,
    JOB_STATE_SINCE,
    JOB_SEEN_AT,
    JOB_LAG,
    JOB_LAG_SECONDS,
    JOB_FRESHNESS,
    JOB_LATENCY,
    JOB_WATERMARK,
    JOB_STORED_ROWS,
    JOB_STORED_BYTES,
    JOB_STARTS,
    JOB_BATCHES,
    JOB_ROWS_IN,
    JOB_ROWS_OUT,
    JOB_LATE,
    OBJECTIVE_TARGET,
    OBJECTIVE_ATTAINED,
    OBJECTIVE_BUDGET,
    OBJECTIVE_BURN,
    SOURCE_LAG,
    SOURCE_LAG_SECONDS,
    SOURCE_RECORDS,
    SOURCE_MALFORMED,
    SOURCE_ROWS,
    STREAM_VALIDATED,
    STEP_ROWS,
    STEP_LATE,
    STEP_KEYLESS,
    STEP_NULLS,
    STEP_LIMITED,
    STEP_STORED_ROWS,
    STEP_STORED_BYTES,
    PARTITION_LAG,
    PARTITION_LAG_SECONDS,
    PARTITION_COMMITTED,
    PARTITION_FETCHED,
    PARTITION_END,
    GROUP_LAG,
    GROUP_LAG_SECONDS,
    GROUP_HEALTH,
    GROUP_LOSS,
    GROUP_LOST,
)
