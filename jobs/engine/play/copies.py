"""Counts of what a play's broadcast tables hold: Spark reads them when a query is planned, and says so apart
from the progress of its batches.
"""

from collections.abc import Iterable, Mapping
from threading import Thread
from typing import Final

from pyspark.sql import Observation

from jobs.engine.read_counts import counted_read
from jobs.play import PlayedSource

_HEARD_S: Final = 3.0  # long after the table was read


class Copies:
    """The counts of one start of a query.

    Args:
        names: of static sources that have records: of none Spark may compute nothing, and never say so.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.observations: Mapping[str, Observation] = {name: Observation() for name in names}
        self._counts: dict[str, PlayedSource] = {}
        self._hears = Thread(target=self._hear, name="counts of a play's tables", daemon=True)

    def begin(self) -> None:
        """The tables are read now."""
        self._hears.start()

    def counts(self) -> dict[str, PlayedSource]:
        """By source; without those that Spark has said nothing of after some seconds."""
        self._hears.join(_HEARD_S)
        return dict(self._counts)

    def _hear(self) -> None:
        for name, observation in self.observations.items():
            read = counted_read(observation.get).read
            self._counts[name] = PlayedSource(records=read.records, malformed=read.malformed)


def newly_read(
    counts: Mapping[str, PlayedSource], before: Mapping[str, PlayedSource]
) -> dict[str, PlayedSource]:
    """What counts have more than those of an earlier start, whose records were all read again."""
    return {
        name: PlayedSource(
            records=source.records - known.records,
            malformed={
                reason: count - known.malformed.get(reason, 0)
                for reason, count in source.malformed.items()
                if count > known.malformed.get(reason, 0)
            },
        )
        for name, source in counts.items()
        for known in [before.get(name, PlayedSource())]
    }
