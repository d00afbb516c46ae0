"""The Celery application: short commands, and a few fixed ticks."""

import os

from celery import Celery
from celery.signals import worker_ready
from kombu import Queue

from weir.retention import COUNTS_PURGE_INTERVAL_S, DEAD_LETTER_PURGE_INTERVAL_S, PURGE_INTERVAL_S

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "weir.project.settings")
# They would load the web interface, which doubles the time that worker and beat take to start.
os.environ.setdefault("CELERY_SKIP_CHECKS", "true")

app = Celery("weir")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    task_ignore_result=True,
    task_serializer="json",
    accept_content=["json"],
    task_default_queue="celery",
    task_queues=[Queue("celery")],
    task_create_missing_queues=True,
    # One process with threads keeps one warm producer for all tasks; every call inside a
    # task has its own deadline.
    worker_pool="threads",
    worker_concurrency=4,
    worker_prefetch_multiplier=1,
    worker_soft_shutdown_timeout=10,
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
    enable_utc=True,
    timezone="UTC",
    broker_connection_retry_on_startup=True,
    broker_transport_options={"visibility_timeout": 3600, "socket_timeout": 5, "socket_connect_timeout": 2},
    visibility_timeout=3600,
    # A dead broker fails a publish at once; what was not published is done by the reconciler.
    task_publish_retry=False,
    beat_schedule={
        "reconcile": {"task": "weir.runs.tasks.reconcile", "schedule": 2.0, "options": {"expires": 4}},
        "clusters": {
            "task": "weir.clusters.tasks.check_clusters",
            "schedule": 15.0,
            "options": {"expires": 15},
        },
        "connections": {
            "task": "weir.runs.tasks.roll_out_connections",
            "schedule": 15.0,
            "options": {"expires": 15},
        },
        "validators": {
            "task": "weir.dead_letters.tasks.reconcile_validators",
            "schedule": 5.0,
            "options": {"expires": 10},
        },
        "job-tests": {
            "task": "weir.job_tests.tasks.reconcile_test_runs",
            "schedule": 5.0,
            "options": {"expires": 10},
        },
        "validation-counts": {
            "task": "weir.dead_letters.tasks.compact_counts",
            "schedule": COUNTS_PURGE_INTERVAL_S,
            "options": {"expires": COUNTS_PURGE_INTERVAL_S},
        },
        "dead-letters": {
            "task": "weir.dead_letters.tasks.index_all",
            "schedule": DEAD_LETTER_PURGE_INTERVAL_S,
            "options": {"expires": DEAD_LETTER_PURGE_INTERVAL_S},
        },
        "purge": {
            "task": "weir.runs.tasks.purge_expired",
            "schedule": PURGE_INTERVAL_S,
            "options": {"expires": PURGE_INTERVAL_S},
        },
        "notifications": {
            "task": "weir.alerts.tasks.deliver_due",
            "schedule": 10.0,
            "options": {"expires": 10},
        },
        "alerts": {
            "task": "weir.alerts.tasks.purge_alerts",
            "schedule": PURGE_INTERVAL_S,
            "options": {"expires": PURGE_INTERVAL_S},
        },
        "openlineage": {
            "task": "weir.openlineage.tasks.deliver_due",
            "schedule": 10.0,
            "options": {"expires": 10},
        },
        "openlineage-events": {
            "task": "weir.openlineage.tasks.purge_events",
            "schedule": PURGE_INTERVAL_S,
            "options": {"expires": PURGE_INTERVAL_S},
        },
        "share-links": {
            "task": "weir.dashboards.tasks.purge_links",
            "schedule": PURGE_INTERVAL_S,
            "options": {"expires": PURGE_INTERVAL_S},
        },
    },
)
app.autodiscover_tasks()


@worker_ready.connect
def _warm_up(**_: object) -> None:
    """The first start after a worker's own start is as fast as the later ones."""
    app.send_task("weir.runs.tasks.warm_up")
    app.send_task(
        "weir.runs.tasks.reconcile"
    )  # the engine takes longest to start; it does not wait for beat's first tick
