"""Services for jobs and runs; nothing else writes their tables (`weir.runs.report_handlers` writes what engines report)."""

from weir.runs.services.deletion import delete_job, finish_deletions
from weir.runs.services.reconciler import reconcile
from weir.runs.services.run_publisher import publish_run
from weir.runs.services.start import start_job
from weir.runs.services.stop import stop_job
from weir.runs.services.versions import add_version, create_job

__all__ = ["add_version", "create_job", "delete_job", "finish_deletions", "publish_run", "reconcile", "start_job", "stop_job"]
