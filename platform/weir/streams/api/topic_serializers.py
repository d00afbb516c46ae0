"""Serializers of topics."""

from typing import Any

from rest_framework import serializers

from weir.clusters.services.topic_settings import CLEANUPS
from weir.workspaces.api.request_fields import StrictSerializer


class TopicSerializer(serializers.Serializer[Any]):
    """A topic; `streams` are the names under which it is registered here. `records` is null
    where it was not counted, as while a partition has no leader.
    """

    name = serializers.CharField()
    partitions = serializers.IntegerField()
    replicas = serializers.IntegerField()
    under_replicated = serializers.IntegerField()
    leaderless = serializers.IntegerField()
    records = serializers.IntegerField(allow_null=True)
    streams = serializers.ListField(child=serializers.CharField())


class TopicListSerializer(serializers.Serializer[Any]):
    """The topics of the cluster at `fetched_at`. `error`: why the last refresh failed;
    null if it succeeded.
    """

    fetched_at = serializers.DateTimeField()
    error = serializers.CharField(allow_null=True)
    total = serializers.IntegerField()
    matching = serializers.IntegerField(
        help_text="number of topics that match `name`; `results` may contain only some of them"
    )
    results = TopicSerializer(many=True)


class TopicQuerySerializer(serializers.Serializer[Any]):
    """Which topics."""

    name = serializers.CharField(
        required=False, allow_blank=True, default="", max_length=249, help_text="part of the name"
    )
    fresh = serializers.BooleanField(required=False, default=False, help_text="refresh from the cluster")
    offset = serializers.IntegerField(required=False, default=0, min_value=0, max_value=10_000_000)
    limit = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        min_value=1,
        max_value=1_000,
        help_text="maximum number of topics; without it all of them",
    )


class NewTopicSerializer(StrictSerializer):
    """A topic to create. Null: the cluster's default; -1 ms: unlimited."""

    name = serializers.CharField(max_length=249)
    partitions = serializers.IntegerField(min_value=1, max_value=256)
    retention_ms = serializers.IntegerField(min_value=-1, max_value=2**53, allow_null=True, default=None)
    cleanup = serializers.ChoiceField(choices=list(CLEANUPS), allow_null=True, default=None)


class ChangedTopicSerializer(StrictSerializer):
    """What to change; what is left out or null stays. Partitions can only become more."""

    partitions = serializers.IntegerField(min_value=1, max_value=256, allow_null=True, default=None)
    retention_ms = serializers.IntegerField(min_value=-1, max_value=2**53, allow_null=True, default=None)
    cleanup = serializers.ChoiceField(choices=list(CLEANUPS), allow_null=True, default=None)


class PartitionSerializer(serializers.Serializer[Any]):
    """A partition: its first and next offset (null while nobody leads it), who leads it (-1: nobody), how
    many replicas are in step.
    """

    partition = serializers.IntegerField()
    leader = serializers.IntegerField()
    replicas = serializers.IntegerField()
    in_sync = serializers.IntegerField()
    start = serializers.IntegerField(allow_null=True)
    end = serializers.IntegerField(allow_null=True)


class SettingsSerializer(serializers.Serializer[Any]):
    """The settings of a topic; -1: unlimited, null: the cluster's user may not read it, or the cluster has no
    such setting.
    """

    retention_ms = serializers.IntegerField(allow_null=True)
    retention_bytes = serializers.IntegerField(allow_null=True)
    cleanup = serializers.CharField(allow_null=True)
    max_message_bytes = serializers.IntegerField(allow_null=True)
    min_insync_replicas = serializers.IntegerField(allow_null=True)


class TopicDetailSerializer(serializers.Serializer[Any]):
    """A topic, asked of the cluster now."""

    name = serializers.CharField()
    partitions = PartitionSerializer(many=True)
    settings = SettingsSerializer()
    streams = serializers.ListField(child=serializers.CharField())
    jobs = serializers.ListField(child=serializers.CharField())
