"""Rows of guards and letters for tests that need no broker."""

from datetime import UTC, datetime
from typing import Any

from jobs.messages import GuardRange, GuardReport
from tests.support.weir_runs import now_us, running, trades
from weir.guards.models import DeadLetter, Guard
from weir.guards.services.switching import ensure_guard
from weir.runs.models import Run
from weir.streams.models import Stream
from weir.workspaces.models import Workspace


def guarded(workspace: Workspace, **more: Any) -> Guard:
    """The guard of a new stream, never started."""
    return ensure_guard(trades(workspace, **more))


def run_of(guard: Guard, state: str = "running") -> Run:
    """A run of the guard, as an engine has echoed it."""
    run = running(guard.job, state=state)
    guard.job.refresh_from_db()
    return run


def report(run: Run, *ranges: GuardRange, at_us: int | None = None, topic_id: str = "id-1") -> GuardReport:
    """What a batch of the run counted."""
    return GuardReport(
        at_us=at_us or now_us(),
        engine_id=run.engine_id or "",
        incarnation="inc-1",
        run_id=run.pk,
        epoch=run.epoch,
        batch=0,
        topic_id=topic_id,
        ranges=ranges,
    )


def letter(guard: Guard, offset: int, reason: str = "NOT_JSON", **more: Any) -> DeadLetter:
    """A letter that waits."""
    values = {"topic_id": "id-1", "partition": 0, "dead_partition": 0, "dead_offset": offset, "size": 3, "preview": "{ba"}
    return DeadLetter.objects.create(guard=guard, offset=offset, reason=reason, at=datetime.now(UTC), **{**values, **more})


def stream_of(guard: Guard) -> Stream:
    """The guarded stream, read anew."""
    return Stream.objects.get(pk=guard.stream_id)
