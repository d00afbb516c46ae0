"""Serializers of records: browsed, exported, produced."""

from typing import Any

from rest_framework import serializers

from weir.streams.services.browse_page import MAX_CURSOR
from weir.streams.services.export import FORMATS, MAX_EXPORT_RECORDS
from weir.streams.services.record_filter import KEYS_AS
from weir.streams.services.scan import MAX_BYTES, MAX_RECORDS, TIMEOUT_S
from weir.workspaces.api.request_fields import BoundedListField, StrictSerializer

ORIGINS = ["newest", "earliest", "offset", "time"]


class PartitionScanSerializer(serializers.Serializer[Any]):
    """The offsets of one partition that were scanned: `from` (included) to `to` (excluded). The broker
    retains `log_start` to `log_end`.

    `range_start` to `range_end` (excluded) is what the query covers, by its offset and times.
    """

    partition = serializers.IntegerField()
    to = serializers.IntegerField()
    range_start = serializers.IntegerField()
    range_end = serializers.IntegerField()
    log_start = serializers.IntegerField()
    log_end = serializers.IntegerField()

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """`from` is a word of Python, so it is added here."""
        return {**super().get_fields(), "from": serializers.IntegerField()}


class ScanSerializer(serializers.Serializer[Any]):
    """The extent of a scan, and why it stopped. `records` and `bytes` count what was read,
    whether it matched or not.
    """

    partitions = PartitionScanSerializer(many=True)
    records = serializers.IntegerField()
    bytes = serializers.IntegerField()
    elapsed_ms = serializers.IntegerField()
    stop_reason = serializers.ChoiceField(choices=["limit", "end", "time", "bytes", "records", "timeout"])


class MalformedSerializer(serializers.Serializer[Any]):
    """Why a record does not become a row."""

    reason = serializers.CharField()
    detail = serializers.CharField(allow_blank=True)
    field = serializers.CharField(allow_blank=True)


class HeaderSerializer(serializers.Serializer[Any]):
    """A header; a value that is no text is base64."""

    name = serializers.CharField(allow_blank=True)
    value = serializers.CharField(allow_null=True, allow_blank=True)
    value_is_text = serializers.BooleanField()


class RecordSerializer(serializers.Serializer[Any]):
    """A record. Values that are not text are base64; long ones are `truncated`. `size`: bytes of the whole
    key and value.

    `timestamp_type`: whose clock `timestamp` is, the broker's (`log_append_time`) or the
    producer's (`create_time`).
    """

    partition = serializers.IntegerField()
    offset = serializers.IntegerField()
    timestamp = serializers.CharField()
    timestamp_type = serializers.ChoiceField(choices=["log_append_time", "create_time"])
    key = serializers.CharField(allow_null=True)
    key_is_text = serializers.BooleanField()
    value = serializers.CharField(allow_null=True)
    value_is_text = serializers.BooleanField()
    truncated = serializers.BooleanField()
    size = serializers.IntegerField()
    key_fields = serializers.DictField(
        allow_null=True, help_text="the key's fields; null where none is read from it, or not readable"
    )
    headers = HeaderSerializer(many=True)
    row = serializers.DictField(allow_null=True)
    event_time = serializers.CharField(allow_null=True)
    deleted = serializers.BooleanField(
        allow_null=True, help_text="whether the record deletes its row of a table; null where it has no row"
    )
    malformed = MalformedSerializer(allow_null=True)


class RecordDetailSerializer(RecordSerializer):
    """A record in full, its raw bytes, and its decoded parts as indented JSON with every digit.

    `row_json`: all declared fields, null if it is malformed. `value_json`: all fields of the value, declared
    or not, null for plain text. `key_json`: the key's fields, null if the contract reads none.
    """

    key_base64 = serializers.CharField(allow_null=True)
    value_base64 = serializers.CharField(allow_null=True)
    row_json = serializers.CharField(allow_null=True)
    value_json = serializers.CharField(allow_null=True)
    key_json = serializers.CharField(allow_null=True)


class RecordPageSerializer(serializers.Serializer[Any]):
    """A page of records; `next` is null at the end, and otherwise continues where this scan stopped."""

    records = RecordSerializer(many=True)
    scan = ScanSerializer()
    next = serializers.CharField(allow_null=True)


