"""Registered topics and who uses them."""

from typing import Any

from django.db import models
from pydantic import ValidationError

from jobs.formats.contract import StreamContract
from weir.clusters.models import Cluster
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import Scoped, Workspace


def find_contract(stored: Any) -> StreamContract | None:
    """A stored contract; None: an older version of Weir has saved it, and this one can't read it."""
    try:
        return StreamContract.model_validate(stored)
    except ValidationError:
        return None


class Stream(models.Model):
    """A topic registered as a stream: its contract says what a record must be and how it gets its event time.

    `topic_id` is Kafka's UUID of the topic when it was registered or last confirmed:
    another id is another topic.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="streams")
    name = models.CharField(max_length=63)
    description = models.CharField(max_length=500, blank=True)
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, related_name="streams")
    topic = models.CharField(max_length=249)
    topic_id = models.CharField(max_length=40)
    partitions = models.PositiveIntegerField()
    contract = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)
    revision = models.PositiveIntegerField(default=1)  # grows with each change by a person

    objects = Scoped.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "name"], name="one_stream_per_name")]
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def kind(self) -> str:
        """``stream`` or ``table``, whichever version of Weir saved the contract."""
        return "table" if self.contract.get("kind") == "table" else "stream"

    @property
    def stream_contract(self) -> StreamContract:
        """The contract, typed.

        Raises:
            ServiceError: CONTRACT_UNREADABLE, saved by an older version of Weir, and this one can't read it.
        """
        try:
            return StreamContract.model_validate(self.contract)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            reason = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
            raise ServiceError(
                "CONTRACT_UNREADABLE",
                f"This version of Weir can't read the contract of {self.name} ({reason}). Save it again.",
            ) from error

    def find_contract(self) -> StreamContract | None:
        """The contract, typed; None: this version of Weir can't read it."""
        return find_contract(self.contract)


class OwnedTopic(models.Model):
    """A topic of the home cluster that was created through Weir. A workspace's is hidden from others,
    registered or not; one without a workspace is an example's, which all may use.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+", null=True)
    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="+")
    topic = models.CharField(max_length=249)
    partitions = models.PositiveIntegerField(default=1)  # 1 for topics from before it was kept

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "topic"], name="one_owner_per_topic")]


class SavedScan(models.Model):
    """An unfinished scan of a table's topic (`weir.streams.services.tables.scan_store`): `state` is
    compressed JSON, `contract` a hash.
    """

    stream = models.ForeignKey(Stream, on_delete=models.CASCADE, related_name="+")
    token = models.CharField(max_length=40, unique=True)
    contract = models.CharField(max_length=64)
    state = models.BinaryField()
    size = models.PositiveIntegerField()  # of the state, in bytes
    at = models.DateTimeField(db_index=True)


class StreamUse(models.Model):
    """A job reads or writes a stream, by its newest version or by the one that runs. Written by `weir.runs`:
    streams need not know jobs.
    """

    stream = models.ForeignKey(Stream, on_delete=models.CASCADE, related_name="uses")
    job_id = models.CharField(max_length=20)
    job_name = models.CharField(max_length=100)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["stream", "job_id"], name="one_use_per_job")]


class StoredSample(models.Model):
    """Records that people wrote to try a stream's jobs with: JSON lines, as they are typed into a preview."""

    stream = models.OneToOneField(Stream, on_delete=models.CASCADE, related_name="+")
    lines = models.TextField()
    records = models.PositiveIntegerField()
    changed_at = models.DateTimeField(auto_now=True)
    changed_by = models.CharField(max_length=150)
