"""Jobs, versions, generations, runs, executions and engines.

Desired state, observed state and the time when the engine was last seen are independent
(`docs/architecture.md#desired-and-observed`).
"""

import secrets
from datetime import datetime
from typing import Final

from django.db import models
from django.utils import timezone

from jobs import run_states
from jobs.base.instants import instant_of
from jobs.run_states import LIVE, shown_state
from weir.workspaces.models import Scoped, User, Workspace


def new_id() -> str:
    """A short random id, safe in topic names and paths."""
    return secrets.token_hex(6)


class Desired(models.TextChoices):
    """What the user asked for: of a run `jobs.run_states.DesiredState`; a job may also be deleted."""

    RUNNING = run_states.RUNNING
    STOPPED = run_states.STOPPED
    DELETED = "deleted"


class Observed(models.TextChoices):
    """What a run's engine reported last (`jobs.run_states`); starting is also set when the
    platform asks for a start.
    """

    STARTING = run_states.STARTING
    QUEUED = run_states.QUEUED
    RUNNING = run_states.RUNNING
    REPLAYING = run_states.REPLAYING
    WAITING = run_states.WAITING
    STOPPING = run_states.STOPPING
    STOPPED = run_states.STOPPED
    FAILED = run_states.FAILED


class Isolation(models.TextChoices):
    """Stage of the isolation of a run whose shared engine crashed more than once."""

    NONE = ""
    QUEUED = "queued"
    ACTIVE = "active"


class JobQuerySet(Scoped["Job"]):
    """Jobs of users, and jobs of the system."""

    def user_jobs(self) -> "JobQuerySet":
        """The jobs that users created, without those of the system such as validators and those that are
        being deleted.
        """
        return self.filter(kind=Job.Kind.JOB).exclude(desired=Desired.DELETED)


class Job(models.Model):
    """A name with versions. `generation` is the current one, null before the first start.

    A job that is not `shareable` has ended its engine and gets one of its own, whatever its document says.
    A validator is a job of the system over one stream (`weir.dead_letters`): it is started, placed, watched
    and stopped as any other.
    """

    class Kind(models.TextChoices):
        JOB = "job"
        VALIDATOR = "validator"

    class View(models.TextChoices):
        """Of one document, in the browser."""

        FORM = "form"
        TEXT = "text"
        SQL = "sql"
        DRAWING = "drawing"

    id = models.CharField(max_length=20, primary_key=True, default=new_id)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.JOB)
    name = models.CharField(max_length=100)
    description = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    desired = models.CharField(max_length=10, choices=Desired.choices, default=Desired.STOPPED)
    version = models.PositiveIntegerField(default=1)
    generation = models.PositiveIntegerField(null=True)
    # How often it was started or resumed, also while it ran: two that start at once see each other by it.
    starts = models.PositiveIntegerField(default=0)
    shareable = models.BooleanField(default=True)
    viewed_at = models.DateTimeField(null=True)  # when its results were last followed; null: never
    # The view in which it was made, or its newest version written; empty: none, as over REST.
    edited_in = models.CharField(max_length=10, choices=View.choices, blank=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "name"], name="one_job_per_name")]
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class JobVersion(models.Model):
    """An immutable job document, as written and as parsed. `changes` are the
    differences from the version before.
    """

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    note = models.CharField(max_length=500, blank=True)
    document_text = models.TextField()
    document = models.JSONField()
    fingerprint = models.CharField(max_length=80)
    mode = models.CharField(max_length=10)
    mode_reasons = models.JSONField(default=list)
    result = models.JSONField(default=dict)  # kind, identity, schema, windowed, slack_us
    changes = models.JSONField(default=list)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["job", "number"], name="one_version_per_number")]
        ordering = ["-number"]


