"""Celery tasks: short, idempotent commands. A task that fails because the broker is unreachable is
repeated by a later tick.
"""

from typing import Final

import structlog
from celery import shared_task
from django.db import transaction
from django.utils import timezone

from jobs.kafka_messages import Failure
from jobs.run_states import STARTED
from weir.clusters.models import Cluster
from weir.clusters.services.clients import home_profile, shared_producer
from weir.clusters.services.topics import ForeignTopicError
from weir.retention import STOPPED_ENGINE_RETENTION
from weir.runs.models import Desired, Engine, Observed, Run
from weir.runs.one_thread import one_thread, taken
from weir.runs.services import (
    connection_rollout,
    engine_hosts,
    engines,
    reconciler,
    superseded_generations,
)
from weir.runs.services.deletion import finish_deletion as finish
from weir.runs.services.engine_logs import shorten_engine_logs
from weir.runs.services.generation_setup import prepare_generation
from weir.runs.services.job_lock import lock_run
from weir.runs.services.old_attempts import delete_old_attempts
from weir.runs.services.run_publisher import ensure_system_topics, publish_run, publish_tombstone
from weir.runs.services.states import note_state
from weir.runs.services.stopped_engines import delete_engines_stopped_before
from weir.runs.task_queue import RECONCILE_ENGINE, enqueue
from weir.workspaces.errors import (
    BusyError,
    ForbiddenByKafkaError,
    NotFoundError,
    ServiceError,
    UnreachableError,
)
from weir.workspaces.models import User
from weir.workspaces.services import purge

_LOG: Final = structlog.get_logger("weir.tasks")


@shared_task
def start_run(run_id: str) -> None:
    """Ensure that the run's engine starts, set up its generation, and publish the desired run."""
    run = _run(run_id)
    if run is None or run.engine is None:
        return
    if run.engine.state in (Engine.State.STOPPED, Engine.State.LOST):
        enqueue(RECONCILE_ENGINE, run.engine.id, queue=run.engine.host_queue)
    # Ticks ask again and again for a start whose topics are not made yet. Each would scan the inputs, and
    # keep a thread of the worker.
    with taken(f"start {run_id}") as is_first:
        if not is_first and run.awaits_topics:
            return
        if not _prepared(run):
            return
    publish_desired(run_id)


def _prepared(run: Run) -> bool:
    """Whether the run's topics are there, if it is to run; else it failed, or a later tick tries again."""
    try:
        if run.desired == Desired.RUNNING:
            prepare_generation(run.generation)
    except (UnreachableError, BusyError) as error:
        _LOG.warning("the run's topics are not there yet", run=run.pk, error=error.detail)
        return False
    except ServiceError as error:
        _fail(run, error)
        return False
    return True


@transaction.atomic
def _fail(run: Run, error: ServiceError) -> None:
    """Its topics can't be made. Where that may change by itself, as with too few brokers, it is tried
    again.
    """
    locked = lock_run(run.id)
    # The cluster took its time: the run may have been stopped or started anew since, or another worker's
    # start of it has come further.
    if locked is None or locked.observed in STARTED:
        return
    if (locked.epoch, locked.desired) == (run.epoch, Desired.RUNNING):
        permanent = isinstance(error, NotFoundError | ForeignTopicError | ForbiddenByKafkaError)
        note_state(
            locked, Observed.FAILED, Failure(code=error.code, message=error.detail, permanent=permanent)
        )


@shared_task
def publish_desired(run_id: str) -> None:
    """Publish the desired run."""
    run = _run(run_id)
    if run is None:
        return
    try:
        publish_run(run)
    except ServiceError as error:  # also where `weir.runs` was deleted: the reconciler makes it again
        _LOG.warning("the run is not published yet", run=run_id, error=error.detail)


@shared_task
def publish_run_tombstone(run_id: str) -> None:
    """Publish a tombstone for a run that an engine reports and the database does not know."""
    if Run.objects.filter(pk=run_id).exists():
        return
    try:
        publish_tombstone(run_id)
    except ServiceError as error:
        _LOG.warning("the tombstone of the run is not published yet", run=run_id, error=error.detail)


@shared_task
def reconcile_engine(engine_id: str, ended_us: int | None = None, memory_kill: bool = False) -> None:
    """Bring one engine of this host closer to its desired state; arguments as there."""
    engines.reconcile_engine(engine_id, ended_us=ended_us, memory_kill=memory_kill)


@shared_task
def note_host() -> None:
    """The host whose queue this came by says that it is there, and looks after the logs of its engines."""
    engine_hosts.note_host()
    shorten_engine_logs()


@shared_task
def reconnect(cluster_id: str, actor_id: int | None) -> None:
    """Stop and resume the jobs that read from a cluster whose connection changed; `actor_id`
    None: a retry of the system.
    """
    cluster = Cluster.objects.select_related("workspace").filter(pk=cluster_id).first()
    if cluster is not None:
        connection_rollout.reconnect(
            cluster, None if actor_id is None else User.objects.filter(pk=actor_id).first()
        )


@shared_task
@one_thread
def roll_out_connections() -> None:
    """Retry what an earlier `reconnect` could not do. Jobs of a slow cluster take seconds each."""
    connection_rollout.roll_out_connections()


@shared_task
def finish_deletion(job_id: str) -> None:
    """Delete the remaining data of a deleted job."""
    # Ticks ask every two seconds, and clusters and large checkpoints take longer.
    with taken(f"delete {job_id}") as is_first:
        if not is_first:
            return
        try:
            finish(job_id)
        except ServiceError as error:
            _LOG.warning("the job is not removed yet", job=job_id, error=error.detail)


@shared_task
@one_thread
def delete_superseded() -> None:
    """Delete what superseded generations have left. A large checkpoint takes long."""
    superseded_generations.delete_superseded(timezone.now())


@shared_task
def reconcile() -> None:
    """One tick of the reconciler."""
    reconciler.reconcile()


@shared_task
def purge_expired() -> None:
    """Delete what has expired in the control database, old attempts of runs, engines that stopped long ago,
    and what superseded generations have left.
    """
    purge.purge()
    delete_old_attempts()
    superseded_generations.queue_superseded(timezone.now())
    delete_engines_stopped_before(timezone.now() - STOPPED_ENGINE_RETENTION)


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
