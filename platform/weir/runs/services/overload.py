"""Whether the host of an engine is overloaded: its processors are full, so that everything on it is late.

Heartbeats carry what is in use over their last 20 s. A host is full for a while whenever an engine starts,
which makes nothing late for long: it is overloaded once it has been full for `LASTS_FROM`. An engine whose
host is full may be too late with its next heartbeats: for as long as the last one may explain that, its runs
are said to be overloaded, not only unknown.
"""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from jobs.run_states import SILENT_AFTER_US
from weir.runs.models import Engine

FULL_SHARE: Final = 0.95  # of the host's cores in use
LASTS_FROM: Final = timedelta(seconds=60)
EXPLAINS_SILENCE_FOR: Final = timedelta(seconds=60)
_SILENT_AFTER: Final = timedelta(microseconds=SILENT_AFTER_US)


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


def full_since(engine: Engine, used: float | None, cores: int, at: datetime) -> datetime | None:
    """Since when the host of an engine is full; None: it is not, or nothing is known of it.

    Args:
        engine: as it was before this heartbeat.
        used: cores in use; None: unknown.
        cores: that the host has; 0: unknown.
        at: of the heartbeat.
    """
    if used is None or not cores or used < FULL_SHARE * cores:
        return None
    known = engine.last_seen_at is not None and at - engine.last_seen_at <= EXPLAINS_SILENCE_FOR
    return engine.host_full_since or at if known else at


def overload_of(engine: Engine | None, now: datetime) -> Overload | None:
    """The overload of an engine's host; None: there is none, or nothing is known of it."""
    if engine is None or engine.state != Engine.State.READY or engine.last_seen_at is None:
        return None
    used, cores, since = engine.host_cpu_cores, engine.host_cores, engine.host_full_since
    silence = now - engine.last_seen_at
    if used is None or since is None or silence > EXPLAINS_SILENCE_FOR:
        return None
    if silence <= _SILENT_AFTER and now - since < LASTS_FROM:
        return None
    return Overload(round(used, 1), cores, None if engine.cpu_cores is None else round(engine.cpu_cores, 1))


def overload_json(engine: Engine | None, now: datetime) -> dict[str, Any] | None:
    """The same as JSON."""
    found = overload_of(engine, now)
    return None if found is None else found.as_json()
