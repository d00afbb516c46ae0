"""Deletes stored results."""

from typing import Final

from django.db import transaction

from weir.results.models import ALIAS, STATEMENT_BATCH_SIZE, ResultRow, ResultTopic

_PURGE_BATCH_SIZE: Final = 5_000


def purge_older(job_id: str, generation: int, before_ms: int) -> int:
    """Delete rows with an older timestamp, as the topic's retention does, at most 5,000 per call.

    Args:
        job_id: of the result.
        generation: of that job.
        before_ms: Kafka timestamp in ms.

    Returns:
        How many were deleted; call again until it is 0.
    """
    rows = ResultRow.objects.using(ALIAS).filter(job_id=job_id, generation=generation)
    old = list(rows.filter(timestamp_ms__lt=before_ms).values_list("pk", flat=True)[:_PURGE_BATCH_SIZE])
    return _delete(old)


def purge_surplus(job_id: str, generation: int, keep: int) -> int:
    """Delete all rows but the newest `keep` of an append-only result, at most 5,000 per call.

    Returns:
        How many were deleted; call again until it is 0.
    """
    rows = ResultRow.objects.using(ALIAS).filter(job_id=job_id, generation=generation)
    surplus = rows.count() - keep
    if surplus <= 0:
        return 0
    return _delete(
        list(
            rows.order_by("newest_input_us", "digest").values_list("pk", flat=True)[
                : min(surplus, _PURGE_BATCH_SIZE)
            ]
        )
    )


def _delete(keys: list[int]) -> int:
    with transaction.atomic(using=ALIAS):
        for at in range(0, len(keys), STATEMENT_BATCH_SIZE):
            ResultRow.objects.using(ALIAS).filter(pk__in=keys[at : at + STATEMENT_BATCH_SIZE]).delete()
    return len(keys)


def delete_rows(job_id: str, generation: int) -> None:
    """Delete a generation's rows, not its offsets."""
    ResultRow.objects.using(ALIAS).filter(job_id=job_id, generation=generation).delete()


def delete_generation(job_id: str, generation: int) -> None:
    """Delete a generation's rows and offsets, after its topic or its job was deleted."""
    with transaction.atomic(using=ALIAS):
        delete_rows(job_id, generation)
        ResultTopic.objects.using(ALIAS).filter(job_id=job_id, generation=generation).delete()
