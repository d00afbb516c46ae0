"""Serializers of history, of jobs and of consumer groups."""

from typing import Any, Final

from rest_framework import serializers

from jobs.base.instants import instant_of
from weir.lag.services.history import JOB_POINTS
from weir.lag.services.history_reading import HistoryRange

_MAX_MINUTES: Final = 30 * 24 * 60


class HistoryQuerySerializer(serializers.Serializer[Any]):
    """Which range of a history."""

    minutes = serializers.IntegerField(min_value=1, max_value=_MAX_MINUTES, default=60)
    until = serializers.DateTimeField(required=False, default=None, help_text="where it ends; now if omitted")

    def asked(self) -> HistoryRange:
        """The range, after validation."""
        until = self.validated_data["until"]
        return HistoryRange.of(self.validated_data["minutes"], instant_of(until) if until else None)


class MeasureSerializer(serializers.Serializer[Any]):
    """A measure at each of the times: mean, least and greatest of the span; null if nothing was measured."""

    avg = serializers.ListField(child=serializers.FloatField(allow_null=True))
    min = serializers.ListField(child=serializers.FloatField(allow_null=True))
    max = serializers.ListField(child=serializers.FloatField(allow_null=True))


class HistorySerializer(serializers.Serializer[Any]):
    """Points as columns, oldest first. Each begins at its `at` and stands for `resolution_s`; where one is
    missing, nothing was measured.
    """

    resolution_s = serializers.IntegerField()
    until = serializers.DateTimeField()
    at = serializers.ListField(child=serializers.DateTimeField())

    def get_fields(self) -> dict[str, Any]:
        """`from` is no name that Python allows for a field."""
        return {"from": serializers.DateTimeField(), **super().get_fields()}


def _measures(names: tuple[str, ...], name: str) -> type[serializers.Serializer[Any]]:
    return type(name, (serializers.Serializer,), {measure: MeasureSerializer() for measure in names})


class JobHistoryCountsSerializer(serializers.Serializer[Any]):
    """Counted in each span."""

    malformed = serializers.ListField(child=serializers.IntegerField())
    late = serializers.ListField(child=serializers.IntegerField())
    expression_nulls = serializers.ListField(child=serializers.IntegerField())
    limit_reached = serializers.ListField(child=serializers.IntegerField())


JobMeasuresSerializer = _measures(JOB_POINTS.measures, "JobMeasuresSerializer")


class JobHistorySerializer(HistorySerializer):
    """History of a job."""

    measures = JobMeasuresSerializer()
    counts = JobHistoryCountsSerializer()
