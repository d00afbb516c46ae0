"""What the watch of consumer groups found, in the database alias `results`; ids of clusters are plain
text there.
"""

from typing import Final

from django.db import models

AT_LEAST: Final = "at_least"  # in `seconds_by`: a lower bound
_LEAST_AGE_US: Final = 60_000_000


class ClusterWatch(models.Model):
    """Which process watches a cluster, and how its last pass went.

    Attributes:
        holder: the process that has the lease; another one may take it from `expires_us` on.
        passed_at_us: of the last pass that succeeded.
        error: why the newest pass failed; empty if it did not.
        groups: how many there are.
        left_out: how many of them are beyond what is watched.
        interval_ms: how long the next pass is away; passes over many partitions are rarer.
    """

    cluster_id = models.CharField(max_length=40, primary_key=True)
    holder = models.CharField(max_length=100)
    expires_us = models.BigIntegerField()
    passed_at_us = models.BigIntegerField(null=True)
    error = models.CharField(max_length=500, blank=True)
    groups = models.PositiveIntegerField(default=0)
    left_out = models.PositiveIntegerField(default=0)
    requests = models.PositiveIntegerField(default=0)
    pass_ms = models.PositiveIntegerField(default=0)
    interval_ms = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return self.cluster_id

    def is_current(self, now_us: int) -> bool:
        """Whether what is stored of the cluster's groups is of the present.

        Args:
            now_us: the present.
        """
        if self.passed_at_us is None:
            return False
        return now_us - self.passed_at_us <= max(_LEAST_AGE_US, 3 * self.interval_ms * 1_000)


class ConsumerGroup(models.Model):
    """A consumer group of a cluster.

    Attributes:
        state: as Kafka names it.
        protocol: classic or consumer.
        members: list of [client id, host, instance id, [[topic, partition], …]]; null where unknown.
        denied: the cluster's user may not read its offsets.
    """

    cluster_id = models.CharField(max_length=40)
    name = models.CharField(max_length=255)
    state = models.CharField(max_length=40)
    protocol = models.CharField(max_length=20)
    members = models.JSONField(null=True)
    denied = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster_id", "name"], name="one_group_per_name")]

    def __str__(self) -> str:
        return self.name


class GroupTopic(models.Model):
    """How far a group is behind in one topic; the unit of visibility and of history.

    Attributes:
        at_us: when it was concluded on, that is the pass of which the numbers are.
        lag_records: of all partitions; null while the cluster's user may not read the group's offsets, and
            while the group is beyond what is watched, when nothing else is known either.
        lag_seconds: the greatest of the partitions; `seconds_by` says how it is known.
        health: a `Kind`; `cause` and `since_us` as in `Health`.
        counts: partitions by health.
        catch_up_s: until every partition has caught up.
        loss_s: until the first record is lost; 0 where records are lost already.
        lost_records: that were deleted unread.
        hot: a `HotPartition` as JSON.
        partitions: `TopicLag.partitions` as JSON.
    """

    cluster_id = models.CharField(max_length=40)
    group = models.CharField(max_length=255)
    topic = models.CharField(max_length=249)
    at_us = models.BigIntegerField()
    lag_records = models.BigIntegerField(null=True)
    lag_seconds = models.FloatField(null=True)
    seconds_by = models.CharField(max_length=10, blank=True)
    in_rate = models.FloatField(null=True)
    out_rate = models.FloatField(null=True)
    health = models.CharField(max_length=20)
    cause = models.CharField(max_length=20, blank=True)
    since_us = models.BigIntegerField(null=True)
    counts = models.JSONField()
    catch_up_s = models.FloatField(null=True)
    loss_s = models.FloatField(null=True)
    lost_records = models.BigIntegerField(default=0)
    hot = models.JSONField(null=True)
    partitions = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["cluster_id", "group", "topic"], name="one_lag_per_group_topic")
        ]

    def __str__(self) -> str:
        return f"{self.group}: {self.topic}"

    @property
    def known_lag_seconds(self) -> float | None:
        """`lag_seconds`; None where they are not known, or a lower bound alone."""
        return None if self.seconds_by == AT_LEAST else self.lag_seconds


class GroupPoint(models.Model):
    """One point of the history of a group's topic: of what the passes of its time found, the mean, the least
    and the greatest.

    Attributes:
        series: a `GroupTopic`.
        resolution_s: how long it stands for: 10, 60 or 900 s.
        at_us: when that begins.
        lag_records: null in points from before means were kept, which have the greatest alone.
        severity: the worst in that time.
    """

    series = models.ForeignKey(GroupTopic, on_delete=models.CASCADE, related_name="points")
    resolution_s = models.PositiveSmallIntegerField()
    at_us = models.BigIntegerField()
    lag_records = models.FloatField(null=True)
    lag_records_min = models.FloatField(null=True)
    lag_records_max = models.FloatField(null=True)
    lag_seconds = models.FloatField(null=True)
    lag_seconds_min = models.FloatField(null=True)
    lag_seconds_max = models.FloatField(null=True)
    in_rate = models.FloatField(null=True)
    in_rate_min = models.FloatField(null=True)
    in_rate_max = models.FloatField(null=True)
    out_rate = models.FloatField(null=True)
    out_rate_min = models.FloatField(null=True)
    out_rate_max = models.FloatField(null=True)
    severity = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["series", "resolution_s", "at_us"], name="one_point_per_time")
        ]
        indexes = [models.Index(fields=["resolution_s", "at_us"], name="group_point_at")]