class RecordFilterSerializer(serializers.Serializer[Any]):
    """A filter of records."""

    partition = serializers.IntegerField(
        min_value=0, max_value=1_000_000, required=False, allow_null=True, default=None
    )
    offset = serializers.IntegerField(min_value=0, max_value=2**63 - 1, required=False, default=0)
    time = serializers.DateTimeField(
        required=False,
        allow_null=True,
        default=None,
        help_text="Kafka timestamp: where `time` starts, and where `newest` ends",
    )
    until = serializers.DateTimeField(
        required=False, allow_null=True, default=None, help_text="upper bound of the timestamp, excluded"
    )
    key = serializers.CharField(
        required=False, allow_null=True, default=None, max_length=2_000, trim_whitespace=False
    )
    key_as = serializers.ChoiceField(
        choices=list(KEYS_AS),
        required=False,
        default="text",
        help_text="format of `key`: its text, the values of the key's fields as JSON, or its bytes; "
        "auto: its fields where the stream has them, otherwise its text",
    )
    where = serializers.CharField(
        required=False,
        allow_null=True,
        default=None,
        max_length=5_000,
        help_text=("filter over the decoded record, in the language of job expressions"),
    )

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """`from` is a word of Python, so it is added here."""
        return {
            **super().get_fields(),
            "from": serializers.ChoiceField(choices=ORIGINS, required=False, default="newest"),
        }


class BrowseSerializer(RecordFilterSerializer):
    """What to browse, and the limits of one scan."""

    limit = serializers.IntegerField(min_value=1, max_value=500, required=False, default=50)
    cursor = serializers.CharField(
        required=False,
        allow_null=True,
        default=None,
        max_length=MAX_CURSOR,
        help_text="`next` of the previous page; repeat the other parameters",
    )
    max_records = serializers.IntegerField(
        min_value=1, max_value=MAX_RECORDS, required=False, default=MAX_RECORDS
    )
    max_bytes = serializers.IntegerField(
        min_value=1, max_value=8 * MAX_BYTES, required=False, default=MAX_BYTES
    )
    seconds = serializers.FloatField(min_value=0.1, max_value=10, required=False, default=TIMEOUT_S)


class ExportSerializer(RecordFilterSerializer):
    """What to export; `from` is `earliest` by default."""

    format = serializers.ChoiceField(choices=list(FORMATS), default="jsonl")
    limit = serializers.IntegerField(
        min_value=1, max_value=MAX_EXPORT_RECORDS, required=False, default=10_000
    )


class NewHeaderSerializer(StrictSerializer):
    """A header to write: a text, or bytes as base64; neither: null. Only the whole record has a limit."""

    name = serializers.CharField(allow_blank=True, trim_whitespace=False)
    value = serializers.CharField(required=False, allow_null=True, allow_blank=True, trim_whitespace=False)
    value_base64 = serializers.CharField(required=False, allow_null=True, allow_blank=True)


class NewRecordSerializer(StrictSerializer):
    """A record to write. `value` is a JSON value, or a text that is taken as it is; `…_base64`
    are bytes; neither: null.

    An object for a stream whose records are Avro or framed JSON is written by the stream's schema, its
    values in the form in which rows show them; of change events it is the whole envelope. `value_json` is
    the same as a text, so that no digit is lost on the way. `key_json` holds the values of the key's fields
    as JSON, written as the contract says. `line`, alone: a line of a file, as a value, as an object of
    these parts, or as our export wrote it.
    """

    value = serializers.JSONField(required=False, allow_null=True)
    value_json = serializers.CharField(required=False, allow_null=True, max_length=1_500_000)
    value_base64 = serializers.CharField(
        required=False, allow_null=True, allow_blank=True, max_length=1_500_000
    )
    key = serializers.CharField(required=False, allow_null=True, allow_blank=True, trim_whitespace=False)
    key_json = serializers.CharField(required=False, allow_null=True, max_length=100_000)
    key_base64 = serializers.CharField(
        required=False, allow_null=True, allow_blank=True, max_length=1_500_000
    )
    headers = BoundedListField(child=NewHeaderSerializer(), required=False, max_length=1_000)
    partition = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=1_000_000)


class RecordOrLineSerializer(NewRecordSerializer):
    """A record to write, or a line of a file."""

    line = serializers.CharField(required=False, max_length=3_000_000, trim_whitespace=False)


class ProduceSerializer(StrictSerializer):
    """Records to write; if one is invalid, none is written. `first_record_number`: the number of the
    first record, for messages.
    """

    records = BoundedListField(child=RecordOrLineSerializer(), min_length=1, max_length=1_000)
    first_record_number = serializers.IntegerField(required=False, default=1, min_value=1, max_value=2**53)


class RecordErrorSerializer(serializers.Serializer[Any]):
    """An invalid record: its index in the request, and the reason."""

    record = serializers.IntegerField()
    message = serializers.CharField()


class RecordCheckSerializer(serializers.Serializer[Any]):
    """The invalid records of a request; nothing is written."""

    errors = RecordErrorSerializer(many=True)  # type: ignore[assignment]  # a field of the API, no serializer error


class WrittenSerializer(serializers.Serializer[Any]):
    """The coordinates of a record."""

    partition = serializers.IntegerField()
    offset = serializers.IntegerField()


class ProducedSerializer(serializers.Serializer[Any]):
    """What was written, in the order of the request."""

    written = WrittenSerializer(many=True)
