"""Serializers of channels."""

from typing import Any

from rest_framework import serializers

from weir.alerts.models import Channel, Severity
from weir.workspaces.api.request_fields import StrictSerializer


class ChannelSerializer(serializers.Serializer[Any]):
    """A channel. `target` is what may be seen of its address; secrets are never returned."""

    id = serializers.CharField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(Channel.Kind.choices)
    target = serializers.CharField()
    least_severity = serializers.ChoiceField(Severity.choices)
    enabled = serializers.BooleanField()
    revision = serializers.IntegerField()
    created_at = serializers.DateTimeField()


class ChannelListSerializer(serializers.Serializer[Any]):
    """The channels of a workspace, by name, and whether this installation can send e-mail."""

    results = ChannelSerializer(many=True)
    email_configured = serializers.BooleanField()


class NewChannelSerializer(StrictSerializer):
    """`address`: recipients with commas between them, a webhook's URL, or PagerDuty's integration key."""

    name = serializers.CharField(max_length=100)
    kind = serializers.ChoiceField(Channel.Kind.choices)
    address = serializers.CharField(max_length=2_000)
    least_severity = serializers.ChoiceField(Severity.choices, default=Severity.INFO)


class CreatedChannelSerializer(ChannelSerializer):
    """`secret` signs what a generic webhook gets; it is shown once, and empty for other kinds."""

    secret = serializers.CharField()


class ChannelChangeSerializer(StrictSerializer):
    """What may be changed; for another address make another channel. With `revision`, that the change was
    made on, it is refused once somebody else changed the channel.
    """

    name = serializers.CharField(max_length=100)
    least_severity = serializers.ChoiceField(Severity.choices)
    enabled = serializers.BooleanField()
    revision = serializers.IntegerField(min_value=1, required=False, allow_null=True, default=None)
