"""The verbs about jobs and runs; nothing else writes their tables (`weir.runs.observe` writes what engines report)."""

from weir.runs.services.deleting import delete_job, finish_deletions
from weir.runs.services.documents import add_version, create_job
from weir.runs.services.publishing import publish_run
from weir.runs.services.reconciling import reconcile
from weir.runs.services.starting import start_job
from weir.runs.services.stopping import stop_job

__all__ = ["add_version", "create_job", "delete_job", "finish_deletions", "publish_run", "reconcile", "start_job", "stop_job"]
