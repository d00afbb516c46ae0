"""Serializers of a sample's validation."""

from typing import Any

from rest_framework import serializers

from weir.clusters.models import HOME
from weir.streams.api.record_serializers import ScanSerializer
from weir.workspaces.api.request_fields import StrictSerializer


class SampleValidationRequestSerializer(StrictSerializer):
    """Which topic to sample, by which contract, and how many records at most."""

    cluster = serializers.CharField(max_length=40, required=False, default=HOME)
    topic = serializers.CharField(max_length=249)
    contract = serializers.JSONField()
    limit = serializers.IntegerField(min_value=1, max_value=2000, required=False, default=500)


class MalformedReasonSerializer(serializers.Serializer[Any]):
    """Number of malformed records with one reason, and the coordinates of one of them."""

    reason = serializers.CharField()
    records = serializers.IntegerField()
    detail = serializers.CharField(allow_blank=True)
    partition = serializers.IntegerField()
    offset = serializers.IntegerField()


class SampleValidationSerializer(serializers.Serializer[Any]):
    """Of `records`, `valid` become rows and `skipped` are neither row nor malformed; `malformed`: the others
    by reason. `error`: why the contract is not valid, in which case nothing was read.
    """

    records = serializers.IntegerField()
    valid = serializers.IntegerField()
    skipped = serializers.IntegerField()
    malformed = MalformedReasonSerializer(many=True)
    scan = ScanSerializer(allow_null=True)
    error = serializers.CharField(allow_null=True)
