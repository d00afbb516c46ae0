"""The outbox: which events wait for which receiver, in which order."""

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone

from jobs.run_states import READING, STARTED
from weir.openlineage.models import LineageEvent, LineageReceiver
from weir.openlineage.task_queue import ask_for_delivery
from weir.retention import LINEAGE_EVENT_RETENTION
from weir.runs.models import Desired, Execution, Job, Observed, Run

LEASE: Final = timedelta(seconds=120)  # a worker that did not renew it is believed dead
_PURGE_BATCH: Final = 5_000
_MAX_REASON: Final = 2_000


def note(run: Run, state: str, reason: str) -> None:
    """Put the event of an execution's new state into the outbox, once; the caller holds the transaction.

    Nothing is written where the workspace has no receiver that is turned on, for validators, and for states
    that have no event.
    """
    kind = event_type(run, state)
    job = run.generation.job
    if kind is None or job.kind != Job.Kind.JOB:
        return
    receiver = LineageReceiver.objects.filter(workspace=job.workspace_id, enabled=True).first()
    if receiver is None:
        return
    event = _event(receiver, run, run.epoch, run.version, kind)
    if kind in (LineageEvent.Type.FAIL, LineageEvent.Type.ABORT):
        event.reason = reason[:_MAX_REASON]
    LineageEvent.objects.bulk_create([event], ignore_conflicts=True)
    transaction.on_commit(ask_for_delivery)


def event_type(run: Run, state: str) -> LineageEvent.Type | None:
    """The event that says this state of a run's execution; None: none does.

    An execution that stops because somebody asked for it, also to restart, is complete; one that was stopped
    under a run that should go on is aborted.
    """
    if state == Observed.STARTING:
        return LineageEvent.Type.START
    if state in READING:
        return LineageEvent.Type.RUNNING
    if state == Observed.FAILED:
        return LineageEvent.Type.FAIL
    if state == Observed.STOPPED:
        asked = run.desired != Desired.RUNNING or run.awaiting_stop
        return LineageEvent.Type.COMPLETE if asked else LineageEvent.Type.ABORT
    return None


def announce(receiver: LineageReceiver) -> None:
    """Tell a receiver of the executions that go on already."""
    live = Execution.objects.filter(
        run__generation__job__workspace=receiver.workspace_id,
        run__generation__job__kind=Job.Kind.JOB,
        ended_at__isnull=True,
    ).select_related("run__generation__job")
    events = []
    for execution in live.order_by("started_at"):
        run = execution.run
        states = [(LineageEvent.Type.START, execution.started_at)]
        if run.epoch == execution.epoch and run.observed in STARTED:
            states.append((LineageEvent.Type.RUNNING, run.observed_since))
        for kind, at in states:
            event = _event(receiver, run, execution.epoch, execution.version, kind)
            event.at = at
            events.append(event)
    LineageEvent.objects.bulk_create(events, ignore_conflicts=True)


def _event(
    receiver: LineageReceiver, run: Run, epoch: int, version: int, kind: LineageEvent.Type
) -> LineageEvent:
    """An event of an execution, not saved yet, of now."""
    job = run.generation.job
    return LineageEvent(
        receiver=receiver,
        type=kind,
        run_id=run.pk,
        epoch=epoch,
        version=version,
        job=job,
        job_name=job.name,
    )


def due_receivers() -> list[int]:
    """Ids of receivers for which something waits and may be sent now."""
    now = timezone.now()
    rows = LineageReceiver.objects.filter(
        enabled=True, due_at__lte=now, leased_until__lte=now, events__state=LineageEvent.State.WAITING
    )
    return list(rows.values_list("pk", flat=True).distinct())


def lease(receiver: LineageReceiver) -> bool:
    """Take a receiver, or keep it; False: another worker has it."""
    now = timezone.now()
    until = now + LEASE
    taken = LineageReceiver.objects.filter(
        pk=receiver.pk, enabled=True, due_at__lte=now, leased_until=receiver.leased_until
    ).update(leased_until=until)
    receiver.leased_until = until
    return bool(taken)


def next_event(receiver: LineageReceiver) -> LineageEvent | None:
    """The oldest event that waits for a receiver; None: nothing waits."""
    waiting = LineageEvent.objects.filter(receiver=receiver, state=LineageEvent.State.WAITING)
    return waiting.select_related("job__workspace").order_by("id").first()


def purge() -> None:
    """Delete events that were sent or given up long ago."""
    old = LineageEvent.objects.exclude(state=LineageEvent.State.WAITING).filter(
        at__lt=timezone.now() - LINEAGE_EVENT_RETENTION
    )
    keys = list(old.values_list("pk", flat=True)[:_PURGE_BATCH])
    for at in range(0, len(keys), 400):
        LineageEvent.objects.filter(pk__in=keys[at : at + 400]).delete()
