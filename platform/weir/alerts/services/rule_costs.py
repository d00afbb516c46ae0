"""What rules over rows take of the relay's processor time, and what they may take.

Rules are evaluated in the loop that stores everybody's results, so each has a share of an interval, and all
together a part of each round of that loop.
"""

import time
from collections import defaultdict
from collections.abc import Callable
from typing import Final

RULE_CPU_S: Final = 1.0  # of one rule in an interval; at 10,000 rows/s a comparison takes 0.2
INTERVAL_S: Final = 10.0
# Of all rules, over rows that were just stored: in one round of the relay, and of its time, as rounds follow
# each other closely while a backlog is stored.
ROUND_CPU_S: Final = 0.25
SHARE_OF_TIME: Final = 0.4
MISSED_ROW_CPU_S: Final = 0.0001  # of a rule for a row that is looked at after a pause: not counted


class RuleCosts:
    """Processor time of rules in the interval that runs.

    Args:
        limit_s: of one rule in an interval.
        interval_s: after which all is counted from 0.
        clock: seconds that never go back.
    """

    def __init__(
        self,
        limit_s: float = RULE_CPU_S,
        interval_s: float = INTERVAL_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limit_s = limit_s
        self._interval_s = interval_s
        self._clock = clock
        self._began = self._round_at = clock()
        self._round_s = ROUND_CPU_S  # that the next round may take
        self._rules: defaultdict[tuple[str, int], float] = defaultdict(float)  # by id and revision
        self._workspaces: defaultdict[int, float] = defaultdict(float)

    def begin_interval(self) -> None:
        """Begin an interval if the one before is over."""
        if self._clock() - self._began >= self._interval_s:
            self._began = self._clock()
            self._rules.clear()
            self._workspaces.clear()

    def begin_round(self) -> float:
        """The processor time that all rules may take in a round that begins now, in s; 0 or less: none."""
        now = self._clock()
        self._round_s = min(ROUND_CPU_S, self._round_s + (now - self._round_at) * SHARE_OF_TIME)
        self._round_at = now
        return self._round_s

    def end_round(self, seconds: float) -> None:
        """Count the processor time of a round."""
        self._round_s -= seconds

    def charge(self, rule: tuple[str, int], seconds: float) -> bool:
        """Count processor time of a revision of a rule; True when it has had more than its share."""
        self._rules[rule] += seconds
        return self._rules[rule] > self.limit_s

    def charge_workspace(self, workspace_id: int, seconds: float) -> None:
        """Count processor time of all rules over a result, and of reading its rows."""
        self._workspaces[workspace_id] += seconds

    def of_workspace(self, workspace_id: int) -> float:
        """What a workspace has taken in the interval, in seconds."""
        return self._workspaces[workspace_id]
