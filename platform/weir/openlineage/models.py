"""Where a workspace's OpenLineage events go, and the events."""

from typing import Any

from django.db import models
from django.utils import timezone

from weir.runs.models import Job
from weir.workspaces.models import Scoped, Workspace


class LineageReceiver(models.Model):
    """The receiver of a workspace's events; a workspace has one at most.

    Attributes:
        sealed_key: its API key, encrypted for this row; empty: it needs none.
        namespace: of the jobs in its catalog.
        revision: grows with each change by a person.
        due_at: before it nothing is sent, after a delivery that failed.
        leased_until: a worker delivers until then, and no other may.
        attempts: failed deliveries since the last that arrived.
        sent_at: when an event arrived last; null: none did.
        failed_at: when the last delivery that failed ended, since the receiver was set; null: none failed.
        error: why that one failed; it stays when later ones arrive.
    """

    workspace = models.OneToOneField(Workspace, on_delete=models.CASCADE, related_name="lineage_receiver")
    url = models.CharField(max_length=2_000)
    sealed_key = models.TextField(blank=True)
    namespace = models.CharField(max_length=200)
    enabled = models.BooleanField(default=True)
    revision = models.PositiveIntegerField(default=1)
    due_at = models.DateTimeField(default=timezone.now)
    leased_until = models.DateTimeField(default=timezone.now)
    attempts = models.PositiveIntegerField(default=0)
    sent_at = models.DateTimeField(null=True)
    failed_at = models.DateTimeField(null=True)
    error = models.CharField(max_length=300, blank=True)

    objects: models.Manager[Any] = Scoped.as_manager()

    def __str__(self) -> str:
        return self.url


class LineageEvent(models.Model):
    """One event for one receiver: the outbox, written in the transaction that changes the execution.

    An execution (one epoch of a run) is a run of OpenLineage, which has one start and one end. Events of a
    receiver are delivered in the order of their ids.

    Attributes:
        at: when the execution changed; `created_at` is when the event was written, later where a new receiver
            is told of what goes on already.
        due_at: before it this event is not tried, after it could not be built.
        attempts: how often it could not be built.
        run_id: of the run; of a test message its own.
        epoch: of the run; 0 for a test message.
        job: null when it is deleted meanwhile, and in a test message.
        reason: why the execution failed or was interrupted; empty otherwise.
    """

    class Type(models.TextChoices):
        START = "START"
        RUNNING = "RUNNING"
        COMPLETE = "COMPLETE"
        FAIL = "FAIL"
        ABORT = "ABORT"
        OTHER = "OTHER"  # a test message

    class State(models.TextChoices):
        WAITING = "waiting"
        SENT = "sent"
        FAILED = "failed"

    receiver = models.ForeignKey(LineageReceiver, on_delete=models.CASCADE, related_name="events")
    type = models.CharField(max_length=10, choices=Type.choices)
    at = models.DateTimeField(default=timezone.now)
    created_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField(default=timezone.now)
    attempts = models.PositiveIntegerField(default=0)
    run_id = models.CharField(max_length=40)
    epoch = models.PositiveIntegerField()
    version = models.PositiveIntegerField(default=0)
    job = models.ForeignKey(Job, on_delete=models.SET_NULL, null=True, related_name="+")
    job_name = models.CharField(max_length=100)
    reason = models.CharField(max_length=2_000, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    sent_at = models.DateTimeField(null=True)
    error = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["receiver", "run_id", "epoch", "type"], name="one_lineage_event_per_type"
            )
        ]
        indexes = [
            models.Index(fields=["receiver", "state", "id"], name="lineage_event_waiting"),
            models.Index(fields=["state", "created_at"], name="lineage_event_age"),
        ]
        ordering = ["id"]
