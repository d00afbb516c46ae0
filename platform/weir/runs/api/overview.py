"""The workspace at a glance."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from weir.clusters.services import home_cluster
from weir.runs.api.selectors import engines_json, job_summaries, jobs_of
from weir.runs.api.serializers import EngineSerializer
from weir.workspaces.base_view import WorkspaceView
from weir.workspaces.models import Event

_RUNNING = ("running", "replaying")
_SLOW_S = 60


class JobCountsSerializer(serializers.Serializer[Any]):
    """How many jobs are in which state."""

    running = serializers.IntegerField()
    failed = serializers.IntegerField()
    waiting = serializers.IntegerField()
    stopped = serializers.IntegerField()
    total = serializers.IntegerField()


class AttentionSerializer(serializers.Serializer[Any]):
    """A job that needs attention, and the reason."""

    job_id = serializers.CharField()
    name = serializers.CharField()
    reason = serializers.CharField()


class EventSerializer(serializers.Serializer[Any]):
    """An event; `job_id` is null when it is about no job."""

    at = serializers.DateTimeField()
    kind = serializers.CharField()
    text = serializers.CharField()
    actor = serializers.CharField(allow_blank=True)
    job_id = serializers.SerializerMethodField()

    def get_job_id(self, event: Event) -> str | None:
        """The job of the event."""
        return event.subject if event.kind == "job" else None


class BrokerSerializer(serializers.Serializer[Any]):
    """Whether the home cluster answered when last asked."""

    reachable = serializers.BooleanField(allow_null=True)
    checked_at = serializers.DateTimeField(allow_null=True)
    error = serializers.CharField(allow_blank=True)


class OverviewSerializer(serializers.Serializer[Any]):
    """The workspace at a glance; never waits for a broker."""

    jobs = JobCountsSerializer()
    attention = AttentionSerializer(many=True)
    rows_per_second = serializers.FloatField()
    max_lag_seconds = serializers.FloatField(allow_null=True)
    events = EventSerializer(many=True)
    engines = EngineSerializer(many=True)
    broker = BrokerSerializer()


def _attention_reason(row: dict[str, Any]) -> str | None:
    if row["observed"] == "failed":
        return str(row["failure"]["message"]) if row["failure"] else "Failed."
    if row["desired"] == "running" and row["observed"] == "unknown":
        return "No engine heartbeat."
    if row["observed"] == "waiting":
        return "Waiting for Kafka."
    seconds = (row["lag"] or {}).get("seconds")
    if seconds is not None and seconds > _SLOW_S:
        return f"Lags by {seconds:.0f} s."
    return None


class OverviewView(WorkspaceView):
    """The overview."""

    @extend_schema(operation_id="overview", responses=OverviewSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Job counts, jobs that need attention, throughput, lag, recent events, engines, broker."""
        rows = job_summaries(jobs_of(self.workspace))
        states = [row["observed"] for row in rows]
        lags = [row["lag"]["seconds"] for row in rows if row["lag"] and row["lag"]["seconds"] is not None]
        body = {
            "jobs": {
                "running": sum(state in _RUNNING for state in states),
                "failed": states.count("failed"),
                "waiting": sum(state in ("waiting", "starting", "stopping", "unknown") for state in states),
                "stopped": sum(state in ("stopped", "never_started") for state in states),
                "total": len(rows),
            },
            "attention": [
                {"job_id": row["id"], "name": row["name"], "reason": reason} for row in rows if (reason := _attention_reason(row))
            ],
            "rows_per_second": sum(row["rows_per_second"] for row in rows),
            "max_lag_seconds": max(lags, default=None),
            "events": Event.objects.of(self.workspace).order_by("-at")[:30],
            "engines": engines_json(self.workspace),
            "broker": home_cluster(),
        }
        return Response(OverviewSerializer(body).data)
