"""When this process last made, changed or deleted topics of a cluster: lists that are older are asked for anew."""

import time
from typing import Final

from jobs.connections import ClusterProfile

_changed: Final[dict[ClusterProfile, float]] = {}


def note_change(profile: ClusterProfile) -> None:
    """Topics were made, changed or deleted here, just now."""
    _changed[profile] = time.time()


def changed_at(profile: ClusterProfile) -> float:
    """Epoch seconds of the last change made here; 0 when there was none."""
    return _changed.get(profile, 0.0)
