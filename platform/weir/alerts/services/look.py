"""One look at everything that rules over metrics watch."""

from collections.abc import Sequence

from weir.alerts.services.book import LoadedRule
from weir.alerts.services.group_readings import GroupReadings
from weir.alerts.services.objective_tracker import ObjectiveTracker
from weir.alerts.services.readings import Readings, Taken
from weir.alerts.services.tokens import put_tokens
from weir.measurements import Snapshot


class Look:
    """Looks one after another, which remember the last minutes."""

    def __init__(self) -> None:
        self._readings = Readings()
        self._objectives = ObjectiveTracker()
        self._groups = GroupReadings()

    def take(self, snapshot: Snapshot, rules: Sequence[LoadedRule]) -> Taken:
        """The values of now.

        Args:
            snapshot: of the present.
            rules: over metrics, that are evaluated.
        """
        taken = self._readings.take(snapshot)
        put_tokens(taken, snapshot.now)
        self._objectives.take(taken, snapshot)
        self._groups.take(taken, rules, snapshot.now)
        return taken
