"""Celery tasks: short, idempotent commands. If the broker is down, a later tick does the work."""

from typing import Final

import structlog
from celery import shared_task
from django.utils import timezone

from weir.dead_letters.models import Validator
from weir.dead_letters.services import counts, indexing, lifecycle, redrive_worker
from weir.dead_letters.task_names import INDEX_DEAD_LETTERS, RUN_REDRIVE
from weir.runs.one_thread import one_thread, taken
from weir.runs.task_queue import enqueue
from weir.workspaces.errors import ServiceError

_LOG: Final = structlog.get_logger("weir.dead_letters")


@shared_task
@one_thread
def reconcile_validators() -> None:
    """Bring all validators to their desired state. Each whose cluster is silent takes seconds."""
    lifecycle.reconcile_validators()


@shared_task
def index_dead_letters(validator_id: int) -> None:
    """Index one batch of a validator's new dead letters, and enqueue the next, so that
    other tasks run in between.
    """
    # Each batch that counts malformed records asks, and so do ticks. Each would scan the same range.
    with taken(f"index {validator_id}") as is_first:
        if not is_first:
            return
        validator = Validator.objects.select_related("stream__cluster").filter(pk=validator_id).first()
        if validator is None:
            return
        try:
            is_more = indexing.index_dead_letters(validator)
        except ServiceError as error:
            _LOG.info("dead letters are not indexed yet", stream=validator.stream.name, error=error.detail)
            return
    if is_more:
        enqueue(INDEX_DEAD_LETTERS, validator_id)


@shared_task
@one_thread
def index_all() -> None:
    """Index every dead-letter topic, which also deletes the rows of expired dead letters. One after the
    other: those of a cluster that is silent take seconds each.
    """
    for validator_id in Validator.objects.values_list("pk", flat=True):
        index_dead_letters(validator_id)


@shared_task
def compact_counts() -> None:
    """Compact old counts."""
    counts.compact_counts(timezone.now())


@shared_task
def run_redrive(redrive_id: str) -> None:
    """Run one slice of a redrive, and enqueue the next for when its rate allows it, so that other tasks run
    in between.
    """
    pause = redrive_worker.run_slice(redrive_id)
    if pause is not None:
        enqueue(RUN_REDRIVE, redrive_id, after_s=pause)
