"""Deletes expired rows, surplus rows of append results, and deleted generations from the store."""

from weir.relay.result_topics import FollowedTopic
from weir.results.models import ResultTopic
from weir.results.services.purge import delete_generation, purge_older, purge_surplus
from weir.retention import RESULT_MAX_ROWS


def purge_expired(followed: dict[str, FollowedTopic], now_us: int) -> None:
    """Delete a limited number of rows of each kind.

    Args:
        followed: every current result topic; rows of any other generation are deleted.
        now_us: the current time.
    """
    current = {(source.job_id, source.generation) for source in followed.values()}
    stored = ResultTopic.objects.values_list("job_id", "generation")
    for job_id, generation in set(stored) - current:
        delete_generation(job_id, generation)
    for source in followed.values():
        if source.retention_ms is not None:
            purge_older(source.job_id, source.generation, now_us // 1000 - source.retention_ms)
        if source.append_only:
            purge_surplus(source.job_id, source.generation, RESULT_MAX_ROWS)
