"""Views of lag: current, and over time."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from jobs.base.instants import Instant, instant_text
from weir.lag.api.history_serializers import HistoryQuerySerializer, JobHistorySerializer
from weir.lag.api.serializers import LagSerializer
from weir.lag.models import CurrentLag
from weir.lag.services.history_reading import job_history
from weir.lag.services.history_tables import ALIAS
from weir.runs.models import Run
from weir.runs.services.queries import get_job
from weir.workspaces.api.base_view import WorkspaceView


class LagView(WorkspaceView):
    """Current lag."""

    @extend_schema(operation_id="lag_get", responses=LagSerializer)
    def get(self, request: Request, slug: str, job_id: str) -> Response:
        """Current lag per source and partition."""
        job = get_job(self.workspace, job_id)
        runs = Run.objects.current().filter(generation__job=job).values_list("pk", flat=True)
        now = CurrentLag.objects.using(ALIAS).filter(pk=job.pk).first()
        if now is not None and now.payload.get("run_id") not in runs:
            now = None  # of a generation before: nothing is known yet of this one
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


class HistoryView(WorkspaceView):
    """Lag, rates, delays and state over time."""

    @extend_schema(
        operation_id="lag_history", parameters=[HistoryQuerySerializer], responses=JobHistorySerializer
    )
    def get(self, request: Request, slug: str, job_id: str) -> Response:
        """Points of a range: every 10 s of the last hour, every minute of the last day, every 15 min of
        30 days.
        """
        form = HistoryQuerySerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        return Response(job_history(get_job(self.workspace, job_id).pk, form.asked()))
