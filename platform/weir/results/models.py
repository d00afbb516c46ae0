"""Results, written by the relay and read by snapshots, in the database alias `results`.

Job ids are plain text: the control tables are in another database, so there can be no foreign key.
"""

from typing import Final

from django.db import models

ALIAS: Final = "results"
STATEMENT_BATCH_SIZE: Final = 400  # rows; older SQLite allows 999 parameters per statement


class ResultTopic(models.Model):
    """One generation's result topic. `epoch` is the greatest epoch read, `epoch_since_ms` the Kafka
    timestamp of its first row.
    """

    job_id = models.CharField(max_length=64)
    generation = models.PositiveIntegerField()
    topic = models.CharField(max_length=249)
    topic_id = models.CharField(max_length=64)
    epoch = models.PositiveBigIntegerField(default=0)
    epoch_since_ms = models.BigIntegerField(default=0)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["job_id", "generation"], name="result_topic_generation"),
        )

    def __str__(self) -> str:
        return self.topic


class ResultOffset(models.Model):
    """Stored offset of a partition, updated by compare-and-set in the transaction that stores the rows."""

    topic = models.ForeignKey(ResultTopic, on_delete=models.CASCADE, related_name="offsets")
    partition = models.PositiveIntegerField()
    next_offset = models.PositiveBigIntegerField(default=0)
    epoch = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["topic", "partition"], name="result_offset_partition"),
        )

    def __str__(self) -> str:
        return f"{self.topic_id}/{self.partition}@{self.next_offset}"


class ResultRow(models.Model):
    """The newest row of one key. `digest` replaces the key in the index, because keys may be long."""

    job_id = models.CharField(max_length=64)
    generation = models.PositiveIntegerField()
    digest = models.CharField(max_length=32)
    key = models.TextField()
    value = models.TextField()
    newest_input_us = models.BigIntegerField()
    partial = models.BooleanField(default=False)
    epoch = models.PositiveBigIntegerField()
    partition = models.PositiveIntegerField()
    offset = models.PositiveBigIntegerField()
    timestamp_ms = models.BigIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["job_id", "generation", "digest"], name="result_row_key"),
        )
        indexes = (
            models.Index(
                fields=["job_id", "generation", "newest_input_us", "digest"], name="result_row_newest"
            ),
        )

    def __str__(self) -> str:
        return self.key
