"""Error budgets and burn rates of objectives, from their slices.

The budget is the time that may be bad: (1 − target) of what was judged in the objective's window. A burn
rate of 1 spends it exactly in that window; fast and slow burn look at a long and a short span, and the
lesser counts, so that an alert ends soon after the trouble does (Google, The Site Reliability Workbook,
chapter 5).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Final

from weir.alerts.models import Objective, ObjectiveSlice
from weir.alerts.services.window_totals import LONGEST_BURN, RECENT, SLICE, WindowTotals

_FAST: Final = (timedelta(hours=1), timedelta(minutes=5))
_SLOW: Final = (LONGEST_BURN, timedelta(minutes=30))
MAX_AGE: Final = timedelta(minutes=2)
"""The relay stores budgets every 30 s. An older one is not known to be the present one."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What is known of an objective now.

    Attributes:
        attained: share of the judged time that was good; None: nothing was judged.
        left: share of the budget that is left, below 0 where it is overspent; None as above.
        fast_burn: the lesser burn rate of an hour and 5 min, of which what was not judged was good; None
            where nothing was judged in one of them.
        slow_burn: the lesser burn rate of 6 h and 30 min.
        judged_s: seconds that were judged in the window.
        bad_s: seconds of these that were bad.
    """

    attained: float | None
    left: float | None
    fast_burn: float | None
    slow_burn: float | None
    judged_s: float
    bad_s: float


def budgets_of(
    objectives: Sequence[Objective], now: datetime, totals: WindowTotals | None = None
) -> dict[str, Budget]:
    """The budgets by id; one query, and one or two more for each length of window.

    Args:
        objectives: whose.
        now: the present.
        totals: what a look before has kept of the windows; None: all of them is read.
    """
    recent: dict[str, list[tuple[datetime, float, float]]] = {one.pk: [] for one in objectives}
    slices = ObjectiveSlice.objects.filter(objective__in=recent, began_at__gt=now - RECENT)
    for key, began_at, good_s, judged_s in slices.values_list(
        "objective_id", "began_at", "good_s", "judged_s"
    ):
        recent[key].append((began_at, judged_s - good_s, judged_s))
    found = (totals or WindowTotals()).take(objectives, recent, now)
    return {one.pk: _budget(one, found[one.pk], recent[one.pk], now) for one in objectives}


def store_budgets(objectives: Sequence[Objective], budgets: dict[str, Budget], now: datetime) -> None:
    """Keep what is known of objectives for `stored_budget`.

    Args:
        objectives: all of them.
        budgets: theirs, by id.
        now: when they were computed.
    """
    for one in objectives:
        one.budget, one.budget_at = asdict(budgets[one.pk]), now
    Objective.objects.bulk_update(objectives, ["budget", "budget_at"], batch_size=200)


def stored_budget(objective: Objective, now: datetime) -> Budget | None:
    """What the relay last knew of an objective; None where that is not known any more, or not yet."""
    if objective.budget is None or objective.budget_at is None or now - objective.budget_at > MAX_AGE:
        return None
    return Budget(**objective.budget)


def _budget(
    objective: Objective,
    total: tuple[float, float],
    recent: list[tuple[datetime, float, float]],
    now: datetime,
) -> Budget:
    bad, judged = total
    allowed = 1 - objective.target

    def burn(spans: tuple[timedelta, timedelta]) -> float | None:
        rates = []
        for span in spans:
            inside = [(b, j) for began_at, b, j in recent if began_at > now - span - SLICE]
            judged_s = sum(j for _, j in inside)
            if judged_s:  # of the whole span: the seconds of a start after a pause are not all that counts
                rates.append(sum(b for b, _ in inside) / max(judged_s, span.total_seconds()) / allowed)
        return min(rates) if len(rates) == len(spans) else None

    return Budget(
        attained=1 - bad / judged if judged else None,
        left=1 - bad / judged / allowed if judged else None,
        fast_burn=burn(_FAST),
        slow_burn=burn(_SLOW),
        judged_s=judged,
        bad_s=bad,
    )
