"""The workspace at a glance."""

from typing import Any, Final

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from jobs.base.durations import seconds_text
from jobs.run_states import (
    FAILED,
    NEVER_STARTED,
    QUEUED,
    READING,
    RUNNING,
    STARTING,
    STOPPED,
    STOPPING,
    UNKNOWN,
    WAITING,
)
from weir.clusters.services.clusters import home_cluster
from weir.runs.api.overview_serializers import OverviewSerializer
from weir.runs.services.lag_health import Kind
from weir.runs.services.queries import engines_json, job_summaries, jobs_of
from weir.workspaces.api.base_view import WorkspaceView
from weir.workspaces.models import Event

_SLOW_S = 60
_BAD_HEALTH: Final[dict[object, str]] = {
    Kind.FALLING_BEHIND: "Falling behind: records are written faster than they are read.",
    Kind.STALLED: "Some partitions aren't read while others are.",
    Kind.STOPPED: "Records are waiting, and none are read.",
    Kind.LOSING: "Retention has deleted records that were not read.",
}


def _attention(row: dict[str, Any]) -> dict[str, Any] | None:
    found = _error(row)
    severity = "error" if found else "warning"
    reason = found or _warning(row)
    if not reason:
        return None
    return {"job_id": row["id"], "name": row["name"], "severity": severity, "reason": reason}


def _error(row: dict[str, Any]) -> str | None:
    """What does not get well by itself."""
    if row["observed"] == FAILED:
        return str(row["failure"]["message"]) if row["failure"] else "Failed."
    if row["observed"] in (UNKNOWN, QUEUED, WAITING):
        return None
    bad = _BAD_HEALTH.get((row["lag_health"] or {}).get("health"))
    return " ".join(filter(None, [_lagging(row), bad, _overloaded(row)])) if bad else None


def _warning(row: dict[str, Any]) -> str | None:
    if row["desired"] == RUNNING and row["observed"] == UNKNOWN:
        return _overloaded(row) or "No engine heartbeat."
    if row["observed"] == QUEUED:
        return str(row["failure"]["message"]) if row["failure"] else "Waiting for its start."
    if row["observed"] == WAITING:
        return "Waiting for Kafka."
    return _overloaded(row) or _lagging(row)


def _lagging(row: dict[str, Any]) -> str | None:
    """None also where no more is known than that it is at least so much: of a job that began at the earliest
    records.
    """
    seconds = (row["lag"] or {}).get("seconds")
    return f"Lags by {seconds_text(seconds)}." if seconds is not None and seconds > _SLOW_S else None


def _overloaded(row: dict[str, Any]) -> str | None:
    found = row["overload"]
    if found is None:
        return None
    return f"Overloaded: {found['cores_used']:.1f} of {found['cores']} cores of the engine's host are in use."


def _counts(states: list[str]) -> dict[str, int]:
    """How many jobs are in which states."""
    return {
        "running": sum(state in READING for state in states),
        "failed": states.count(FAILED),
        "waiting": sum(state in (WAITING, QUEUED, STARTING, STOPPING, UNKNOWN) for state in states),
        "stopped": sum(state in (STOPPED, NEVER_STARTED) for state in states),
        "total": len(states),
    }


def _rate(rates: list[float | None]) -> dict[str, Any]:
    """Records per second of all jobs that read and of which it is known; null if it is known of none of them.
    A job is unmeasured in its first seconds.
    """
    known = [rate for rate in rates if rate is not None]
    return {
        "rows_per_second": sum(known) if known or not rates else None,
        "unmeasured_jobs": len(rates) - len(known),
    }


def _lag(lags: list[float | None]) -> dict[str, Any]:
    """The greatest lag in time of those that are known; null if none is. Of the others nobody knows more than
    that it is at least so long.
    """
    known = [lag for lag in lags if lag is not None]
    return {"max_lag_seconds": max(known, default=None), "unmeasured_lags": len(lags) - len(known)}


class OverviewView(WorkspaceView):
    """The overview."""

    @extend_schema(operation_id="overview", responses=OverviewSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Job counts, jobs that need attention, throughput, lag, recent events, engines, broker."""
        rows = job_summaries(jobs_of(self.workspace))
        body = {
            "jobs": _counts([row["observed"] for row in rows]),
            "attention": [found for row in rows if (found := _attention(row))],
            **_rate([row["rows_per_second"] for row in rows if row["observed"] in READING]),
            **_lag([row["lag"]["seconds"] for row in rows if row["lag"]]),
            "events": Event.objects.of(self.workspace).order_by("-at")[:30],
            "engines": engines_json(self.workspace),
            "broker": home_cluster(),
        }
        return Response(OverviewSerializer(body).data)
