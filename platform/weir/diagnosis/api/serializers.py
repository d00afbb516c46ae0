"""Serializers of the diagnosis."""

from typing import Any, get_args

from rest_framework import serializers

from weir.diagnosis.services.finding import Basis, FactKind, PlaceKind, Status
from weir.diagnosis.services.input_reader import State
from weir.streams.api.record_serializers import RecordSerializer
from weir.workspaces.api.request_fields import StrictSerializer

MAX_KEY_CHARS = 100_000


class DiagnosisQuerySerializer(serializers.Serializer[Any]):
    """What is asked about.

    `key`: only rows of this key: its value as text, or a JSON list of values. `output`: name of an output;
    without it the result, or the first one where the job has none.
    """

    key = serializers.CharField(required=False, default="", allow_blank=True, max_length=1_000)
    output = serializers.CharField(required=False, default="", allow_blank=True, max_length=100)


class DiagnosedOutputSerializer(serializers.Serializer[Any]):
    """An output; `topic` is null for the result."""

    name = serializers.CharField()
    topic = serializers.CharField(allow_null=True)


class PlaceSerializer(serializers.Serializer[Any]):
    """A place of the walk from source to output; `name` is that of the source or step, otherwise empty."""

    kind = serializers.ChoiceField(choices=get_args(PlaceKind))
    name = serializers.CharField(allow_blank=True)


class FactSerializer(serializers.Serializer[Any]):
    """A piece of evidence. `value` by `kind`: a number, a share from 0 to 1, seconds, an instant in UTC, a
    text.
    """

    label = serializers.CharField()  # type: ignore[assignment]  # a field's name on the wire
    kind = serializers.ChoiceField(choices=get_args(FactKind))
    value = serializers.JSONField()


class CauseSerializer(serializers.Serializer[Any]):
    """The first cause. `waits`: nothing is wrong, output comes by itself. `basis`: what the cause rests on:
    what engines reported, what the broker says now, or the newest records.
    """

    code = serializers.CharField()
    title = serializers.CharField()
    text = serializers.CharField()
    remedy = serializers.CharField(allow_blank=True)
    place = PlaceSerializer()
    facts = FactSerializer(many=True)
    basis = serializers.ChoiceField(choices=get_args(Basis))
    waits = serializers.BooleanField()


class CheckedPlaceSerializer(serializers.Serializer[Any]):
    """A place of the walk, and what was seen there; places behind the cause were not checked."""

    place = PlaceSerializer()
    status = serializers.ChoiceField(choices=get_args(Status))
    text = serializers.CharField(allow_blank=True)


class DiagnosisSerializer(serializers.Serializer[Any]):
    """Why an output gets no rows now, or that it does. `outputs`: all that can be asked about; `output` is
    the one that this answer is about, empty for a document with errors.
    """

    at = serializers.CharField()
    output = serializers.CharField(allow_blank=True)
    outputs = DiagnosedOutputSerializer(many=True)
    cause = CauseSerializer()
    checks = CheckedPlaceSerializer(many=True)


class RowKeySerializer(StrictSerializer):
    """A row of the result. `key`: its identity as JSON text, as rows of the live protocol have it."""

    key = serializers.CharField(max_length=MAX_KEY_CHARS)


class DoubtSerializer(serializers.Serializer[Any]):
    """A step or source that can't be followed with certainty; `reason` is the rest of a sentence."""

    step = serializers.CharField()
    reason = serializers.CharField()


class InputBoundsSerializer(serializers.Serializer[Any]):
    """Which records of a source were looked for: by values of fields, by event time (`until` excluded), or a
    single one by partition and offset.
    """

    equal = serializers.DictField()
    until = serializers.CharField(allow_null=True)
    partition = serializers.IntegerField(allow_null=True)
    offset = serializers.IntegerField(allow_null=True)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """`from` is a word of Python, so it is added here."""
        return {**super().get_fields(), "from": serializers.CharField(allow_null=True)}


class RowSourceSerializer(serializers.Serializer[Any]):
    """What made the row of one source: the newest records, newest first, of `total` ones (null: unknown).

    `read`: records that were looked at, back to the Kafka timestamp `oldest`. `complete`: Kafka has no older
    ones that may be part of it. `expired`: some that may be part of it are no longer in Kafka. `state`
    says why a source could not be read; `not_needed`: the row has no record of it.
    """

    source = serializers.CharField()  # type: ignore[assignment]  # a field's name on the wire
    stream = serializers.CharField()
    is_table = serializers.BooleanField()
    state = serializers.ChoiceField(choices=get_args(State))
    detail = serializers.CharField(allow_blank=True)
    bounds = InputBoundsSerializer(many=True)
    records = RecordSerializer(many=True)
    total = serializers.IntegerField(allow_null=True)
    read = serializers.IntegerField()
    complete = serializers.BooleanField()
    expired = serializers.BooleanField()
    oldest = serializers.CharField(allow_null=True)
    unreadable = serializers.IntegerField()


class RowInputsSerializer(serializers.Serializer[Any]):
    """How a row came about.

    `known`: whether its records could be followed at all. `exact`: these and no others made it. `doubts`:
    why not, by step or source. `partial`: its window lacks rows. `newest_input`: Kafka
    timestamp of the newest record inside it; records after it are not looked at.
    """

    key = serializers.ListField(child=serializers.JSONField(allow_null=True))
    value = serializers.DictField()
    partial = serializers.BooleanField()  # type: ignore[assignment]  # a field, although serializers have a flag of that name
    newest_input = serializers.CharField()
    version = serializers.IntegerField()
    output = serializers.CharField()
    known = serializers.BooleanField()
    exact = serializers.BooleanField()
    doubts = DoubtSerializer(many=True)
    sources = RowSourceSerializer(many=True)
