"""Serializers of a workspace's receiver of OpenLineage events."""

from typing import Any

from rest_framework import serializers

from weir.openlineage.models import LineageEvent, LineageReceiver


class LineageReceiverSerializer(serializers.ModelSerializer[LineageReceiver]):
    """A receiver. Its key is never shown; `delivered_at` is when a delivery was last tried, and `error` why
    it did not arrive, empty when it did. `waiting` and `failed` count events.
    """

    has_key = serializers.SerializerMethodField()
    waiting = serializers.SerializerMethodField()
    failed = serializers.SerializerMethodField()

    class Meta:
        model = LineageReceiver
        fields = ["url", "namespace", "enabled", "has_key", "delivered_at", "error", "waiting", "failed"]

    def get_has_key(self, receiver: LineageReceiver) -> bool:
        """Whether it has a key."""
        return bool(receiver.sealed_key)

    def get_waiting(self, receiver: LineageReceiver) -> int:
        """Events that are not delivered yet."""
        return self._count(receiver, LineageEvent.State.WAITING)

    def get_failed(self, receiver: LineageReceiver) -> int:
        """Events of the last 7 days that were given up."""
        return self._count(receiver, LineageEvent.State.FAILED)

    def _count(self, receiver: LineageReceiver, state: str) -> int:
        return LineageEvent.objects.filter(receiver=receiver, state=state).count()


class LineageSettingSerializer(serializers.Serializer[Any]):
    """`receiver` is null where the workspace sends its lineage nowhere."""

    receiver = LineageReceiverSerializer(allow_null=True)


class LineageReceiverChangeSerializer(serializers.Serializer[Any]):
    """What a receiver is set to. `key` left out or null keeps the one that is there; an empty one removes
    it.
    """

    url = serializers.CharField(max_length=2_000)
    namespace = serializers.CharField(max_length=200, allow_blank=True, default="")
    key = serializers.CharField(max_length=4_000, allow_blank=True, allow_null=True, default=None)
    enabled = serializers.BooleanField(default=True)
