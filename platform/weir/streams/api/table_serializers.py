"""Serializers of a table's rows."""

from typing import Any

from rest_framework import serializers

from weir.streams.api.record_serializers import ScanSerializer
from weir.streams.services.scan import MAX_BYTES, MAX_RECORDS, TIMEOUT_S


class ScanBudgetSerializer(serializers.Serializer[Any]):
    """Limits of one scan, and where to continue."""

    cursor = serializers.CharField(
        required=False,
        allow_null=True,
        default=None,
        max_length=20_000,
        help_text="`next` of the previous answer",
    )
    max_records = serializers.IntegerField(
        min_value=1, max_value=MAX_RECORDS, required=False, default=MAX_RECORDS
    )
    max_bytes = serializers.IntegerField(
        min_value=1, max_value=8 * MAX_BYTES, required=False, default=8 * MAX_BYTES
    )
    seconds = serializers.FloatField(min_value=0.1, max_value=10, required=False, default=TIMEOUT_S)


class TableQuerySerializer(ScanBudgetSerializer):
    """Which rows."""

    limit = serializers.IntegerField(min_value=1, max_value=100, required=False, default=50)


class TableKeySerializer(ScanBudgetSerializer):
    """Which key."""

    key = serializers.CharField(
        max_length=10_000,
        trim_whitespace=False,
        help_text="JSON: an object or list of the key fields, or the value of one",
    )


class TableEntrySerializer(serializers.Serializer[Any]):
    """The newest record of a key; `key` is its identity as JSON, `row` null where it was deleted."""

    key = serializers.CharField()
    row = serializers.DictField(allow_null=True)
    event_time = serializers.CharField()
    timestamp = serializers.CharField()
    partition = serializers.IntegerField()
    offset = serializers.IntegerField()


class SizeSerializer(serializers.Serializer[Any]):
    """How many rows a table has; an estimate errs by some per cent."""

    rows = serializers.IntegerField()
    exact = serializers.BooleanField()


class TablePageSerializer(serializers.Serializer[Any]):
    """Rows in the order of their keys. Until `complete` there are none, and `next` continues the scan.

    `size` comes with the first page, when it is complete. `newest` is when the newest record seen arrived.
    """

    complete = serializers.BooleanField()
    rows = TableEntrySerializer(many=True)
    size = SizeSerializer(allow_null=True)
    newest = serializers.CharField(allow_null=True)
    malformed = serializers.IntegerField()
    scan = ScanSerializer()
    next = serializers.CharField(allow_null=True)


class TableRowSerializer(serializers.Serializer[Any]):
    """The current row of a key: searching means that the scan is not complete, and `next` continues it."""

    state = serializers.ChoiceField(choices=["found", "deleted", "absent", "searching"])
    entry = TableEntrySerializer(allow_null=True)
    scan = ScanSerializer()
    next = serializers.CharField(allow_null=True)
