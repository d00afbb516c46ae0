"""Whether the host of an engine is overloaded: its processors are full, so that everything on it is late.

Heartbeats carry what is in use over their last 20 s. An engine whose host is full may be too late with the
next ones: for as long as the last one may explain that, its runs are said to be overloaded, not only unknown.
"""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from weir.runs.models import Engine

FULL_SHARE: Final = 0.95  # of the host's cores in use
EXPLAINS_SILENCE_FOR: Final = timedelta(seconds=60)


@dataclass(frozen=True)
class Overload:
    """The use of a host that is overloaded, in cores over 20 s.

    Attributes:
        cores_used: by everything on it.
        cores: that it has.
        engine_cores: by the engine; None: unknown.
    """

    cores_used: float
    cores: int
    engine_cores: float | None

    @property
    def text(self) -> str:
        """In words."""
        return f"Overloaded: {self.cores_used:.1f} of {self.cores} cores of the engine's host are in use."

    def as_json(self) -> dict[str, Any]:
        """The API's JSON form."""
        return asdict(self)


def overload_of(engine: Engine | None, now: datetime) -> Overload | None:
    """The overload of an engine's host; None: there is none, or nothing is known of it."""
    if engine is None or engine.state != Engine.State.READY or engine.last_seen_at is None:
        return None
    used, cores = engine.host_cpu_cores, engine.host_cores
    if (
        used is None
        or not cores
        or used < FULL_SHARE * cores
        or now - engine.last_seen_at > EXPLAINS_SILENCE_FOR
    ):
        return None
    return Overload(round(used, 1), cores, None if engine.cpu_cores is None else round(engine.cpu_cores, 1))


def overload_json(engine: Engine | None, now: datetime) -> dict[str, Any] | None:
    """The same as JSON."""
    found = overload_of(engine, now)
    return None if found is None else found.as_json()
