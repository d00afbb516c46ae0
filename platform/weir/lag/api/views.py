"""Views of lag: current, and over the last hour."""

import time

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from jobs.base.instants import Instant, instant_text
from weir.lag.api.serializers import HistoryQuerySerializer, HistorySerializer, LagSerializer
from weir.lag.models import CurrentLag, LagPoint
from weir.lag.services.history import ALIAS
from weir.lag.services.tracker import COUNTERS
from weir.runs.services.queries import get_job
from weir.workspaces.api.base_view import WorkspaceView


class LagView(WorkspaceView):
    """Current lag."""

    @extend_schema(operation_id="lag_get", responses=LagSerializer)
    def get(self, request: Request, slug: str, job_id: str) -> Response:
        """Current lag per source and partition."""
        job = get_job(self.workspace, job_id)
        now = CurrentLag.objects.using(ALIAS).filter(pk=job.pk).first()
        payload = now.payload if now else {}
        return Response(
            {
                "at": instant_text(Instant(now.at_us)) if now else None,
                "sources": payload.get("sources", {}),
                "counts": payload.get("counts"),
                "watermark_us": payload.get("watermark_us"),
                "given": payload.get("given", {}),
                "steps": payload.get("steps", {}),
                "mirror_group": f"weir.{self.workspace.slug}.{job.name}",
            }
        )


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


class HistoryView(WorkspaceView):
    """Lag over time."""

    @extend_schema(
        operation_id="lag_history", parameters=[HistoryQuerySerializer], responses=HistorySerializer
    )
    def get(self, request: Request, slug: str, job_id: str) -> Response:
        """The last minutes of lag, rates, delay and state."""
        form = HistoryQuerySerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        job = get_job(self.workspace, job_id)
        since_us = time.time_ns() // 1000 - form.validated_data["minutes"] * 60_000_000
        points = LagPoint.objects.using(ALIAS).filter(job_id=job.pk, at_us__gte=since_us).order_by("at_us")
        rows = [
            {**row, "at": instant_text(Instant(row.pop("at_us")))}
            for row in points.values("at_us", *_MEASURES)
        ]
        return Response({"points": rows})
