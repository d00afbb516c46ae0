"""On which host tests are played: on one whose worker answers. What is left of them on one that did not."""

from typing import Final

import structlog
from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from weir.job_tests.models import LIVE, JobTestRun
from weir.job_tests.services.spool import Spool, spooled_runs
from weir.runs.services.engine_hosts import heard_hosts, is_gone, roomiest_host

_LOG: Final = structlog.get_logger("weir.job_tests")
_State = JobTestRun.State


def host_for_tests() -> str:
    """The queue of the host that plays a new run: that of the settings, unless only others answer."""
    here: str = settings.HOST_QUEUE
    heard = heard_hosts(timezone.now())
    if here in heard or not heard:
        return here
    roomiest = roomiest_host()
    return roomiest if roomiest in heard else min(heard)  # tests need no checkpoints of other hosts


def leave_silent_hosts() -> None:
    """Runs on a host that does not answer begin again on another one, and end where somebody canceled them.

    Results that they have given stay. What still plays them there ends by itself; `remove_left_folders`
    deletes their records once that host answers again.
    """
    now = timezone.now()
    heard = heard_hosts(now)
    unclaimed = Q(claimed_until__isnull=True) | Q(claimed_until__lt=now)
    live = JobTestRun.objects.filter(unclaimed, state__in=LIVE).exclude(host_queue__in=heard)
    for queue in live.order_by().values_list("host_queue", flat=True).distinct():
        if not heard and not is_gone(queue):  # none has been heard yet
            continue
        left = live.filter(host_queue=queue)
        left.filter(cancel_requested=True).update(state=_State.CANCELED, finished_at=now)
        if not heard:
            continue
        moved = left.filter(cancel_requested=False).update(
            host_queue=host_for_tests(),
            state=_State.QUEUED,
            prepared=0,
            preparing_s=0.0,
            done=0,
            engine="",
            engine_incarnation="",
            handle=None,
            started_at=None,
        )
        if moved:
            _LOG.warning("the tests of a silent host are run on another one", host=queue, runs=moved)


def remove_left_folders() -> None:
    """Delete the folders of runs on this host that have ended, or were deleted, without it."""
    found = spooled_runs()
    # Also those of other hosts stay while they are live: hosts may share the data folder.
    live = set(JobTestRun.objects.filter(pk__in=found, state__in=LIVE).values_list("pk", flat=True))
    for run_id in found:
        if run_id not in live:
            Spool(run_id).remove()
