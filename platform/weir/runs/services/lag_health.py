"""What the lag of a job or of a consumer group means, in one word each, and how it is stored with a run.

The rules that find the word are those of `weir.consumer_groups.services.health`, for jobs as for groups.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from jobs.base.instants import Instant, instant_text
from weir.runs.models import Run

MAX_AGE_US: Final = 30_000_000
"""A health is judged every three seconds; an older one is not of the present and is not shown."""


class Kind(StrEnum):
    """What the lag of a partition, a group or a job means, the best first."""

    EMPTY = "empty"  # of groups: no members, and nothing to read
    FINE = "fine"
    UNKNOWN = "unknown"  # nothing committed, or too little seen since the watch began
    CATCHING_UP = "catching_up"  # behind, and getting nearer to the end
    BEHIND = "behind"  # behind by as much as before
    FALLING_BEHIND = "falling_behind"
    STALLED = "stalled"  # this partition is not read on while others are
    STOPPED = "stopped"  # records wait, and none is read
    LOSING = "losing"  # retention has deleted records that were not read


SEVERITY: Final[dict[Kind, int]] = {kind: at for at, kind in enumerate(Kind)}
NEEDS_A_LOOK: Final = frozenset({Kind.FALLING_BEHIND, Kind.STALLED, Kind.STOPPED, Kind.LOSING})


@dataclass(frozen=True, slots=True)
class JobHealth:
    """The health of a job's lag; None: not known, or does not apply.

    Attributes:
        kind: what the lag means.
        at_us: when it was judged.
        since_us: since when it is so, as far as it was seen.
        in_rate: records per second that are written.
        out_rate: records per second that are read.
        catch_up_s: seconds until the end is reached.
        loss_s: seconds until retention deletes records that are not read; 0: some are deleted.
        lost_records: so many are deleted unread.
    """

    kind: Kind
    at_us: int
    since_us: int | None = None
    in_rate: float | None = None
    out_rate: float | None = None
    catch_up_s: float | None = None
    loss_s: float | None = None
    lost_records: int = 0

    def stored(self) -> dict[str, Any]:
        """For `Run.lag_health`."""
        return {
            "kind": self.kind.value,
            "at_us": self.at_us,
            "since_us": self.since_us,
            "in_rate": _short(self.in_rate),
            "out_rate": _short(self.out_rate),
            "catch_up_s": _short(self.catch_up_s),
            "loss_s": _short(self.loss_s),
            "lost_records": self.lost_records,
        }


def current_health(run: Run, now_us: int) -> JobHealth | None:
    """The health of a run's lag; None: none was judged within `MAX_AGE_US`.

    Args:
        run: with `lag_health`.
        now_us: the present.
    """
    found = run.lag_health
    if found is None or now_us - found["at_us"] > MAX_AGE_US:
        return None
    return JobHealth(**{**found, "kind": Kind(found["kind"])})


def lag_health_json(run: Run, now_us: int) -> dict[str, Any] | None:
    """The health of a run's lag for the API and the live channel; None: it is not known.

    Args:
        run: with `lag_health`.
        now_us: the present.
    """
    health = current_health(run, now_us)
    if health is None:
        return None
    return {
        "health": health.kind.value,
        "since": None if health.since_us is None else instant_text(Instant(health.since_us)),
        "in_rate": health.in_rate,
        "out_rate": health.out_rate,
        "catch_up_s": health.catch_up_s,
        "loss_s": health.loss_s,
        "lost_records": health.lost_records,
    }


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