class JobDrawing(models.Model):
    """Where people put nodes of a job's drawing: {direction: {node: {x, y}}}, whole pixels
    (`services/drawing.py`). Of the job, not of a version: positions mean nothing to what it does.
    """

    job = models.OneToOneField(Job, on_delete=models.CASCADE, related_name="drawing")
    positions = models.JSONField(default=dict)


class Engine(models.Model):
    """A Spark application. Each start is an incarnation; the handle (host, pid, start ticks, boot
    id) finds its process again.
    """

    class Kind(models.TextChoices):
        SHARED = "shared"
        DEDICATED = "dedicated"
        ISOLATION = "isolation"

    class State(models.TextChoices):
        STARTING = "starting"  # submitted, not yet ready
        READY = "ready"
        STOPPING = "stopping"
        STOPPED = "stopped"
        LOST = "lost"  # its process is dead; it is started again while it should run
        FAILED = "failed"  # crash budget spent

    id = models.CharField(max_length=40, primary_key=True)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    workspace = models.ForeignKey(
        Workspace, on_delete=models.CASCADE, null=True, related_name="engines"
    )  # null: shared by all
    should_run = models.BooleanField(default=True)
    standby = models.BooleanField(default=False)  # without runs, to take over those of an engine that dies
    # Its runs move there at the end of their batches; then it is started again, as the standby.
    successor = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, related_name="+")
    state = models.CharField(max_length=10, choices=State.choices, default=State.STOPPED)
    host_queue = models.CharField(max_length=120)
    incarnation = models.CharField(max_length=40, blank=True)
    handle = models.JSONField(null=True)
    reported_incarnation = models.CharField(max_length=40, blank=True)
    ready = models.BooleanField(default=False)
    plays_ready = models.BooleanField(default=False)  # warm for previews, too
    slots = models.PositiveIntegerField(default=0)
    slots_used = models.PositiveIntegerField(default=0)
    memory_bytes = models.BigIntegerField(default=0)
    cpu_cores = models.FloatField(null=True)  # as in `jobs.kafka_messages.HeartbeatReport`
    host_cpu_cores = models.FloatField(null=True)
    host_cores = models.PositiveIntegerField(default=0)  # 0: unknown
    host_full_since = models.DateTimeField(null=True)  # as all of its heartbeats since say; null: it isn't
    last_seen_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    last_command_at = models.DateTimeField(null=True)  # when a start or stop was last sent to its host
    crashes = models.JSONField(default=list)  # instants in µs, those of the last 10 min
    failed_starts = models.PositiveIntegerField(default=0)  # processes in a row that ended before they served
    retry_at = models.DateTimeField(null=True)  # not to be started before
    failure = models.JSONField(null=True)
    versions = models.JSONField(default=dict)

    def __str__(self) -> str:
        return self.id


class EngineHost(models.Model):
    """A host that starts engines, by the queue that only its worker serves."""

    queue = models.CharField(max_length=120, primary_key=True)
    heard_at = models.DateTimeField()
    asked_at = models.DateTimeField(null=True)  # when it was last asked whether it is there
    cores = models.PositiveIntegerField()
    memory_available = models.BigIntegerField(
        null=True
    )  # bytes that are free for new processes; null: unknown
    # It reads and writes the same checkpoints as the other hosts: a job that moved to one without them would
    # begin with empty state, and give wrong results without a word.
    sees_checkpoints = models.BooleanField(default=True)

    def __str__(self) -> str:
        return self.queue


