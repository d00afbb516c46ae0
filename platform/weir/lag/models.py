"""Lag, written by the relay into the database alias `results`; job ids are plain text there."""

from django.db import models


class CurrentLag(models.Model):
    """The current lag of a job. `payload`: for the API."""

    job_id = models.CharField(max_length=64, primary_key=True)
    at_us = models.BigIntegerField()
    payload = models.JSONField()

    def __str__(self) -> str:
        return self.job_id


class LagPoint(models.Model):
    """One point of a job's history. Counters are of the time since the previous point;
    null if nothing was measured.
    """

    job_id = models.CharField(max_length=64)
    at_us = models.BigIntegerField()
    lag_records = models.BigIntegerField(null=True)
    lag_seconds = models.FloatField(null=True)
    rows_in_per_second = models.FloatField(null=True)
    rows_out_per_second = models.FloatField(null=True)
    latency_ms_p50 = models.FloatField(null=True)
    state_rows = models.BigIntegerField(null=True)
    state_bytes = models.BigIntegerField(null=True)
    malformed = models.BigIntegerField(default=0)
    late = models.BigIntegerField(default=0)
    expression_nulls = models.BigIntegerField(default=0)
    limit_reached = models.BigIntegerField(default=0)

    class Meta:
        indexes = (
            models.Index(fields=["job_id", "at_us"], name="lag_point_job_at"),
            models.Index(fields=["at_us"], name="lag_point_at"),
        )

    def __str__(self) -> str:
        return f"{self.job_id}@{self.at_us}"
