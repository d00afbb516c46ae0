"""Serializers of the diagnosis."""

from typing import Any, get_args

from rest_framework import serializers

from weir.diagnosis.services.finding import Basis, FactKind, PlaceKind, Status


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
