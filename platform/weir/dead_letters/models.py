"""Validators, their counts, their dead letters, and redrives."""

from django.db import models

from jobs.base.instants import instant_of
from weir.runs.models import Job, new_id
from weir.streams.models import Stream
from weir.workspaces.models import Scoped, Workspace


class Validator(models.Model):
    """The validator of a stream: a system job that validates every record once and keeps
    malformed ones as dead letters.

    Attributes:
        enabled: a user turned it on; it also runs while a job requires it.
        start_from: where it starts to read if it never ran, as that user chose.
        last_error: why the last start or stop failed; empty if it succeeded.
        locked_until: a process is starting or stopping it; two concurrent starts
            would create two checkpoints.
        dead_letter_topic_id: Kafka's id of the topic that `indexed_offsets` refers to.
        indexed_offsets: partition → next offset of the dead-letter topic to index as `DeadLetter`.
        index_pending: some counted dead letters are not indexed yet.
    """

    class StartFrom(models.TextChoices):
        EARLIEST = "earliest"
        NOW = "now"

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="validators")
    stream = models.OneToOneField(Stream, on_delete=models.CASCADE, related_name="validator")
    job = models.OneToOneField(Job, on_delete=models.CASCADE, related_name="validator")
    enabled = models.BooleanField(default=False)
    start_from = models.CharField(max_length=10, choices=StartFrom.choices, default=StartFrom.EARLIEST)
    last_error = models.CharField(max_length=500, blank=True)
    locked_until = models.DateTimeField(null=True)
    dead_letter_topic_id = models.CharField(max_length=40, blank=True)
    indexed_offsets = models.JSONField(default=dict)
    index_pending = models.BooleanField(default=False)

    objects = Scoped.as_manager()


class CountedRange(models.Model):
    """Counts of the records of a partition from offset `first` to `last`, both
    inclusive. Ranges never overlap.

    There is one row per hour, and one row for everything older than a week, so that there are few rows.
    """

    validator = models.ForeignKey(Validator, on_delete=models.CASCADE, related_name="ranges")
    topic_id = models.CharField(max_length=40)  # a recreated topic has other records at the same offsets
    partition = models.PositiveIntegerField()
    first = models.BigIntegerField()
    last = models.BigIntegerField()
    hour = models.DateTimeField()
    valid = models.BigIntegerField(default=0)
    skipped = models.BigIntegerField(default=0)
    malformed = models.BigIntegerField(default=0)
    reasons = models.JSONField(default=dict)  # reason → records

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["validator", "topic_id", "partition", "first"], name="one_row_per_range"
            )
        ]


class Redrive(models.Model):
    """Dead letters that are sent again, and the progress.

    Attributes:
        target: the stream to whose topic they are sent.
        rate: max. dead letters per second.
        value: replaces the value of a single dead letter; null: unchanged.
        record: replaces a single dead letter
            (`weir.dead_letters.services.replacement_record`); null: unchanged.
        edit: operations applied to every dead letter, as JSON text in which numbers keep their digits
            (`weir.dead_letters.services.edits`); an empty list: unchanged.
        failed: dead letters that could not be sent; they are waiting again.
        lease_owner: the worker that runs it; another may take over after `leased_until`.
        target_end_offsets: partition → end offset of the target's topic before the current batch was sent;
            sent records are after it.
    """

    class State(models.TextChoices):
        RUNNING = "running"
        DONE = "done"
        CANCELLED = "cancelled"

    id = models.CharField(max_length=20, primary_key=True, default=new_id)
    validator = models.ForeignKey(Validator, on_delete=models.CASCADE, related_name="redrives")
    target = models.ForeignKey(Stream, on_delete=models.SET_NULL, null=True, related_name="+")
    created_by = models.CharField(max_length=150)
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.RUNNING)
    rate = models.PositiveIntegerField()
    value = models.BinaryField(null=True)
    record = models.JSONField(null=True)
    edit = models.TextField(default="[]")
    total = models.PositiveIntegerField(default=0)
    sent = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    last_error = models.CharField(max_length=500, blank=True)
    lease_owner = models.CharField(max_length=20, blank=True)
    leased_until = models.DateTimeField(null=True)
    target_end_offsets = models.JSONField(default=dict)

    class Meta:
        ordering = ["-created_at"]


class DeadLetter(models.Model):
    """A malformed record. Its bytes are in the dead-letter topic at (`dead_partition`, `dead_offset`).

    There is one row per record, even if a restart wrote several copies to the topic: the first one is used.
    `redrive_count`: how often the record had been redriven before it was rejected.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        QUEUED = "queued"  # selected by a redrive, not sent yet
        SENDING = "sending"  # produced, not confirmed by the broker
        REDRIVEN = "redriven"
        DISCARDED = "discarded"

    validator = models.ForeignKey(Validator, on_delete=models.CASCADE, related_name="dead_letters")
    topic_id = models.CharField(max_length=40)
    partition = models.PositiveIntegerField()
    offset = models.BigIntegerField()
    dead_partition = models.PositiveIntegerField()
    dead_offset = models.BigIntegerField()
    timestamp = models.DateTimeField()  # Kafka's timestamp of the record
    reason = models.CharField(max_length=40)
    size = models.PositiveIntegerField()
    preview = models.CharField(max_length=200, blank=True)
    preview_is_text = models.BooleanField(default=True)
    redrive_count = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    note = models.CharField(max_length=500, blank=True)
    resolved_at = models.DateTimeField(null=True)
    redrive = models.ForeignKey(Redrive, on_delete=models.SET_NULL, null=True, related_name="dead_letters")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["validator", "topic_id", "partition", "offset"], name="one_dead_letter_per_record"
            )
        ]
        indexes = [
            models.Index(fields=["validator", "state", "reason"], name="dead_letters_by_reason"),
            models.Index(
                fields=["validator", "dead_partition", "dead_offset"], name="dead_letters_by_offset"
            ),
        ]

    @property
    def timestamp_us(self) -> int:
        """Kafka's timestamp of the record, in µs."""
        return instant_of(self.timestamp)
