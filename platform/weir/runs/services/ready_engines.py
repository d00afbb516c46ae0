"""Engines that may play for a workspace, beside what they run."""

from django.db.models import Case, Count, Q, QuerySet, When

from jobs.run_states import LIVE
from weir.runs.models import Engine
from weir.runs.services.engine_hosts import silent_hosts
from weir.workspaces.models import Workspace


def shared_engines(workspace: Workspace) -> QuerySet[Engine]:
    """The shared engines of all workspaces and of this one, the standby among them, in any state."""
    return Engine.objects.filter(Q(workspace=None) | Q(workspace=workspace), kind=Engine.Kind.SHARED)


def ready_engines(workspace: Workspace) -> QuerySet[Engine]:
    """The warm ones: those with the fewest runs first; of these the standby, but last while it still warms
    up for previews.
    """
    warm = shared_engines(workspace).filter(state=Engine.State.READY, ready=True)
    warm = warm.exclude(host_queue__in=silent_hosts())  # where nobody sees whether they still are
    live = Count("runs", filter=Q(runs__observed__in=LIVE))
    turn = Case(When(standby=True, plays_ready=True, then=0), When(standby=True, then=2), default=1)
    return warm.annotate(live=live, turn=turn).order_by("live", "turn", "id")


def idle_engines(workspace: Workspace) -> QuerySet[Engine]:
    """The warm ones that have no runs, in that order."""
    return ready_engines(workspace).exclude(runs__observed__in=LIVE)
