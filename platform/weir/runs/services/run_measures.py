"""What the relay measures of runs, and lists show."""

from typing import Any

from weir.runs.models import Run


def record_lag(
    run_id: str, records: int | None, seconds: float | None, rows_per_second: float | None
) -> None:
    """Set what lists show as a run's lag, and how fast it reads.

    Args:
        run_id: which run.
        records: not yet read; None: not known.
        seconds: how old the oldest of them is; None: not known.
        rows_per_second: over the last minute; None: not known.
    """
    Run.objects.filter(pk=run_id).update(
        lag_records=records, lag_seconds=seconds, rows_per_second=rows_per_second
    )


def record_lag_health(run_id: str, health: dict[str, Any] | None) -> None:
    """Set what a run's lag means (`JobHealth.stored`); None: nothing is known of it."""
    Run.objects.filter(pk=run_id).update(lag_health=health)


def record_skipping(run_id: str, sources: list[dict[str, Any]]) -> None:
    """Set which sources of a run skip so many records that people should know
    (`weir.lag.services.skipping`).
    """
    Run.objects.filter(pk=run_id).update(skipping=sources)


def record_freshness(run_id: str, milliseconds: int | None) -> None:
    """Set what lists show as freshness: now − Kafka timestamp of the newest input inside the newest
    result, ms; None: not known.
    """
    Run.objects.filter(pk=run_id).update(freshness_ms=milliseconds)
