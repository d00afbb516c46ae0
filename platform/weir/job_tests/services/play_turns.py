"""Which run of tests a host plays next: one at a time, and workspaces take turns, so that one that asks for
many delays its own.
"""

from typing import Final

from django.db import transaction
from django.db.models.functions import Coalesce
from django.utils import timezone

from jobs.base.instants import instant_of
from weir.job_tests.models import BEGUN, JobTestRun, PlayHost

_MOST_TURNS: Final = 1_000  # remembered; a workspace that had none for that long comes first anyway


def take_turn(run: JobTestRun) -> bool:
    """Let a queued run begin, if nothing is played on its host and it is its turn; True when it has begun."""
    PlayHost.objects.get_or_create(queue=run.host_queue)
    with transaction.atomic():
        host = PlayHost.objects.select_for_update().get(pk=run.host_queue)
        on_host = JobTestRun.objects.filter(host_queue=host.queue)
        if on_host.filter(state__in=BEGUN).exists() or next_run(host.queue) != run.pk:
            return False
        begun = JobTestRun.State.PREPARING
        if not on_host.filter(pk=run.pk, state=JobTestRun.State.QUEUED).update(state=begun):
            return False
        turns = host.turns | {str(run.scope.pk): instant_of(timezone.now())}
        host.turns = dict(sorted(turns.items(), key=lambda turn: turn[1])[-_MOST_TURNS:])
        host.save(update_fields=["turns"])
    run.state = begun
    return True


def next_run(queue: str) -> str | None:
    """The run whose turn comes next on a host: of the workspace that had its last turn longest ago, its
    oldest; None: none waits.
    """
    turns = PlayHost.objects.filter(pk=queue).values_list("turns", flat=True).first() or {}
    waiting = JobTestRun.objects.filter(
        host_queue=queue, state=JobTestRun.State.QUEUED, cancel_requested=False
    ).annotate(owner=Coalesce("workspace_id", "job__workspace_id"))
    oldest: dict[int, str] = {}
    for run_id, owner in waiting.order_by("created_at").values_list("pk", "owner"):
        oldest.setdefault(owner, run_id)
    if not oldest:
        return None
    return oldest[min(oldest, key=lambda owner: turns.get(str(owner), 0))]