class Generation(models.Model):
    """One unbroken life of a checkpoint. Results, rows and cursors belong to it."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="generations")
    number = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)
    fingerprint = models.CharField(max_length=80)
    # What of its state can be adapted (`jobs.plan.KeptState`); empty in those begun before that could be.
    base_fingerprint = models.CharField(max_length=80, blank=True, default="")
    measures = models.JSONField(default=list)
    started_from = models.CharField(max_length=10)
    sources = models.JSONField()  # source name → BoundSource
    partial_before_us = models.BigIntegerField(null=True)
    topics_ready = models.BooleanField(default=False)  # they exist, their ids and partial_before_us are known
    # The broker was asked for the dead-letter topic, whose id is not known yet.
    topic_requested = models.BooleanField(default=False)
    checkpoint = models.CharField(max_length=500)
    shuffle_partitions = models.PositiveIntegerField()
    result_topic = models.CharField(max_length=249)
    result_topic_id = models.CharField(max_length=40, blank=True)
    result_partitions = models.PositiveIntegerField(default=2)
    exchange_topic = models.CharField(max_length=249, blank=True, default="")  # of a job with an exchange
    exchange_topic_id = models.CharField(max_length=40, blank=True, default="")
    result = models.JSONField(default=dict)  # kind, identity, schema, windowed, slack_us
    retention_ms = models.BigIntegerField()
    # Another one has replaced it, and what it had in Kafka and its checkpoint are deleted.
    data_deleted = models.BooleanField(default=False)
    # What the result topic still has, after a version with another retention resumed; null: the same.
    topic_retention_ms = models.BigIntegerField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["job", "number"], name="one_generation_per_number")]
        ordering = ["-number"]

    @property
    def topics(self) -> list[str]:
        """The topics that are created for it; those of a validator are one for all its generations."""
        return [topic for topic in (self.result_topic, self.exchange_topic) if topic]


class RunQuerySet(models.QuerySet["Run"]):
    """Runs by what engines have to do with them."""

    def expected(self) -> "RunQuerySet":
        """The runs that an engine should report."""
        return self.filter(models.Q(desired=Desired.RUNNING) | models.Q(observed__in=LIVE))

    def holding(self) -> "RunQuerySet":
        """The runs that keep their place on an engine: those expected there, but those that have failed until
        a person starts them, which places them anew.
        """
        return self.expected().exclude(observed=Observed.FAILED, retry_at__isnull=True)

    def current(self) -> "RunQuerySet":
        """The runs of the jobs' current generations."""
        return self.filter(generation__number=models.F("generation__job__generation"))


REVISION_FIELDS: Final = ("revision", "published_at")  # what `Run.desire_change` changes


