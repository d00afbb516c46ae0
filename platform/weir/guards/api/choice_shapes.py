"""What goes in and out of the routes that choose letters, and edit, drop or send them again."""

import base64
import binascii
from typing import Any

from rest_framework import serializers

from weir.guards.edits import MOST_STEPS
from weir.guards.models import Redrive
from weir.guards.services.choosing import Choice
from weir.guards.services.redriving import MOST_PER_SECOND
from weir.streams.api.records import NewRecordSerializer
from weir.streams.models import Stream
from weir.streams.record_input import InvalidRecordError, NewRecord, build_record, record_encoder
from weir.workspaces.errors import ServiceError


class ChoiceSerializer(serializers.Serializer[Any]):
    """Which letters: some by id, those of a reason, or all; only such as wait."""

    letters = serializers.ListField(child=serializers.IntegerField(min_value=0, max_value=2**63 - 1), required=False, max_length=1_000)
    reason = serializers.CharField(required=False, max_length=40)
    all = serializers.BooleanField(required=False, default=False)


class DropSerializer(ChoiceSerializer):
    """Which letters to give up, and why."""

    why = serializers.CharField(max_length=500)


class DroppedSerializer(serializers.Serializer[Any]):
    """How many were dropped."""

    dropped = serializers.IntegerField()


class StepSerializer(serializers.Serializer[Any]):
    """A step of an edit. `set` {field, value, only_missing}, `remove` {field}, `rename` {field, to}: a field of the JSON object that a
    letter holds, with points between names for one within another. `replace` {text, by}: every occurrence of a text.
    """

    do = serializers.ChoiceField(choices=["set", "remove", "rename", "replace"])
    field = serializers.CharField(required=False, max_length=200, trim_whitespace=False)
    value = serializers.JSONField(required=False, allow_null=True)
    only_missing = serializers.BooleanField(required=False)
    to = serializers.CharField(required=False, max_length=200, trim_whitespace=False)
    text = serializers.CharField(required=False, max_length=1_000, trim_whitespace=False)
    by = serializers.CharField(required=False, allow_blank=True, max_length=1_000, trim_whitespace=False)


class EditedChoiceSerializer(ChoiceSerializer):
    """Which letters, what is changed in each of them, and which stream they are to fit then."""

    to = serializers.CharField(required=False, allow_null=True, default=None, max_length=63, help_text="a stream; null: the original one")
    edit = StepSerializer(many=True, required=False, default=list, help_text=f"at most {MOST_STEPS} operations")


class EditedSampleSerializer(serializers.Serializer[Any]):
    """A letter before and after the edit, both cut where they are long; `after` null and `why` said where it cannot be edited.

    `fits`: it would be sent; otherwise `why` says why it would wait again.
    """

    id = serializers.IntegerField()
    partition = serializers.IntegerField()
    offset = serializers.IntegerField()
    before = serializers.CharField(allow_null=True, allow_blank=True)
    before_is_text = serializers.BooleanField()
    after = serializers.CharField(allow_null=True, allow_blank=True)
    fits = serializers.BooleanField()
    why = serializers.CharField(allow_blank=True)


class EditPreviewSerializer(serializers.Serializer[Any]):
    """What an edit would do: `waiting` letters are chosen, the newest `looked` of them were tried, and `fit` of these would be sent."""

    waiting = serializers.IntegerField()
    looked = serializers.IntegerField()
    fit = serializers.IntegerField()
    samples = EditedSampleSerializer(many=True)


class NewRedriveSerializer(EditedChoiceSerializer):
    """Which letters to send again, where to and how fast, and what is changed in each (`edit`).

    `value` (text) or `value_base64`: instead of a single letter's own value. `record`: instead of the whole letter, its value, key and
    headers; what is left out of it is null, or none. With another key it goes to that key's partition.
    """

    rate = serializers.IntegerField(required=False, default=100, min_value=1, max_value=MOST_PER_SECOND, help_text="records per second")
    value = serializers.CharField(required=False, allow_null=True, default=None, max_length=1_000_000, trim_whitespace=False)
    value_base64 = serializers.CharField(required=False, allow_null=True, default=None, max_length=1_400_000)
    record = NewRecordSerializer(required=False, allow_null=True, default=None)


class RedriveSerializer(serializers.Serializer[Any]):
    """How far a redrive is. `sent` are in Kafka; `refused` could not be sent and wait again, each with a note."""

    id = serializers.CharField()
    to = serializers.CharField(allow_null=True)
    edited = serializers.BooleanField()
    edit = serializers.ListField(child=serializers.CharField(), help_text="description of the edit of every record")
    made_by = serializers.CharField()
    made_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    state = serializers.ChoiceField(choices=Redrive.State.choices)
    rate = serializers.IntegerField()
    total = serializers.IntegerField()
    sent = serializers.IntegerField()
    refused = serializers.IntegerField()
    trouble = serializers.CharField(allow_blank=True)


class RedriveListSerializer(serializers.Serializer[Any]):
    """The newest redrives of a stream's letters."""

    results = RedriveSerializer(many=True)


def choice_of(wanted: dict[str, Any]) -> Choice:
    """Which letters are meant."""
    return Choice(tuple(wanted.get("letters") or ()), wanted.get("reason") or "", wanted["all"])


def value_of(wanted: dict[str, Any]) -> bytes | None:
    """What is sent instead of a single letter's value; None: its own.

    Raises:
        ServiceError: base64 that is none.
    """
    if wanted["value_base64"] is None:
        return None if wanted["value"] is None else str(wanted["value"]).encode()
    try:
        return base64.b64decode(wanted["value_base64"], validate=True)
    except (binascii.Error, ValueError) as error:
        raise ServiceError("RECORD_MALFORMED", "value_base64 isn't valid base64.") from error


def record_of(wanted: dict[str, Any], target: Stream) -> NewRecord | None:
    """What is sent instead of a single letter, written as the records of the stream that it goes to; None: the letter.

    Raises:
        ServiceError: it cannot be made.
    """
    if wanted["record"] is None:
        return None
    try:
        return build_record(wanted["record"], record_encoder(target))
    except InvalidRecordError as error:
        raise ServiceError("RECORD_MALFORMED", f"Invalid record: {error}") from error
