"""Whether the embedded system keeps a standby engine (`WEIR_STANDBY`): where memory allows, unless set."""

import os
from typing import Final, NamedTuple

import psutil

from jobs.base.host_limits import HostLimits
from weir.runs.services.engine_memory import MIB, OUTSIDE_HEAP_MB

_OTHERS_MB: Final = 2_000  # brokers, web, worker, relay, and room for the machine's owner


class StandbyChoice(NamedTuple):
    """The choice, and why, for the person who starts the system."""

    keeps: bool
    reason: str


def standby_choice() -> StandbyChoice:
    """The choice for a system that starts now.

    `WEIR_STANDBY` is ``true``, ``false`` or ``auto``, the default, with which a standby is kept
    when two engines fit into the available memory.
    """
    asked = os.environ.get("WEIR_STANDBY", "auto").lower()
    if asked != "auto":
        return StandbyChoice(asked in ("true", "1", "yes", "on"), f"WEIR_STANDBY is {asked}")
    engine_mb = int(os.environ.get("WEIR_ENGINE_MEMORY_MB", "1280")) + OUTSIDE_HEAP_MB
    needed_mb = 2 * engine_mb + _OTHERS_MB
    available_mb = HostLimits().memory_available(psutil.virtual_memory().available) // MIB
    compared = f"{available_mb / 1024:.1f} GiB of memory available, {needed_mb / 1024:.1f} GiB needed"
    return StandbyChoice(available_mb >= needed_mb, compared)
