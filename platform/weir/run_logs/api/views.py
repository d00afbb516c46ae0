"""View of logs."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.retention import LOG_LINE_RETENTION, LOG_LINES_PER_RUN
from weir.run_logs.api.serializers import LoggedRunSerializer, LogPageSerializer, LogQuerySerializer
from weir.run_logs.models import RunLogLine
from weir.run_logs.services.queries import line_json, page, run_of, runs_of, why_empty
from weir.runs.services.queries import get_job
from weir.workspaces.api.base_view import WorkspaceView


class LogView(WorkspaceView):
    """What engines log about the runs of a job."""

    @extend_schema(operation_id="job_logs", parameters=[LogQuerySerializer], responses=LogPageSerializer)
    def get(self, request: Request, slug: str, job_id: str) -> Response:
        """A page of lines about one run, newest first.

        Only lines that are surely about this run are shown.
        """
        form = LogQuerySerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        job = get_job(self.workspace, job_id)
        run = run_of(job, asked["run"])
        lines: list[RunLogLine] = []
        cursor = None
        if run is not None:
            lines, cursor = page(run, form.wanted(), asked["cursor"], asked["limit"])
        return Response(
            {
                "run": run.pk if run else None,
                "runs": LoggedRunSerializer(runs_of(job), many=True).data,
                "lines": [line_json(line) for line in lines],
                "cursor": cursor,
                "empty": None if lines else why_empty(run),
                "max_lines": LOG_LINES_PER_RUN,
                "kept_days": LOG_LINE_RETENTION.days,
            }
        )
