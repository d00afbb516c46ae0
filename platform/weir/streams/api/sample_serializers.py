"""Serializers of what a sample of a stream's newest records tells."""

from typing import Any, Final

from rest_framework import serializers

MOST_RECORDS: Final = 10_000


class SampleQuerySerializer(serializers.Serializer[Any]):
    """How many of the newest records are read."""

    records = serializers.IntegerField(min_value=1, max_value=MOST_RECORDS, default=2_000)


class FrequentValueSerializer(serializers.Serializer[Any]):
    """A value, and in how many records it is."""

    value = serializers.JSONField()
    records = serializers.IntegerField()


class FieldProfileSerializer(serializers.Serializer[Any]):
    """Values of a field. Long values are cut. `distinct`, `lowest` and `highest` are null for arrays, maps
    and structs, `top` is empty where all values differ.
    """

    name = serializers.CharField()
    type = serializers.CharField()
    nulls = serializers.IntegerField()
    distinct = serializers.IntegerField(allow_null=True)
    lowest = serializers.JSONField(allow_null=True)
    highest = serializers.JSONField(allow_null=True)
    top = FrequentValueSerializer(many=True)
    example = serializers.JSONField(allow_null=True)


class StreamProfileSerializer(serializers.Serializer[Any]):
    """Fields of the newest records. `rows`: the well-formed ones of the `records` that were decoded."""

    records = serializers.IntegerField()
    rows = serializers.IntegerField()
    malformed = serializers.IntegerField()
    newest = serializers.CharField(allow_null=True)
    oldest = serializers.CharField(allow_null=True)
    fields = FieldProfileSerializer(many=True)  # type: ignore[assignment]  # the contract's own word


class BehindSerializer(serializers.Serializer[Any]):
    """By how much at least this share of the records is not further behind."""

    quantile = serializers.FloatField()
    seconds = serializers.FloatField()


class LateShareSerializer(serializers.Serializer[Any]):
    """Share of records that are behind by more than a delay, 0 to 1."""

    delay_seconds = serializers.FloatField()
    share = serializers.FloatField()


class PartitionLatenessSerializer(serializers.Serializer[Any]):
    """How far the records of one partition are behind; `later_seconds` of it because they all come later."""

    partition = serializers.IntegerField()
    records = serializers.IntegerField()
    p99_seconds = serializers.FloatField()
    max_seconds = serializers.FloatField()
    later_seconds = serializers.FloatField()


class KeyLatenessSerializer(serializers.Serializer[Any]):
    """How far the records of one key are behind."""

    key = serializers.CharField()
    records = serializers.IntegerField()
    max_seconds = serializers.FloatField()


class LatenessSerializer(serializers.Serializer[Any]):
    """How far out of order records come, at several places of the last hours.

    A record is behind by how much its event time is smaller than the greatest before it in its partition,
    plus how much later its partition's records come than those of the quickest one; steps drop rows that
    are behind by more than the delay, if their window has closed by then, so `late` is an upper bound.
    `proposed_seconds`: the smallest delay of `late` that makes at most 0.1 % late; null: none does, or
    `span_seconds` of Kafka timestamps is below `min_span_seconds`.
    """

    records = serializers.IntegerField()
    span_seconds = serializers.FloatField()
    min_span_seconds = serializers.FloatField()
    slices = serializers.IntegerField()
    delay_seconds = serializers.FloatField(allow_null=True)
    delay_share = serializers.FloatField(allow_null=True)
    behind = BehindSerializer(many=True)
    late = LateShareSerializer(many=True)
    proposed_seconds = serializers.FloatField(allow_null=True)
    partitions = PartitionLatenessSerializer(many=True)
    keys = KeyLatenessSerializer(many=True)
