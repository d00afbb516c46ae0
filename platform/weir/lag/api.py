"""Views of lag: current, and over the last hour."""

import time
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from jobs.base.instants import Instant, instant_text
from weir.lag.models import CurrentLag, LagPoint
from weir.lag.services import ALIAS
from weir.lag.tracker import COUNTERS
from weir.runs.api.selectors import get_job
from weir.workspaces.base_view import WorkspaceView


class PartitionLagSerializer(serializers.Serializer[Any]):
    """One partition. Lag is relative to the furthest known position; `lower_bound`: `seconds` is a lower bound."""

    partition = serializers.IntegerField()
    committed = serializers.IntegerField(allow_null=True)
    fetched = serializers.IntegerField(allow_null=True)
    end = serializers.IntegerField(allow_null=True)
    records = serializers.IntegerField(allow_null=True)
    seconds = serializers.FloatField(allow_null=True)
    lower_bound = serializers.BooleanField(required=False)


class SourceLagSerializer(serializers.Serializer[Any]):
    """One source: the sum of its partitions' lag in records, and the greatest lag in seconds."""

    partitions = PartitionLagSerializer(many=True)
    records = serializers.IntegerField(allow_null=True)
    seconds = serializers.FloatField(allow_null=True)


class LagSerializer(serializers.Serializer[Any]):
    """A job's lag. `mirror_group` is the consumer group that shows its committed positions to Kafka's own tools."""

    at = serializers.CharField(allow_null=True)
    sources = serializers.DictField(child=SourceLagSerializer())
    mirror_group = serializers.CharField()


class LagView(WorkspaceView):
    """Current lag."""

    @extend_schema(operation_id="lag_get", responses=LagSerializer)
    def get(self, request: Request, slug: str, job_id: str) -> Response:
        """Current lag per source and partition."""
        job = get_job(self.workspace, job_id)
        now = CurrentLag.objects.using(ALIAS).filter(pk=job.pk).first()
        return Response(
            {
                "at": instant_text(Instant(now.at_us)) if now else None,
                "sources": now.payload["sources"] if now else {},
                "mirror_group": f"weir.{self.workspace.slug}.{job.name}",
            }
        )


class HistoryQuerySerializer(serializers.Serializer[Any]):
    """Period of the history."""

    minutes = serializers.IntegerField(min_value=1, max_value=60, default=60)


class PointSerializer(serializers.Serializer[Any]):
    """One point; null if nothing was measured."""

    at = serializers.CharField()
    lag_records = serializers.IntegerField(allow_null=True)
    lag_seconds = serializers.FloatField(allow_null=True)
    rows_in_per_second = serializers.FloatField(allow_null=True)
    rows_out_per_second = serializers.FloatField(allow_null=True)
    latency_ms_p50 = serializers.FloatField(allow_null=True)
    state_rows = serializers.IntegerField(allow_null=True)
    state_bytes = serializers.IntegerField(allow_null=True)
    malformed = serializers.IntegerField()
    late = serializers.IntegerField()
    expression_nulls = serializers.IntegerField()
    limit_reached = serializers.IntegerField()


_MEASURES = (
    "lag_records",
    "lag_seconds",
    "rows_in_per_second",
    "rows_out_per_second",
    "latency_ms_p50",
    "state_rows",
    "state_bytes",
    *COUNTERS,
)


class HistorySerializer(serializers.Serializer[Any]):
    """Points, oldest first, about two seconds apart."""

    points = PointSerializer(many=True)


class HistoryView(WorkspaceView):
    """Lag over time."""

    @extend_schema(operation_id="lag_history", parameters=[HistoryQuerySerializer], responses=HistorySerializer)
    def get(self, request: Request, slug: str, job_id: str) -> Response:
        """The last minutes of lag, rates, delay and state."""
        form = HistoryQuerySerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        job = get_job(self.workspace, job_id)
        since_us = time.time_ns() // 1000 - form.validated_data["minutes"] * 60_000_000
        points = LagPoint.objects.using(ALIAS).filter(job_id=job.pk, at_us__gte=since_us).order_by("at_us")
        rows = [{**row, "at": instant_text(Instant(row.pop("at_us")))} for row in points.values("at_us", *_MEASURES)]
        return Response({"points": rows})
