"""The table of metrics that rules can watch, with their units. `docs/reference/alerts.md` lists it.

A metric without a reading is unknown, and an unknown value changes no alert. Readings are made in
`readings.py`.
"""

from dataclasses import dataclass
from typing import Final, Literal

Scope = Literal["job", "source", "group", "stream", "engine", "cluster", "member", "objective"]
Unit = Literal["", "s", "records", "rows", "rows/s", "bytes", "MiB/h", "share", "times", "days", "yes or no"]


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric.

    Attributes:
        name: in rule documents.
        scope: what each of its readings is about.
        unit: of its values; a share is 0 to 1, yes is 1.
        title: for lists.
        help: one sentence.
        history: measure of the stored history (`weir.lag.services.history.JOB_POINTS`); empty: none.
        while_replaying: whether it says anything while a run is replaying; otherwise its alerts wait.
    """

    name: str
    scope: Scope
    unit: Unit
    title: str
    help: str
    history: str = ""
    while_replaying: bool = False


METRICS: Final = (
    Metric(
        "job.failed",
        "job",
        "yes or no",
        "Failed",
        "The job should run, and its run has failed.",
        while_replaying=True,
    ),
    Metric(
        "job.restarts",
        "job",
        "times",
        "Crashes in 10 min",
        "How often the run crashed within the last 10 min.",
        while_replaying=True,
    ),
    Metric(
        "job.unknown",
        "job",
        "yes or no",
        "No heartbeat",
        "The run should be live, and nothing is heard of it.",
        while_replaying=True,
    ),
    Metric(
        "job.not_running_seconds",
        "job",
        "s",
        "Time not running",
        "How long the job should have been running and was not.",
        while_replaying=True,
    ),
    Metric(
        "job.lag_seconds", "job", "s", "Lag", "Consumer lag in time, of the slowest partition.", "lag_seconds"
    ),
    Metric("job.lag_records", "job", "records", "Lag in records", "Records not read yet.", "lag_records"),
    Metric(
        "job.needs_a_look",
        "job",
        "yes or no",
        "Lag needs a look",
        "The job is falling behind, has stopped reading or a partition is stalled, or records are lost "
        "unread.",
    ),
    Metric(
        "job.loss_seconds",
        "job",
        "s",
        "Time until records are lost",
        "Time until retention deletes records that the job has not read; over while none are at risk.",
        while_replaying=True,
    ),
    Metric(
        "job.lost_records",
        "job",
        "records",
        "Records lost unread",
        "Records that retention deleted before the job read them.",
        while_replaying=True,
    ),
    Metric(
        "job.freshness_seconds",
        "job",
        "s",
        "Freshness",
        "Age of the newest input included in the results.",
        "freshness_seconds",
    ),
    Metric(
        "job.latency_seconds",
        "job",
        "s",
        "End-to-end latency",
        "Median time from a record's Kafka timestamp to its result, over the last seconds.",
    ),
    Metric(
        "job.rows_in_rate",
        "job",
        "rows/s",
        "Rows in",
        "Rows read per second, over the last minute.",
        "rows_in_per_second",
    ),
    Metric(
        "job.watermark_standing_seconds",
        "job",
        "s",
        "Watermark standing",
        "How long the watermark has not moved although rows are read.",
    ),
    Metric(
        "job.late_share", "job", "share", "Late rows", "Share of the rows of the last 5 min that were late."
    ),
    Metric(
        "job.failed_expressions_share",
        "job",
        "share",
        "Failed expressions",
        "Share of the rows of the last 5 min with a null because an expression failed.",
    ),
    Metric(
        "job.state_bytes",
        "job",
        "bytes",
        "State",
        "Memory of the state that the job's steps keep.",
        "state_bytes",
    ),
    Metric(
        "job.state_rows",
        "job",
        "rows",
        "State rows",
        "Rows in the state that the job's steps keep.",
        "state_rows",
    ),
    Metric(
        "job.state_growth",
        "job",
        "MiB/h",
        "State growth",
        "The least growth of the state among the last six ten-minute spans, as a rate; known after an hour.",
    ),
    Metric("source.lag_seconds", "source", "s", "Lag of a source", "Consumer lag of one source in time."),
    Metric(
        "source.silent_seconds",
        "source",
        "s",
        "Silence of a source",
        "How long no record has been written to the source's topic. Not known of a broadcast table, which is "
        "read once.",
    ),
    Metric(
        "source.silent_partition_seconds",
        "source",
        "s",
        "Silence of a partition",
        "How long one partition got no record while others did, if that is three times as long as it ever "
        "was without one; of the partition that is silent the longest.",
    ),
    Metric(
        "source.malformed_share",
        "source",
        "share",
        "Malformed records",
        "Share of the source's records of the last 5 min that are malformed.",
    ),
    Metric(
        "source.malformed_over_usual",
        "source",
        "times",
        "Malformed records over usual",
        "Malformed share of the last 5 min over that of the generation, which counts as 1 % at least; "
        "0 below 20 malformed records.",
    ),
    Metric(
        "group.needs_a_look",
        "group",
        "yes or no",
        "Consumer group needs a look",
        "The consumer group is falling behind, stalled or stopped, or records are lost unread.",
    ),
    Metric(
        "group.lag_seconds",
        "group",
        "s",
        "Lag of a consumer group",
        "Consumer lag in time, of the slowest partition that the workspace sees.",
    ),
    Metric(
        "group.lag_records",
        "group",
        "records",
        "Lag of a consumer group in records",
        "Records that the group has not read.",
    ),
    Metric(
        "group.loss_seconds",
        "group",
        "s",
        "Time until records are lost",
        "Time until retention deletes records that the group has not read; over while none are at risk.",
    ),
    Metric(
        "group.lost_records",
        "group",
        "records",
        "Records lost unread",
        "Records that retention deleted before the group read them.",
    ),
    Metric(
        "stream.dead_letters_over_usual",
        "stream",
        "times",
        "Dead letters over usual",
        "Share of dead letters among the records validated in the last 5 min over that of all before, "
        "which counts as 1 % at least; 0 below 20 dead letters.",
    ),
    Metric(
        "engine.lost",
        "engine",
        "yes or no",
        "Engine lost",
        "The engine's process has ended or it failed, and it should run.",
        while_replaying=True,
    ),
    Metric(
        "engine.silent_seconds",
        "engine",
        "s",
        "Silence of an engine",
        "How long a ready engine has sent no heartbeat, as far as reports are stored.",
        while_replaying=True,
    ),
    Metric(
        "engine.used_slots_share",
        "engine",
        "share",
        "Slots used",
        "Share of the engine's slots that runs need.",
    ),
    Metric(
        "cluster.unreachable",
        "cluster",
        "yes or no",
        "Kafka unreachable",
        "The Kafka cluster did not answer when it was last checked.",
        while_replaying=True,
    ),
    Metric(
        "cluster.disk_used_share",
        "cluster",
        "share",
        "Disk used",
        "Share of the fullest disk of the cluster's brokers that is used, where they tell it.",
        while_replaying=True,
    ),
    Metric(
        "cluster.certificate_expires_days",
        "cluster",
        "days",
        "Certificate expires",
        "Days until the first of the certificates expires that the cluster's TLS needs.",
        while_replaying=True,
    ),
    Metric(
        "member.token_expires_days",
        "member",
        "days",
        "API token expires",
        "Days until the first of a member's API tokens expires; of tokens made for two weeks or longer.",
        while_replaying=True,
    ),
    Metric(
        "objective.budget_left",
        "objective",
        "share",
        "Error budget left",
        "Share of the objective's error budget that is left; below 0 it is overspent.",
    ),
    Metric(
        "objective.fast_burn",
        "objective",
        "times",
        "Fast burn rate",
        "The lesser burn rate of the last hour and 5 min. 1 spends the budget in exactly its window.",
    ),
    Metric(
        "objective.slow_burn",
        "objective",
        "times",
        "Slow burn rate",
        "The lesser burn rate of the last 6 hours and the last 30 min.",
    ),
)
BY_NAME: Final = {metric.name: metric for metric in METRICS}
