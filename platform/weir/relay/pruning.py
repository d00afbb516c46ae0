"""What the store forgets: rows past their retention, surplus append-only rows, generations and jobs that are gone."""

from typing import Final

from weir.lag import services as lag
from weir.relay.sources import ResultSource
from weir.results import services as results
from weir.results.models import ResultTopic

MAX_APPEND_ROWS: Final = 500_000  # rows of an append result that stay at hand; Kafka keeps the rest until its retention


def prune(wanted: dict[str, ResultSource], now_us: int) -> None:
    """One step of forgetting: a bounded number of rows of each kind.

    Args:
        wanted: every current result topic; rows of any other generation are removed.
        now_us: the present.
    """
    current = {(source.job_id, source.generation) for source in wanted.values()}
    stored = ResultTopic.objects.values_list("job_id", "generation")
    for job_id, generation in set(stored) - current:
        results.forget(job_id, generation)
    for source in wanted.values():
        if source.retention_ms is not None:
            results.prune_older(source.job_id, source.generation, now_us // 1000 - source.retention_ms)
        if source.append_only:
            results.prune_surplus(source.job_id, source.generation, MAX_APPEND_ROWS)
    lag.prune(now_us)
