"""Deletes expired rows, surplus rows of append results, and deleted generations from the store."""

from typing import Final

from weir.lag import services as lag
from weir.relay.result_topics import FollowedTopic
from weir.results import services as results
from weir.results.models import ResultTopic

MAX_APPEND_ROWS: Final = 500_000  # per append result; Kafka keeps older ones until the topic's retention ends


def purge_expired(followed: dict[str, FollowedTopic], now_us: int) -> None:
    """Delete a limited number of rows of each kind.

    Args:
        followed: every current result topic; rows of any other generation are deleted.
        now_us: the current time.
    """
    current = {(source.job_id, source.generation) for source in followed.values()}
    stored = ResultTopic.objects.values_list("job_id", "generation")
    for job_id, generation in set(stored) - current:
        results.delete_generation(job_id, generation)
    for source in followed.values():
        if source.retention_ms is not None:
            results.purge_older(source.job_id, source.generation, now_us // 1000 - source.retention_ms)
        if source.append_only:
            results.purge_surplus(source.job_id, source.generation, MAX_APPEND_ROWS)
    lag.purge_expired(now_us)
