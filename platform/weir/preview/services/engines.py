"""Chooses the engine that plays a preview."""

from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.db.models import Q

from weir.runs.models import Engine
from weir.runs.services.engine_hosts import has_memory_for_engine, unusable_hosts
from weir.runs.services.ready_engines import idle_engines, ready_engines, shared_engines
from weir.workspaces.models import Workspace

STANDBY_STARTS: Final = (
    "The standby engine is starting, which takes up to two minutes. Previews wait for it, so that running "
    "jobs keep their freshness."
)


@dataclass(frozen=True)
class Choice:
    """The engine that plays; without one, why.

    Attributes:
        engine: None: none can play now.
        reason: for users.
        coming: one will, by itself.
    """

    engine: Engine | None
    reason: str = ""
    coming: bool = False


def choose_engine(workspace: Workspace) -> Choice:
    """A ready engine without runs: the standby above all, unless it is not warm for previews yet.

    Otherwise the ready shared one with the fewest runs, which plays one preview at a time and for at most
    10 s; but where there is to be a standby, previews wait for it: the first play of an engine compiles for
    seconds, and its runs would give no results meanwhile.
    """
    idle = idle_engines(workspace).first()
    if idle is not None:
        return Choice(idle)
    busy = ready_engines(workspace).first()
    if busy is not None:
        return Choice(None, STANDBY_STARTS, coming=True) if _standby_comes() else Choice(busy)
    shared = shared_engines(workspace)
    if shared.filter(Q(state=Engine.State.STARTING) | Q(state=Engine.State.READY)).exists():
        return Choice(None, "An engine is starting. That takes up to half a minute.", coming=True)
    if shared.filter(state=Engine.State.FAILED).exists():
        return Choice(None, "The engine has failed. An owner finds the reason under Admin, Engines.")
    return Choice(None, "No engine is running. Weir starts one with the first job.")


def _standby_comes() -> bool:
    """Whether a standby is wanted and can come: none has failed for good, and a host with memory answers."""
    if not settings.STANDBY:
        return False
    standbys = Engine.objects.filter(kind=Engine.Kind.SHARED, standby=True)
    known = list(standbys.values_list("state", "host_queue"))
    if not known:
        return has_memory_for_engine()
    unusable = unusable_hosts()
    return all(state != Engine.State.FAILED and queue not in unusable for state, queue in known)
