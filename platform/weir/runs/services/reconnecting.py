"""Jobs take a cluster's changed connection: those that read from it stop at a batch's end and go on with it where they were."""

from typing import Any

import structlog

from weir.runs.models import Desired, Job
from weir.runs.services.starting import start_job
from weir.runs.services.stopping import stop_job
from weir.streams.models import StreamUse
from weir.workspaces.models import User
from weir.workspaces.refusals import RefusalError

_LOG = structlog.get_logger("weir.reconnecting")


def reconnect(cluster_id: str, actor: User, **_: Any) -> list[str]:
    """Stop and resume every running job that reads from this cluster; the names of those that could not be resumed.

    A job that cannot be resumed stays stopped, with the reason among its events: its topic may be another one behind the new address.
    """
    ids = StreamUse.objects.filter(stream__cluster=cluster_id).values_list("job_id", flat=True)
    failed = []
    for job in Job.objects.filter(pk__in=list(ids), desired=Desired.RUNNING):
        stop_job(job, actor)
        try:
            start_job(job, actor, "resume")
        except RefusalError as error:
            _LOG.warning("a job could not go on with its cluster's new connection", job=job.id, error=error.detail)
            failed.append(job.name)
    return failed
