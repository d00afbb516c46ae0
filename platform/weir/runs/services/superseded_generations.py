"""Deletes what a generation has in Kafka, and its checkpoint, once another one has replaced it: a start
resumes only the current one, so nothing can use them any more.

Its rows stay, for the job's history. So do topics of people that it wrote, and a validator's dead letters,
which its generations share.
"""

from datetime import datetime
from typing import Final

import structlog
from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone

from jobs.run_states import ENDED
from weir.clusters.services.clients import home_profile
from weir.clusters.services.topics import delete_topics
from weir.retention import SUPERSEDED_RETENTION
from weir.runs.models import Desired, Generation, Run
from weir.runs.services.dead_letter_topics import is_validator
from weir.runs.services.deletion import delete_checkpoint
from weir.runs.services.engine_hosts import roomiest_host
from weir.runs.services.run_publisher import publish_tombstone
from weir.runs.task_queue import DELETE_SUPERSEDED, enqueue
from weir.workspaces.errors import ServiceError, UnreachableError

_LOG: Final = structlog.get_logger("weir.runs")


def queue_superseded(now: datetime) -> None:
    """Ask a host that sees the checkpoints to delete what is superseded, if there is any.

    Args:
        now: the present.
    """
    if _superseded(now).exists():
        enqueue(DELETE_SUPERSEDED, queue=roomiest_host())


def delete_superseded(now: datetime) -> None:
    """Delete the data of all superseded generations. What cannot be deleted is tried again by a later call.

    Args:
        now: the present.
    """
    for generation in list(_superseded(now).select_related("job", "run").order_by("pk")):
        try:
            _delete_data(generation)
        except UnreachableError as error:
            _LOG.warning("superseded generations are kept for now", error=error.detail)
            return
        except (ServiceError, OSError) as error:
            _LOG.warning("a superseded generation is kept for now", run=generation.run.id, error=str(error))


def _superseded(now: datetime) -> QuerySet[Generation]:
    """Generations whose runs have ended, of jobs that have had a newer one for a while."""
    current = Generation.objects.filter(job=OuterRef("job"), number=OuterRef("job__generation"))
    generations = Generation.objects.filter(
        Exists(current.filter(created_at__lte=now - SUPERSEDED_RETENTION)),
        number__lt=F("job__generation"),
        run__desired=Desired.STOPPED,
        run__observed__in=ENDED,
        data_deleted=False,
    )
    return generations.exclude(job__desired=Desired.DELETED)


def _delete_data(generation: Generation) -> None:
    """Delete what a generation has but its rows. Idempotent.

    Raises:
        ServiceError: Kafka does not answer, or does not allow it.
        OSError: the checkpoint's folder cannot be removed.
    """
    publish_tombstone(generation.run.id)
    if not is_validator(generation.job):
        delete_topics(home_profile(), generation.topics)
    delete_checkpoint(generation.checkpoint)
    with transaction.atomic():
        # The tombstone is the last that engines read of it.
        Run.objects.filter(generation=generation, published_at=None).update(published_at=timezone.now())
        Generation.objects.filter(pk=generation.pk).update(data_deleted=True)
    _LOG.info("what a superseded generation had is deleted", run=generation.run.id)
