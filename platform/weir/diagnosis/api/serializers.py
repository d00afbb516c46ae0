"""Serializers of the diagnosis."""

from typing import Any, get_args

from rest_framework import serializers

from weir.diagnosis.services.finding import Basis, FactKind, PlaceKind, Status


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
    """Why a job gives no output now, or that it does."""

    at = serializers.CharField()
    cause = CauseSerializer()
    checks = CheckedPlaceSerializer(many=True)
