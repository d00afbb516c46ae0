"""Celery tasks: short, idempotent commands. What fails here for want of a broker is done by a later tick."""

from datetime import timedelta
from typing import Final

import structlog
from celery import shared_task
from django.db import transaction
from django.utils import timezone

from jobs.messages import Failure
from weir.clusters.clients import home_profile, shared_producer
from weir.clusters.models import Cluster
from weir.clusters.topics import ForeignTopicError
from weir.runs.models import Desired, Engine, Observed, Run
from weir.runs.services import connection_rollout, engines, reconciler
from weir.runs.services.deletion import finish_deletion as finish
from weir.runs.services.generation_setup import prepare_generation
from weir.runs.services.run_publisher import ensure_system_topics, publish_run, publish_tombstone
from weir.runs.services.states import note_state
from weir.runs.task_queue import TEND_ENGINE, enqueue
from weir.workspaces.errors import NotFoundError, ServiceError
from weir.workspaces.models import User
from weir.workspaces.one_time_tokens import delete_expired

_LOG: Final = structlog.get_logger("weir.tasks")
_ENGINE_ROWS_KEPT: Final = timedelta(days=7)


@shared_task
def start_run(run_id: str) -> None:
    """Ensure that the run's engine is there, prepare its generation, publish it as it should be."""
    run = _run(run_id)
    if run is None or run.engine is None:
        return
    if run.engine.state in (Engine.State.STOPPED, Engine.State.LOST):
        enqueue(TEND_ENGINE, run.engine.id, queue=run.engine.host_queue)
    try:
        if run.desired == Desired.RUNNING:
            prepare_generation(run.generation)
        publish_run(run)
    except (NotFoundError, ForeignTopicError) as error:
        with transaction.atomic():
            note_state(run, Observed.FAILED, Failure(code=error.code, message=error.detail, permanent=True))
    except ServiceError as error:
        _LOG.warning("the run is not published yet", run=run_id, error=error.detail)


@shared_task
def publish_desired(run_id: str) -> None:
    """Publish a run as it should be."""
    run = _run(run_id)
    if run is None:
        return
    try:
        publish_run(run)
    except ServiceError as error:
        _LOG.warning("the run is not published yet", run=run_id, error=error.detail)


@shared_task
def forget_run(run_id: str) -> None:
    """Tell engines that there is no such run: one of them names it, and the database does not know it."""
    if Run.objects.filter(pk=run_id).exists():
        return
    try:
        publish_tombstone(run_id)
    except ServiceError as error:
        _LOG.warning("the run is not forgotten yet", run=run_id, error=error.detail)


@shared_task
def tend_engine(engine_id: str) -> None:
    """Bring one engine of this host nearer to what is wanted."""
    engines.tend_engine(engine_id)


@shared_task
def reconnect(cluster_id: str, actor_id: int | None) -> None:
    """Stop and resume the jobs that read from a cluster whose connection somebody changed; None: the system did."""
    cluster = Cluster.objects.select_related("workspace").filter(pk=cluster_id).first()
    if cluster is not None:
        connection_rollout.reconnect(cluster, None if actor_id is None else User.objects.filter(pk=actor_id).first())


@shared_task
def reconnect_all() -> None:
    """Go on with what an earlier `reconnect` could not do."""
    connection_rollout.reconnect_all()


@shared_task
def finish_deletion(job_id: str) -> None:
    """Remove what is left of a deleted job."""
    try:
        finish(job_id)
    except ServiceError as error:
        _LOG.warning("the job is not removed yet", job=job_id, error=error.detail)


@shared_task
def reconcile() -> None:
    """One tick of the reconciler."""
    reconciler.reconcile()


@shared_task
def sweep() -> None:
    """Forget what nobody needs any more: unused sign-in links and tickets, rows of engines long gone."""
    delete_expired()
    Engine.objects.filter(wanted=False, state=Engine.State.STOPPED, started_at__lt=timezone.now() - _ENGINE_ROWS_KEPT).delete()


@shared_task
def warm_up() -> None:
    """Connect to the broker before the first start needs it."""
    shared_producer(home_profile())  # it fetches its id for idempotence by itself
    try:
        ensure_system_topics()
    except ServiceError as error:
        _LOG.warning("the broker does not answer yet", error=error.detail)


def _run(run_id: str) -> Run | None:
    return Run.objects.select_related("generation__job__workspace", "engine").filter(pk=run_id).first()
