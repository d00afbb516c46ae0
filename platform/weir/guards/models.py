"""Guards, what they counted, their dead letters, and the sending of those again."""

from django.db import models

from jobs.base.instants import instant_of
from weir.runs.models import Job, new_id
from weir.streams.models import Stream
from weir.workspaces.models import Scoped, Workspace


class Guard(models.Model):
    """The guard of a stream. It runs as a job of the system; what is here is why it is on, and how far its letters are read.

    Attributes:
        wanted: a person switched it on; it is on too while a job needs it.
        trouble: why it could not be started or stopped when that was last tried; empty when it could.
        taken_until: somebody starts or stops it now; two starts at once would begin two checkpoints.
        dead_topic_id: Kafka's id of the topic that `followed` speaks of.
        followed: partition → next offset of the dead-letter topic that was not read into `DeadLetter` yet.
        unread: letters were counted that are not all read yet.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="guards")
    stream = models.OneToOneField(Stream, on_delete=models.CASCADE, related_name="guard")
    job = models.OneToOneField(Job, on_delete=models.CASCADE, related_name="guard")
    wanted = models.BooleanField(default=False)
    trouble = models.CharField(max_length=500, blank=True)
    taken_until = models.DateTimeField(null=True)
    dead_topic_id = models.CharField(max_length=40, blank=True)
    followed = models.JSONField(default=dict)
    unread = models.BooleanField(default=False)

    objects = Scoped.as_manager()


class CountedRange(models.Model):
    """Records of a partition that were counted, from offset `first` to `last`, both included. Ranges never overlap.

    Batches that follow each other within an hour are one row, and what is older than a week is one row too, so that rows stay few.
    """

    guard = models.ForeignKey(Guard, on_delete=models.CASCADE, related_name="ranges")
    topic_id = models.CharField(max_length=40)  # an offset of a topic that was made anew is another record
    partition = models.PositiveIntegerField()
    first = models.BigIntegerField()
    last = models.BigIntegerField()
    hour = models.DateTimeField()
    valid = models.BigIntegerField(default=0)
    skipped = models.BigIntegerField(default=0)
    malformed = models.BigIntegerField(default=0)
    reasons = models.JSONField(default=dict)  # reason → records

    class Meta:
        constraints = [models.UniqueConstraint(fields=["guard", "topic_id", "partition", "first"], name="one_row_per_range")]


class Redrive(models.Model):
    """Sending letters again: which, where to, how fast, and how far it is.

    Attributes:
        target: the stream to whose topic they go.
        rate: letters per second at most.
        value: what is sent instead of a single letter's own value; null: as it was.
        record: the whole record that is sent instead of a single letter's own, as `weir.guards.replacing` writes it; null: as it was.
        edit: what is changed in every letter (`weir.guards.edits`); empty: nothing.
        lease: the worker that has it; another may take it after `leased_until`.
        ends: partition → end of the target's topic before the letters that are being sent; what was sent is found behind it.
    """

    class State(models.TextChoices):
        RUNNING = "running"
        DONE = "done"
        CANCELLED = "cancelled"

    id = models.CharField(max_length=20, primary_key=True, default=new_id)
    guard = models.ForeignKey(Guard, on_delete=models.CASCADE, related_name="redrives")
    target = models.ForeignKey(Stream, on_delete=models.SET_NULL, null=True, related_name="+")
    made_by = models.CharField(max_length=150)
    made_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.RUNNING)
    rate = models.PositiveIntegerField()
    value = models.BinaryField(null=True)
    record = models.JSONField(null=True)
    edit = models.JSONField(default=list)
    total = models.PositiveIntegerField(default=0)
    sent = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)
    trouble = models.CharField(max_length=500, blank=True)
    lease = models.CharField(max_length=20, blank=True)
    leased_until = models.DateTimeField(null=True)
    ends = models.JSONField(default=dict)

    class Meta:
        ordering = ["-made_at"]


class DeadLetter(models.Model):
    """A malformed record that was kept; its bytes lie in the dead-letter topic at (`dead_partition`, `dead_offset`).

    One row per record, however often a restart wrote it there: the first copy counts. `times` says how often the record had
    been sent again before it failed here.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        QUEUED = "queued"  # belongs to a redrive and was not sent yet
        SENDING = "sending"  # handed to the broker, which has not answered
        REDRIVEN = "redriven"
        DROPPED = "dropped"

    guard = models.ForeignKey(Guard, on_delete=models.CASCADE, related_name="letters")
    topic_id = models.CharField(max_length=40)
    partition = models.PositiveIntegerField()
    offset = models.BigIntegerField()
    dead_partition = models.PositiveIntegerField()
    dead_offset = models.BigIntegerField()
    at = models.DateTimeField()  # Kafka's timestamp of the record
    reason = models.CharField(max_length=40)
    size = models.PositiveIntegerField()
    preview = models.CharField(max_length=200, blank=True)
    preview_is_text = models.BooleanField(default=True)
    times = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    note = models.CharField(max_length=500, blank=True)
    settled_at = models.DateTimeField(null=True)
    redrive = models.ForeignKey(Redrive, on_delete=models.SET_NULL, null=True, related_name="letters")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["guard", "topic_id", "partition", "offset"], name="one_letter_per_record")]
        indexes = [
            models.Index(fields=["guard", "state", "reason"], name="letters_by_reason"),
            models.Index(fields=["guard", "dead_partition", "dead_offset"], name="letters_by_place"),
        ]

    @property
    def at_us(self) -> int:
        """Kafka's timestamp of the record, in µs."""
        return instant_of(self.at)
