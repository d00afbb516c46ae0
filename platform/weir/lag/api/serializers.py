"""Serializers of lag."""

from typing import Any

from rest_framework import serializers

from weir.runs.api.job_serializers import MalformedExampleSerializer


class PartitionLagSerializer(serializers.Serializer[Any]):
    """One partition. Lag is relative to the furthest known position; `lower_bound`:
    `seconds` is a lower bound.
    """

    partition = serializers.IntegerField()
    committed = serializers.IntegerField(allow_null=True)
    fetched = serializers.IntegerField(allow_null=True)
    end = serializers.IntegerField(allow_null=True)
    records = serializers.IntegerField(allow_null=True)
    seconds = serializers.FloatField(allow_null=True)
    lower_bound = serializers.BooleanField(required=False)


class SourceLagSerializer(serializers.Serializer[Any]):
    """One source: the sum of its partitions' lag in records, and the greatest lag in seconds; null where that
    of one of them is, and seconds where those of one are a lower bound, too. `watermark_us`
    is its newest event time less its watermark delay; of those of all sources the watermark policy makes the
    job's watermark. Null for a source without a delay, and before its first row.
    """

    partitions = PartitionLagSerializer(many=True)
    records = serializers.IntegerField(allow_null=True)
    seconds = serializers.FloatField(allow_null=True)
    watermark_us = serializers.IntegerField(allow_null=True, required=False)


class SkippedReasonSerializer(serializers.Serializer[Any]):
    """Malformed records of one reason, and the newest known of them."""

    reason = serializers.CharField()
    records = serializers.IntegerField()
    example = MalformedExampleSerializer(allow_null=True)


class SourceCountsSerializer(serializers.Serializer[Any]):
    """Records that were read of a source, and the malformed ones of them by reason, most frequent first."""

    records = serializers.IntegerField()
    malformed = serializers.IntegerField()
    reasons = SkippedReasonSerializer(many=True)


class StepCountsSerializer(serializers.Serializer[Any]):
    """Rows of one step with a null because an expression failed, and because a measure passed its limit; late
    rows, at least so many, and rows left out because their key has a null, both null where not counted.
    """

    expression_nulls = serializers.IntegerField()
    limit_reached = serializers.IntegerField()
    late = serializers.IntegerField(allow_null=True, required=False)
    keyless = serializers.IntegerField(allow_null=True, required=False)


class RunCountsSerializer(serializers.Serializer[Any]):
    """What the current generation has counted; 0 `batches`: nothing is known yet. Records that are read
    again after a crash are counted again; `late` is a lower bound, and 0 only where none was late. `steps`
    are those that the engine has named, and `given` the rows that each node or node.port gave, tombstones
    included, where they are counted; both are missing until the relay has stored a point.
    """

    batches = serializers.IntegerField()
    rows_in = serializers.IntegerField()
    rows_out = serializers.IntegerField()
    late = serializers.IntegerField()
    expression_nulls = serializers.IntegerField()
    sources = serializers.DictField(child=SourceCountsSerializer())
    steps = serializers.DictField(child=StepCountsSerializer(), required=False)
    given = serializers.DictField(child=serializers.IntegerField(), required=False)


class StepStateSerializer(serializers.Serializer[Any]):
    """What a step with state keeps."""

    state_rows = serializers.IntegerField()
    state_bytes = serializers.IntegerField()


class LagSerializer(serializers.Serializer[Any]):
    """A job's lag, and what it has counted. `mirror_group` is the consumer group that shows its committed
    positions to Kafka's own tools. `given` are rows per second that each node or node.port gave over the
    batches of the last minute, `steps` what each step keeps; what is missing or null is unknown.
    """

    at = serializers.CharField(allow_null=True)
    sources = serializers.DictField(child=SourceLagSerializer())
    mirror_group = serializers.CharField()
    counts = RunCountsSerializer(allow_null=True)
    watermark_us = serializers.IntegerField(allow_null=True)
    given = serializers.DictField(child=serializers.FloatField(allow_null=True))
    steps = serializers.DictField(child=StepStateSerializer())
