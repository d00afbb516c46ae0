"""Serializers of consumer groups."""

from typing import Any, Final

from rest_framework import serializers

from weir.consumer_groups.services.group_reading import HotBecause
from weir.consumer_groups.services.health import Cause
from weir.consumer_groups.services.offset_moves import TARGETS
from weir.lag.api.history_serializers import HistoryQuerySerializer, HistorySerializer, MeasureSerializer
from weir.runs.services.lag_health import Kind
from weir.workspaces.api.request_fields import BoundedDictField, BoundedListField, StrictSerializer

KINDS: Final = [kind.value for kind in Kind]
CAUSES: Final = [cause.value for cause in Cause if cause.value]
SECONDS_BY: Final = ["record", "sampled", "at_least"]


class HotPartitionSerializer(serializers.Serializer[Any]):
    """The partition that has at least half of a topic's lag; shares are 0 to 1. `because`: it gets more
    records
    than the others, or is read more slowly.
    """

    topic = serializers.CharField()
    partition = serializers.IntegerField()
    lag_share = serializers.FloatField()
    in_share = serializers.FloatField(allow_null=True)
    because = serializers.ChoiceField(choices=[each.value for each in HotBecause])


class GroupLagSerializer(serializers.Serializer[Any]):
    """How far a group is behind; null is not known. `seconds_by`: from the record's timestamp, from offsets
    sampled over time, or at least so long. Rates are records per second, written and read. `catch_up_s`:
    until it has caught up; `loss_s`: until retention deletes a record that it has not read.
    """

    lag_records = serializers.IntegerField(allow_null=True)
    lag_seconds = serializers.FloatField(allow_null=True)
    seconds_by = serializers.ChoiceField(choices=SECONDS_BY, allow_blank=True)
    in_rate = serializers.FloatField(allow_null=True)
    out_rate = serializers.FloatField(allow_null=True)
    health = serializers.ChoiceField(choices=KINDS)
    cause = serializers.ChoiceField(choices=CAUSES, allow_blank=True)
    since = serializers.DateTimeField(allow_null=True)
    catch_up_s = serializers.FloatField(allow_null=True)
    loss_s = serializers.FloatField(allow_null=True)
    lost_records = serializers.IntegerField()


class GroupSerializer(GroupLagSerializer):
    """A consumer group. `mirrored_job`: Weir commits the positions of this job in it; `job_id` null where the
    job is gone. `denied`: the cluster's user may not read its offsets.
    """

    cluster = serializers.CharField()
    cluster_name = serializers.CharField()
    name = serializers.CharField()
    state = serializers.CharField(allow_blank=True)
    protocol = serializers.CharField()
    denied = serializers.BooleanField()
    members = serializers.IntegerField(allow_null=True)
    mirrored_job = serializers.CharField(allow_blank=True)
    job_id = serializers.CharField(allow_null=True)
    topics = serializers.ListField(child=serializers.CharField())
    hot = HotPartitionSerializer(allow_null=True)


class ListedGroupSerializer(GroupSerializer):
    """A group in the list. `trend`: lag of the last half hour, as [seconds ago, records], oldest first."""

    trend = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))


class WatchSerializer(serializers.Serializer[Any]):
    """How current the groups of a cluster are: null before the first pass. `error`: why the newest pass
    failed.
    `left_out`: groups beyond what is watched. `interval_ms`: between two passes.
    """

    cluster = serializers.CharField()
    cluster_name = serializers.CharField()
    passed_at = serializers.DateTimeField(allow_null=True)
    error = serializers.CharField(allow_blank=True)
    groups = serializers.IntegerField()
    left_out = serializers.IntegerField()
    interval_ms = serializers.IntegerField()


class GroupListSerializer(serializers.Serializer[Any]):
    """The groups of all clusters, the worst first."""

    watches = WatchSerializer(many=True)
    results = ListedGroupSerializer(many=True)


class TopicLagSerializer(GroupLagSerializer):
    """How far a group is behind in one topic; `at`: as of when; `counts`: partitions by health."""

    topic = serializers.CharField()
    at = serializers.DateTimeField()
    counts = serializers.DictField(child=serializers.IntegerField())
    hot = HotPartitionSerializer(allow_null=True)


class TopicPartitionSerializer(serializers.Serializer[Any]):
    """A partition of a topic."""

    topic = serializers.CharField()
    partition = serializers.IntegerField()


