"""Chooses the engine that plays a preview."""

from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.db.models import Count, Q, QuerySet

from jobs.run_states import LIVE
from weir.runs.models import Engine
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
    """A ready engine without runs, the standby above all.

    Otherwise the ready shared one with the fewest runs, which plays one preview at a time and for at most
    10 s; but where there is to be a standby, previews wait for it: the first play of an engine compiles for
    seconds, and its runs would give no results meanwhile.
    """
    live = Count("runs", filter=Q(runs__observed__in=LIVE))
    found = ready_engines(workspace).annotate(live=live).order_by("live", "-standby", "id").first()
    if found is not None and found.live and _standby_comes():
        return Choice(None, STANDBY_STARTS, coming=True)
    if found is not None:
        return Choice(found)
    shared = _shared(workspace)
    if shared.filter(Q(state=Engine.State.STARTING) | Q(state=Engine.State.READY)).exists():
        return Choice(None, "An engine is starting. That takes up to half a minute.", coming=True)
    if shared.filter(state=Engine.State.FAILED).exists():
        return Choice(None, "The engine has failed. An owner finds the reason under Admin, Engines.")
    return Choice(None, "No engine is running. Weir starts one with the first job.")


def _standby_comes() -> bool:
    """Whether a standby is wanted and has not failed for good."""
    standbys = Engine.objects.filter(kind=Engine.Kind.SHARED, standby=True)
    failed = standbys.filter(state=Engine.State.FAILED).exists()
    return bool(settings.STANDBY) and not failed


def ready_engines(workspace: Workspace) -> QuerySet[Engine]:
    """Warm shared engines that may play for a workspace, the standby among them."""
    return _shared(workspace).filter(state=Engine.State.READY, ready=True)


def _shared(workspace: Workspace) -> QuerySet[Engine]:
    return Engine.objects.filter(Q(workspace=None) | Q(workspace=workspace), kind=Engine.Kind.SHARED)
