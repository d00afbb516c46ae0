"""Serializers of a workspace's receiver of OpenLineage events."""

from typing import Any

from rest_framework import serializers

from weir.openlineage.models import LineageEvent, LineageReceiver
from weir.workspaces.api.request_fields import StrictSerializer


class LineageReceiverSerializer(serializers.ModelSerializer[LineageReceiver]):
    """A receiver; its key is never shown.

    `sent_at` is when an event arrived last. `failed_at` and `error` are of the last delivery that failed
    since the receiver was set; `attempts` counts those since an event arrived, so 0 means that all is well.
    `waiting`, `sent` and `failed` (given up) count events, the last two of the last 7 days; `waiting_since`
    and `next_try_at` are null where nothing waits, the latter also while the receiver is off.
    """

    has_key = serializers.SerializerMethodField()
    waiting = serializers.IntegerField()
    waiting_since = serializers.DateTimeField(allow_null=True)
    next_try_at = serializers.DateTimeField(allow_null=True)
    sent = serializers.IntegerField()
    failed = serializers.IntegerField()

    class Meta:
        model = LineageReceiver
        fields = [
            "url",
            "namespace",
            "enabled",
            "has_key",
            "revision",
            "sent_at",
            "failed_at",
            "error",
            "attempts",
            "waiting",
            "waiting_since",
            "next_try_at",
            "sent",
            "failed",
        ]
        read_only_fields = fields

    def get_has_key(self, receiver: LineageReceiver) -> bool:
        """Whether it has a key."""
        return bool(receiver.sealed_key)


class LineageSettingSerializer(serializers.Serializer[Any]):
    """`receiver` is null where the workspace sends its lineage nowhere."""

    receiver = LineageReceiverSerializer(allow_null=True)


class LineageEventSerializer(serializers.ModelSerializer[LineageEvent]):
    """An event. `at` is when what it tells of happened, `created_at` when the event was written; `job_id` is
    null for a test message and for a job that is deleted. `error` is why it did not arrive at the last try.
    """

    job_id = serializers.CharField(allow_null=True)

    class Meta:
        model = LineageEvent
        fields = ["id", "type", "job_id", "job_name", "at", "created_at", "state", "sent_at", "error"]
        read_only_fields = fields


class LineageEventListSerializer(serializers.Serializer[Any]):
    """A page of events, the newest first. `next` is `before` of the next page; null: none."""

    results = LineageEventSerializer(many=True)
    next = serializers.IntegerField(allow_null=True)


class LineageEventQuerySerializer(serializers.Serializer[Any]):
    """Which events."""

    state = serializers.ChoiceField(LineageEvent.State.choices, required=False)
    before = serializers.IntegerField(min_value=1, max_value=2**63 - 1, required=False)


class LineageReceiverChangeSerializer(StrictSerializer):
    """What a receiver is set to. `key` left out or null keeps the one that is there; an empty one removes
    it. With `revision`, that the change was made on, it is refused once somebody else changed the receiver.
    """

    url = serializers.CharField(max_length=2_000)
    namespace = serializers.CharField(max_length=200, allow_blank=True, default="")
    key = serializers.CharField(max_length=4_000, allow_blank=True, allow_null=True, default=None)
    enabled = serializers.BooleanField(default=True)
    revision = serializers.IntegerField(min_value=1, required=False, allow_null=True, default=None)
