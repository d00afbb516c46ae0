"""Serializers of requests about selected dead letters: edit, discard, redrive."""

import base64
import binascii
from typing import Any, Final

from rest_framework import serializers

from weir.dead_letters.models import Redrive
from weir.dead_letters.services.edits import MAX_OPERATIONS
from weir.dead_letters.services.redrives import MAX_RATE
from weir.dead_letters.services.selection import Selection
from weir.streams.api.record_serializers import NewRecordSerializer
from weir.streams.models import Stream
from weir.streams.services.record_input import InvalidRecordError, NewRecord, build_record, record_encoder
from weir.workspaces.api.request_fields import BoundedListField, StrictSerializer
from weir.workspaces.errors import ServiceError

_MOST_ITEMS: Final = 1_000  # of an edit that is looked at; more operations than it may have are refused then


class SelectionSerializer(StrictSerializer):
    """Waiting dead letters: by `ids`, by `reason`, or `all`."""

    ids = BoundedListField(
        child=serializers.IntegerField(min_value=0, max_value=2**63 - 1), required=False, max_length=1_000
    )
    reason = serializers.CharField(required=False, max_length=40)
    all = serializers.BooleanField(required=False, default=False)


class DiscardSerializer(SelectionSerializer):
    """Dead letters to discard, and the reason as a `note`."""

    note = serializers.CharField(max_length=500)


class DiscardedSerializer(serializers.Serializer[Any]):
    """Number of discarded dead letters."""

    discarded = serializers.IntegerField()


class EditOperationSerializer(StrictSerializer):
    """One operation of an edit. `set` {field, value, only_missing}, `remove` {field}, `rename` {field,
    to}: a field of the record's JSON object; a nested field is a path with dots. `replace` {text, by}:
    every occurrence of a text.
    """

    op = serializers.ChoiceField(choices=["set", "remove", "rename", "replace"])
    field = serializers.CharField(required=False, max_length=200, trim_whitespace=False)
    value = serializers.JSONField(required=False, allow_null=True)
    only_missing = serializers.BooleanField(required=False)
    to = serializers.CharField(required=False, max_length=200, trim_whitespace=False)
    text = serializers.CharField(required=False, max_length=1_000, trim_whitespace=False)
    by = serializers.CharField(required=False, allow_blank=True, max_length=1_000, trim_whitespace=False)


class EditSelectionSerializer(SelectionSerializer):
    """Dead letters, an edit for each of them, and the stream whose contract the result must match."""

    to = serializers.CharField(
        required=False,
        allow_null=True,
        default=None,
        max_length=63,
        help_text="a stream; null: the original one",
    )
    edit = BoundedListField(
        child=EditOperationSerializer(),
        required=False,
        default=list,
        max_length=_MOST_ITEMS,
        help_text=f"at most {MAX_OPERATIONS} operations",
    )


class EditedSampleSerializer(serializers.Serializer[Any]):
    """A dead letter before and after the edit, both truncated. `after` is null if the edit cannot be applied.

    `valid`: it would be sent; otherwise `error` says why not.
    """

    id = serializers.IntegerField()
    partition = serializers.IntegerField()
    offset = serializers.IntegerField()
    before = serializers.CharField(allow_null=True, allow_blank=True)
    before_is_text = serializers.BooleanField()
    after = serializers.CharField(allow_null=True, allow_blank=True)
    valid = serializers.BooleanField()
    error = serializers.CharField(allow_blank=True)


class EditPreviewSerializer(serializers.Serializer[Any]):
    """Result of an edit that is not sent: of `selected` dead letters the newest `tested` were edited, and
    `valid` of them would be sent.
    """

    selected = serializers.IntegerField()
    tested = serializers.IntegerField()
    valid = serializers.IntegerField()
    samples = EditedSampleSerializer(many=True)


class NewRedriveSerializer(EditSelectionSerializer):
    """Dead letters to redrive, the target stream, the rate, and an edit for each of them.

    `value` (text) or `value_base64`: replaces the value of a single dead letter. `record`:
    replaces its value, key and headers; omitted parts are null or empty. With another key it is
    sent to the partition of that key.
    """

    rate = serializers.IntegerField(
        required=False, default=100, min_value=1, max_value=MAX_RATE, help_text="records per second"
    )
    value = serializers.CharField(
        required=False, allow_null=True, default=None, max_length=1_000_000, trim_whitespace=False
    )
    value_base64 = serializers.CharField(required=False, allow_null=True, default=None, max_length=1_400_000)
    record = NewRecordSerializer(required=False, allow_null=True, default=None)


class RedriveSerializer(serializers.Serializer[Any]):
    """A redrive and its progress. `sent` are in Kafka; `failed` could not be sent and are
    waiting again, each with a note.
    """

    id = serializers.CharField()
    to = serializers.CharField(allow_null=True)
    edited = serializers.BooleanField()
    edit = serializers.ListField(
        child=serializers.CharField(), help_text="description of the edit of every record"
    )
    created_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    state = serializers.ChoiceField(choices=Redrive.State.choices)
    rate = serializers.IntegerField()
    total = serializers.IntegerField()
    sent = serializers.IntegerField()
    failed = serializers.IntegerField()
    last_error = serializers.CharField(allow_blank=True)


class RedriveListSerializer(serializers.Serializer[Any]):
    """The newest redrives of a stream's dead letters."""

    results = RedriveSerializer(many=True)


def selection_of(data: dict[str, Any]) -> Selection:
    """The selection of a validated request."""
    return Selection(tuple(data.get("ids") or ()), data.get("reason") or "", data["all"])


def value_of(data: dict[str, Any]) -> bytes | None:
    """The replacement value of a single dead letter; None: its own.

    Raises:
        ServiceError: invalid base64.
    """
    if data["value_base64"] is None:
        return None if data["value"] is None else str(data["value"]).encode()
    try:
        return base64.b64decode(data["value_base64"], validate=True)
    except (binascii.Error, ValueError) as error:
        raise ServiceError("RECORD_MALFORMED", "value_base64 isn't valid base64.") from error


def record_of(data: dict[str, Any], target: Stream) -> NewRecord | None:
    """The replacement record of a single dead letter, encoded for the target stream;
    None: the dead letter itself.

    Raises:
        ServiceError: it cannot be encoded.
    """
    if data["record"] is None:
        return None
    try:
        return build_record(data["record"], record_encoder(target))
    except InvalidRecordError as error:
        raise ServiceError("RECORD_MALFORMED", f"Invalid record: {error}") from error
