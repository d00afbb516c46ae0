"""The Celery application: short commands, and a few fixed ticks."""

import inspect
import os
from typing import Any, Final

import structlog
from celery import Celery
from celery.signals import task_postrun, task_prerun, worker_ready
from kombu import Queue

from jobs.base.garbage import keep_loaded
from weir.retention import COUNTS_PURGE_INTERVAL_S, DEAD_LETTER_PURGE_INTERVAL_S, PURGE_INTERVAL_S
from weir.runs.task_queue import FIRST, LATER

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "weir.project.settings")
# They would load the web interface, which doubles the time that a worker takes to start.
os.environ.setdefault("CELERY_SKIP_CHECKS", "true")


_RECONCILE: Final = "weir.runs.tasks.reconcile"


def _every(
    seconds: float, task: str, expires_s: float | None = None, priority: int = LATER
) -> dict[str, Any]:
    """A tick; one that no worker took within `expires_s`, by default until the next, is dropped."""
    options = {"expires": expires_s or seconds, "priority": priority}
    return {"task": task, "schedule": seconds, "options": options}


app = Celery("weir")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    task_ignore_result=True,
    task_serializer="json",
    accept_content=["json"],
    task_default_queue="celery",
    task_queues=[Queue("celery")],
    task_create_missing_queues=True,
    task_default_priority=LATER,
    # One process with threads keeps one warm producer for all tasks; every call inside a task has its own
    # deadline. As many as may wait for receivers, silent clusters and tests, and some for what cannot wait.
    worker_pool="threads",
    worker_concurrency=8,
    worker_prefetch_multiplier=1,
    worker_soft_shutdown_timeout=10,
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
    enable_utc=True,
    timezone="UTC",
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,  # a worker waits for its queue however long it is away
    # A queue that is not there fails a publish at once, and no request waits for it: the reconciler does what
    # was not published. A publish has two loops that would try again, its own and its connection's.
    broker_transport_options={
        "visibility_timeout": 3600,
        "socket_timeout": 5,
        "socket_connect_timeout": 2,
        "max_retries": 0,
    },
    visibility_timeout=3600,
    task_publish_retry=False,
    beat_scheduler="weir.project.beat_clock:SetBackScheduler",
    beat_schedule={
        "reconcile": _every(2.0, _RECONCILE, expires_s=4, priority=FIRST),
        "clusters": _every(15.0, "weir.clusters.tasks.check_clusters"),
        "upkeep": _every(300.0, "weir.clusters.tasks.read_upkeep"),
        "connections": _every(15.0, "weir.runs.tasks.roll_out_connections"),
        "validators": _every(5.0, "weir.dead_letters.tasks.reconcile_validators", expires_s=10),
        "job-tests": _every(5.0, "weir.job_tests.tasks.reconcile_test_runs", expires_s=10),
        "job-test-folders": _every(PURGE_INTERVAL_S, "weir.job_tests.tasks.clean_hosts"),
        "validation-counts": _every(COUNTS_PURGE_INTERVAL_S, "weir.dead_letters.tasks.compact_counts"),
        "dead-letters": _every(DEAD_LETTER_PURGE_INTERVAL_S, "weir.dead_letters.tasks.index_all"),
        "log-lines": _every(PURGE_INTERVAL_S, "weir.run_logs.tasks.purge_lines"),
        "purge": _every(PURGE_INTERVAL_S, "weir.runs.tasks.purge_expired"),
        "notifications": _every(10.0, "weir.alerts.tasks.deliver_due"),
        "alerts": _every(PURGE_INTERVAL_S, "weir.alerts.tasks.purge_alerts"),
        "openlineage": _every(10.0, "weir.openlineage.tasks.deliver_due"),
        "openlineage-events": _every(PURGE_INTERVAL_S, "weir.openlineage.tasks.purge_events"),
        "share-links": _every(PURGE_INTERVAL_S, "weir.dashboards.tasks.purge_links"),
    },
)
app.autodiscover_tasks()


_IDS: Final = {"run_id": "run", "job_id": "job", "engine_id": "engine"}  # arguments of tasks


@task_prerun.connect
def _name_ids(task: Any, args: Any, kwargs: Any, **_: object) -> None:
    """Lines that a task logs say which task it is, and what it is about."""
    given = inspect.signature(task.run).bind_partial(*args, **kwargs).arguments
    ids = {name: given[argument] for argument, name in _IDS.items() if argument in given}
    structlog.contextvars.bind_contextvars(task=task.name, **ids)


@task_postrun.connect
def _forget_ids(**_: object) -> None:
    structlog.contextvars.clear_contextvars()


@worker_ready.connect
def _warm_up(**_: object) -> None:
    """The first start after a worker's own start is as fast as the later ones."""
    keep_loaded()
    app.send_task("weir.runs.tasks.warm_up")
    app.send_task(_RECONCILE)  # the engine takes longest to start; it does not wait for beat's first tick
    # Whoever serves the queue of the engines' host answers; it need not be this worker.
    app.send_task("weir.runs.tasks.note_host", queue=app.conf.HOST_QUEUE, expires=60)
