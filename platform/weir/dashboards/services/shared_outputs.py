"""What links may show now: read again and again while somebody watches (`weir.live.rights`)."""

from collections.abc import Collection
from dataclasses import dataclass

from django.utils import timezone

from weir.dashboards.models import ShareLink
from weir.runs.models import Job


@dataclass(frozen=True, slots=True)
class SharedOutputs:
    """The results that a link shows: those of its panels' jobs, while they are in the dashboard's workspace.

    Attributes:
        workspace_id: of the dashboard.
        jobs: ids of jobs; a job has one live result.
    """

    workspace_id: int
    jobs: frozenset[str]


def shared_outputs(link_ids: Collection[str]) -> dict[str, SharedOutputs]:
    """The outputs by link id, of links that have neither expired nor been revoked.

    Two queries, however many links there are.
    """
    rows = ShareLink.objects.filter(pk__in=link_ids, revoked_at=None, expires_at__gt=timezone.now())
    named = {
        link_id: (workspace_id, {panel["job"] for panel in document["panels"]})
        for link_id, workspace_id, document in rows.values_list(
            "pk", "dashboard__workspace_id", "dashboard__document"
        )
    }
    wanted = {job_id for _, jobs in named.values() for job_id in jobs}
    present = Job.objects.user_jobs().filter(pk__in=wanted)
    home = dict(present.values_list("pk", "workspace_id"))
    return {
        link_id: SharedOutputs(
            workspace_id, frozenset(job_id for job_id in jobs if home.get(job_id) == workspace_id)
        )
        for link_id, (workspace_id, jobs) in named.items()
    }
