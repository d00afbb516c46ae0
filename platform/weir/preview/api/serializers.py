"""Serializers of previews."""

from typing import Any, Final, get_args

from rest_framework import serializers

from weir.preview.services.samples import MAX_BYTES, MAX_RECORDS, Kind
from weir.streams.services.record_filter import KEYS_AS
from weir.workspaces.api.request_fields import StrictSerializer

MAX_SOURCES: Final = 50
_PAGE: Final = r"^[A-Za-z0-9-]{1,64}$"


class SourceChoiceSerializer(StrictSerializer):
    """Which records a source gives: newest, from a time on, newest with a key, JSON lines, or the sample
    that is stored with the stream. `key_as` auto: as the stream says what its keys are.
    """

    kind = serializers.ChoiceField(choices=get_args(Kind), default="newest")
    records = serializers.IntegerField(min_value=1, max_value=MAX_RECORDS, default=200)
    time_ms = serializers.IntegerField(min_value=0, max_value=2**53, required=False, allow_null=True)
    key = serializers.CharField(allow_blank=True, max_length=10_000, default="", trim_whitespace=False)
    key_as = serializers.ChoiceField(choices=list(KEYS_AS), default="auto")
    lines = serializers.CharField(
        allow_blank=True, max_length=4 * MAX_BYTES, default="", trim_whitespace=False
    )


class PreviewRequestSerializer(StrictSerializer):
    """A document, and what its sources give. `page` names the page that asks: a newer preview of a page ends
    its older one. Previews of one page, `reading` and choice of sources are of the same records for some
    minutes: another `reading` reads the topics again.
    """

    document = serializers.JSONField()
    sources = serializers.DictField(child=SourceChoiceSerializer(), required=False, default=dict)
    page = serializers.RegexField(_PAGE)
    reading = serializers.IntegerField(min_value=0, max_value=2**31, default=0)

    def validate_sources(self, value: dict[str, Any]) -> dict[str, Any]:
        """As many as a document may have."""
        if len(value) > MAX_SOURCES:
            raise serializers.ValidationError(f"At most {MAX_SOURCES} sources.")
        return value


class CancelPreviewSerializer(StrictSerializer):
    """The page that does not wait any more."""

    page = serializers.RegexField(_PAGE)


class PreviewProblemSerializer(serializers.Serializer[Any]):
    """Why a play did not go to its end."""

    code = serializers.CharField()
    message = serializers.CharField()
    raw = serializers.CharField(allow_blank=True)


class PreviewRowSerializer(serializers.Serializer[Any]):
    """A row: its identity as JSON, its fields (null: a tombstone), and its event time."""

    key = serializers.CharField(allow_null=True)
    value = serializers.DictField(allow_null=True)
    at = serializers.CharField(allow_null=True)


class LostRowSerializer(PreviewRowSerializer):
    """A row that a step took away: a filter, or a step with state that it came too late for."""

    kind = serializers.ChoiceField(choices=["filtered", "late"])
    why = serializers.CharField()


class PreviewRowsSerializer(serializers.Serializer[Any]):
    """Rows that a step or output gave: how many, and the first of them."""

    rows = serializers.IntegerField()
    tombstones = serializers.IntegerField()
    first = PreviewRowSerializer(many=True)
    truncated = serializers.BooleanField()


class ExpressionNullsSerializer(serializers.Serializer[Any]):
    """Rows in which an error in an expression became null."""

    expression = serializers.CharField()
    rows = serializers.IntegerField()


class PreviewInputSerializer(serializers.Serializer[Any]):
    """Rows that an input of a step gave; null: not seen."""

    reference = serializers.CharField()
    rows = serializers.IntegerField(allow_null=True)


class PreviewStepSerializer(PreviewRowsSerializer):
    """What a source or step gave. `known` is false for what isn't seen; `rows_in`, `filtered` and `unmatched`
    (left rows of a join without a partner) are null where they say nothing. `lost` are the first rows that it
    took away. `empty` says why `first` is empty.
    """

    reference = serializers.CharField()
    node = serializers.CharField()
    op = serializers.CharField()
    fields = serializers.ListField(child=serializers.CharField())  # type: ignore[assignment]
    key = serializers.ListField(child=serializers.CharField())
    known = serializers.BooleanField()
    inputs = PreviewInputSerializer(many=True)
    rows_in = serializers.IntegerField(allow_null=True)
    filtered = serializers.IntegerField(allow_null=True)
    unmatched = serializers.IntegerField(allow_null=True)
    lost = LostRowSerializer(many=True)
    empty = serializers.CharField(allow_blank=True)
    late = serializers.IntegerField()
    keyless = serializers.IntegerField()
    nulls = serializers.IntegerField()
    nulls_by_expression = ExpressionNullsSerializer(many=True)


class ReasonSerializer(serializers.Serializer[Any]):
    """Malformed records by reason."""

    reason = serializers.CharField()
    records = serializers.IntegerField()


class LeftOutSerializer(serializers.Serializer[Any]):
    """A malformed record; `line` is that of the typed text, null for records of a topic."""

    partition = serializers.IntegerField()
    offset = serializers.IntegerField()
    line = serializers.IntegerField(allow_null=True)
    reason = serializers.CharField()


class PreviewSourceSerializer(serializers.Serializer[Any]):
    """What was read of a source; `note` says why it is less than asked for. `around`: the newest records were
    read around this Kafka timestamp, to meet those of the other sources.
    """

    name = serializers.CharField()
    given = serializers.IntegerField()
    note = serializers.CharField(allow_blank=True)
    around = serializers.CharField(allow_null=True)
    records = serializers.IntegerField()
    malformed = ReasonSerializer(many=True)
    left_out = LeftOutSerializer(many=True)


class PreviewOutputSerializer(PreviewRowsSerializer):
    """The rows that an output would write."""

    name = serializers.CharField()


class PreviewSerializer(serializers.Serializer[Any]):
    """What each step of a document gave for the records that were read, at `read_at`. Nothing was written
    anywhere.
    """

    problem = PreviewProblemSerializer(allow_null=True)
    engine = serializers.CharField()
    standby = serializers.BooleanField()
    runs = serializers.IntegerField()
    elapsed_ms = serializers.IntegerField()
    read_at = serializers.CharField()
    read_ms = serializers.IntegerField()
    total_ms = serializers.IntegerField()
    spans_ms = serializers.DictField(child=serializers.IntegerField())
    shortened = serializers.BooleanField()
    late = serializers.IntegerField()
    uses_processing_time = serializers.ListField(child=serializers.CharField())
    watermark = serializers.CharField(allow_null=True)
    sources = PreviewSourceSerializer(many=True)
    steps = PreviewStepSerializer(many=True)
    outputs = PreviewOutputSerializer(many=True)


class WaitingPreviewSerializer(serializers.Serializer[Any]):
    """Nothing was played yet; `waiting` says for what."""

    waiting = serializers.CharField()
