"""When this process last created, changed or deleted topics of a cluster. Older
cached lists are fetched again.
"""

import time
from typing import Final

from jobs.connections import ClusterProfile

_changed: Final[dict[str, float]] = {}  # cluster id → epoch seconds


def note_change(profile: ClusterProfile) -> None:
    """Record that this process has just changed topics of a cluster."""
    _changed[profile.cluster_id] = time.time()


def changed_at(profile: ClusterProfile) -> float:
    """Epoch seconds of the last change by this process; 0 if there was none."""
    return _changed.get(profile.cluster_id, 0.0)
