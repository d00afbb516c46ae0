"""Serializers of encodings and their fields."""

from typing import Any

from rest_framework import serializers

from weir.streams.api.stream_serializers import FieldSerializer
from weir.workspaces.api.request_fields import StrictSerializer


class EncodingRequestSerializer(StrictSerializer):
    """How values of records are written, as a contract says it."""

    encoding = serializers.JSONField()


class SchemaFieldsSerializer(serializers.Serializer[Any]):
    """The fields of the schema; empty for formats that have none."""

    fields = FieldSerializer(many=True)  # type: ignore[assignment]  # the contract's own word
