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
    """One point of a job's history, of as much time as its resolution. A measure has the mean of what was
    measured in that time, the least and the greatest; null if nothing was. Counters are of that time alone.

    Attributes:
        resolution_s: how long it stands for: 10, 60 or 900 s.
        at_us: when that begins.
        freshness_seconds: age of the newest input included in the results.
        watermark_delay_seconds: from the watermark to the clock.
        latency_ms: of the medians of every two seconds.
    """

    job_id = models.CharField(max_length=64)
    resolution_s = models.PositiveSmallIntegerField()
    at_us = models.BigIntegerField()
    lag_records = models.FloatField(null=True)
    lag_records_min = models.FloatField(null=True)
    lag_records_max = models.FloatField(null=True)
    lag_seconds = models.FloatField(null=True)
    lag_seconds_min = models.FloatField(null=True)
    lag_seconds_max = models.FloatField(null=True)
    rows_in_per_second = models.FloatField(null=True)
    rows_in_per_second_min = models.FloatField(null=True)
    rows_in_per_second_max = models.FloatField(null=True)
    rows_out_per_second = models.FloatField(null=True)
    rows_out_per_second_min = models.FloatField(null=True)
    rows_out_per_second_max = models.FloatField(null=True)
    freshness_seconds = models.FloatField(null=True)
    freshness_seconds_min = models.FloatField(null=True)
    freshness_seconds_max = models.FloatField(null=True)
    watermark_delay_seconds = models.FloatField(null=True)
    watermark_delay_seconds_min = models.FloatField(null=True)
    watermark_delay_seconds_max = models.FloatField(null=True)
    latency_ms = models.FloatField(null=True)
    latency_ms_min = models.FloatField(null=True)
    latency_ms_max = models.FloatField(null=True)
    state_rows = models.FloatField(null=True)
    state_rows_min = models.FloatField(null=True)
    state_rows_max = models.FloatField(null=True)
    state_bytes = models.FloatField(null=True)
    state_bytes_min = models.FloatField(null=True)
    state_bytes_max = models.FloatField(null=True)
    malformed = models.BigIntegerField(default=0)
    late = models.BigIntegerField(default=0)
    expression_nulls = models.BigIntegerField(default=0)
    limit_reached = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["job_id", "resolution_s", "at_us"], name="one_lag_point_per_time")
        ]
        indexes = [models.Index(fields=["resolution_s", "at_us"], name="lag_point_resolution_at")]

    def __str__(self) -> str:
        return f"{self.job_id}@{self.at_us}"
