"""What a job's current run achieves, as the list of jobs, a job's page and the channel runs show it."""

from datetime import datetime, timedelta
from typing import Any, Final

from jobs.base.instants import instant_of
from jobs.run_states import LIVE, UNKNOWN
from weir.runs.models import Run
from weir.runs.services.catching_up import catching_up_json
from weir.runs.services.lag_health import lag_health_json
from weir.runs.services.overload import overload_json

# Of a run that nobody hears of: older ones say nothing of the present.
_MEASURED_WITHIN: Final = timedelta(seconds=30)
NO_FIGURES: Final[dict[str, Any]] = {
    "lag": None,
    "lag_health": None,
    "rows_per_second": None,
    "freshness_ms": None,
    "skipping": [],
    "draining": False,
    "catching_up": None,
    "overload": None,
}
"""Of a job that was never started."""


def figures_json(run: Run, shown: str, now: datetime) -> dict[str, Any]:
    """The figures of a run. Of one that has ended only what its lag meant stays.

    Args:
        run: with its engine.
        shown: its state, as people see it.
        now: the present.

    Returns:
        The keys of `NO_FIGURES`.
    """
    lag_health = lag_health_json(run, instant_of(now))
    if run.observed not in LIVE:
        return NO_FIGURES | {"lag_health": lag_health}
    if shown == UNKNOWN and (run.last_seen_at is None or now - run.last_seen_at > _MEASURED_WITHIN):
        overload = overload_json(run.engine, now)  # it may be why nothing is heard
        return NO_FIGURES | {"lag_health": lag_health, "skipping": run.skipping, "overload": overload}
    return {
        "lag": {"records": run.lag_records, "seconds": run.lag_seconds},
        "lag_health": lag_health,
        "rows_per_second": None if shown == UNKNOWN else run.rows_per_second,
        "freshness_ms": run.freshness_ms,
        "skipping": run.skipping,
        "draining": run.draining,
        "catching_up": catching_up_json(run),
        "overload": overload_json(run.engine, now),
    }