class Run(models.Model):
    """A generation being executed by one engine. The id stays through restarts; the epoch rises with each.

    `epoch` and `revision` are what is desired (`desire_change`); `published_at` is when that was published,
    None until then;
    `applied_epoch` and `applied_revision` are what heartbeats report back. `positions` are the last reported
    next offsets by source and partition: {source: {partition: {committed, fetched, end}}}.
    """

    id = models.CharField(max_length=40, primary_key=True)
    generation = models.OneToOneField(Generation, on_delete=models.CASCADE, related_name="run")
    engine = models.ForeignKey(Engine, on_delete=models.SET_NULL, null=True, related_name="runs")
    version = models.PositiveIntegerField()
    mode = models.CharField(max_length=10)
    mode_reasons = models.JSONField(default=list)
    rate_limit = models.PositiveIntegerField(null=True)  # records per second and source; null: none
    slots = models.PositiveIntegerField(default=1)
    avro = models.JSONField(
        default=dict
    )  # AvroTarget by name of the output, of those that are written in Avro
    desired = models.CharField(max_length=10, choices=Desired.choices, default=Desired.RUNNING)
    epoch = models.PositiveIntegerField(default=1)
    revision = models.PositiveIntegerField(default=1)
    applied_epoch = models.PositiveIntegerField(default=0)
    applied_revision = models.PositiveIntegerField(default=0)
    observed = models.CharField(max_length=10, choices=Observed.choices, default=Observed.STARTING)
    observed_since = models.DateTimeField(default=timezone.now)
    last_seen_at = models.DateTimeField(null=True)
    published_at = models.DateTimeField(null=True)
    # A newer version or epoch waits until the engine has reported that it stopped the present one.
    awaiting_stop = models.BooleanField(default=False)
    isolation = models.CharField(max_length=10, choices=Isolation.choices, default=Isolation.NONE, blank=True)
    failure = models.JSONField(null=True)
    crashes = models.JSONField(default=list)
    retry_at = models.DateTimeField(null=True)
    replay_until = models.JSONField(default=dict)
    # Its queries have run since a person started it, so its next epochs do not ask for processor time.
    admitted = models.BooleanField(default=False)
    positions = models.JSONField(default=dict)
    watermark_us = models.BigIntegerField(null=True)
    # What lists show; written by report_handlers.apply_report and run_measures.
    lag_records = models.BigIntegerField(null=True)
    lag_seconds = models.FloatField(null=True)
    rows_per_second = models.FloatField(null=True)  # null: not measured yet
    freshness_ms = models.BigIntegerField(null=True)
    lag_health = models.JSONField(null=True)  # a JobHealth of weir.runs.services.lag_health
    skipping = models.JSONField(default=list)  # sources of which too many records are malformed
    draining = models.BooleanField(default=False)  # in real-time mode, but reading a backlog in micro-batches
    catching_up = models.JSONField(null=True)  # of a run that is draining: jobs.kafka_messages.CatchingUp
    start_phases = models.JSONField(default=dict)  # of the epoch: phase → µs (runs.services.start_phases)

    objects = RunQuerySet.as_manager()

    @property
    def awaits_topics(self) -> bool:
        """Whether a start has to create topics first, without whose ids an engine cannot run it."""
        return self.desired == Desired.RUNNING and not self.generation.topics_ready

    def desire_change(self) -> None:
        """Begin a new revision, which is published later; the caller saves at least `REVISION_FIELDS`."""
        self.revision += 1
        self.published_at = None

    def shown_state(self, read_until: datetime | None, now: datetime | None = None) -> str:
        """The observed state, or ``unknown`` when a live run is silent (`jobs.run_states.shown_state`).

        Args:
            read_until: reports that were written before this instant are in the database
                (`reports_read_until`); None: not known.
            now: the present; None reads the clock.
        """
        seen_at = max(filter(None, (self.last_seen_at, self.observed_since)))
        read_us = None if read_until is None else instant_of(read_until)
        return shown_state(
            self.observed,
            instant_of(seen_at),
            read_us,
            instant_of(now or timezone.now()),
            placed=self.engine_id is not None,
        )


class Execution(models.Model):
    """One epoch of a run, for the history: which engine, from when to when, and why it ended."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="executions")
    epoch = models.PositiveIntegerField()
    version = models.PositiveIntegerField()
    mode = models.CharField(max_length=10)
    engine_id = models.CharField(max_length=40)
    started_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)
    state = models.CharField(max_length=10, default=Observed.STARTING)
    end_reason = models.CharField(max_length=500, blank=True)
    failure = models.JSONField(null=True)
    start_phases = models.JSONField(default=dict)  # phase → µs (runs.services.start_phases)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "epoch"], name="one_execution_per_epoch")]
        ordering = ["-started_at"]


class ReconcilerState(models.Model):
    """What the reconciler knows about broker and relay. One row, id 1.

    Silence of an engine means something only while the broker has answered without a break, and only as far
    as the relay has read ``weir.reports``.
    """

    broker_answers_since = models.DateTimeField(null=True)  # null: the broker did not answer last time
    relay_caught_up_at = models.DateTimeField(null=True)  # reports that were sent before are in the database
    runs_topic_id = models.CharField(max_length=40, blank=True)
    reconciling_until = models.DateTimeField(null=True)
    checkpoints_mark = models.CharField(max_length=40, blank=True)  # runs.services.checkpoint_mark


def reports_read_until() -> datetime | None:
    """Reports that were written before this instant are in the database; None: the relay has not said yet."""
    return ReconcilerState.objects.filter(pk=1).values_list("relay_caught_up_at", flat=True).first()