class GroupMemberSerializer(serializers.Serializer[Any]):
    """A member of a group and the partitions that it has."""

    client_id = serializers.CharField(allow_blank=True)
    host = serializers.CharField(allow_blank=True)
    instance_id = serializers.CharField(allow_null=True)
    partitions = TopicPartitionSerializer(many=True)


class PartitionOfGroupSerializer(serializers.Serializer[Any]):
    """A partition: `committed` is the next offset to read, `start` and `end` are those of the log, `lag` is
    in records, rates are records per second. `owner`: position in `member_list`, from 0.
    """

    topic = serializers.CharField()
    partition = serializers.IntegerField()
    committed = serializers.IntegerField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    lag = serializers.IntegerField()
    seconds = serializers.FloatField(allow_null=True)
    seconds_by = serializers.ChoiceField(choices=SECONDS_BY, allow_blank=True)
    in_rate = serializers.FloatField(allow_null=True)
    out_rate = serializers.FloatField(allow_null=True)
    health = serializers.ChoiceField(choices=KINDS)
    cause = serializers.ChoiceField(choices=CAUSES, allow_blank=True)
    since = serializers.DateTimeField(allow_null=True)
    catch_up_s = serializers.FloatField(allow_null=True)
    loss_s = serializers.FloatField(allow_null=True)
    lost_records = serializers.IntegerField()
    owner = serializers.IntegerField(allow_null=True)


class GroupDetailSerializer(GroupSerializer):
    """A group with its members (null: not known) and partitions. `has_hidden`: it has topics of other
    workspaces,
    which are in no number here. `partitions_left_out`: how many are not listed, the least behind.
    """

    has_hidden = serializers.BooleanField()
    topic_lags = TopicLagSerializer(many=True)
    member_list = GroupMemberSerializer(many=True, allow_null=True)
    partitions = PartitionOfGroupSerializer(many=True)
    partitions_left_out = serializers.IntegerField()


class GroupHistoryQuerySerializer(HistoryQuerySerializer):
    """Which range of a group's history."""

    topic = serializers.CharField(required=False, default="", allow_blank=True, max_length=249)


class GroupMeasuresSerializer(serializers.Serializer[Any]):
    """What is measured of a group: lag is summed over its topics, seconds are those of the slowest."""

    lag_records = MeasureSerializer()
    lag_seconds = MeasureSerializer()
    in_rate = MeasureSerializer()
    out_rate = MeasureSerializer()


class GroupHistorySerializer(HistorySerializer):
    """History of a group. `health`: the worst of each span."""

    measures = GroupMeasuresSerializer()
    health = serializers.ListField(child=serializers.ChoiceField(choices=KINDS))


class MoveRequestSerializer(StrictSerializer):
    """Where to move offsets. `offset`: for ``offset`` the next record to read, for ``by`` how many
    records forward
    (negative: back). `partitions`: by topic, an empty list for all of it; null: all that the group has
    committed.
    """

    target = serializers.ChoiceField(choices=list(TARGETS))
    offset = serializers.IntegerField(
        min_value=-(2**62), max_value=2**62, required=False, allow_null=True, default=None
    )
    time = serializers.DateTimeField(required=False, allow_null=True, default=None)
    partitions = BoundedDictField(
        child=BoundedListField(
            child=serializers.IntegerField(min_value=0, max_value=100_000), max_length=10_000
        ),
        required=False,
        allow_null=True,
        default=None,
    )
    dry_run = serializers.BooleanField(default=True)


class MoveSerializer(serializers.Serializer[Any]):
    """A partition: `before` is null where nothing is committed; `change`: records skipped, negative:
    read again;
    `cut`: the log does not reach as far as was asked.
    """

    topic = serializers.CharField()
    partition = serializers.IntegerField()
    before = serializers.IntegerField(allow_null=True)
    after = serializers.IntegerField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    change = serializers.IntegerField()
    cut = serializers.BooleanField()


class MovePlanSerializer(serializers.Serializer[Any]):
    """What a move does, or would do. `refused`: why it can't be done now."""

    applied = serializers.BooleanField()
    refused = serializers.CharField(allow_blank=True)
    skipped = serializers.IntegerField()
    read_again = serializers.IntegerField()
    moves = MoveSerializer(many=True)
