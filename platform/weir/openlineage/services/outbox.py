"""The outbox: which events wait for which receiver, in which order."""

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone

from jobs.run_states import READING
from weir.openlineage.models import LineageEvent, LineageReceiver
from weir.openlineage.task_queue import ask_for_delivery
from weir.outgoing.retries import GIVE_UP_AFTER, wait_seconds
from weir.retention import LINEAGE_EVENT_RETENTION
from weir.row_deletion import delete_in_slices
from weir.runs.models import Desired, Execution, Job, Observed, Run

MAX_BUILDS: Final = 5  # of one event; some minutes, in case what is missing is there again
LEASE: Final = timedelta(seconds=120)  # a worker that did not renew it is believed dead
_PURGE_S: Final = 20.0  # the next purge goes on
_MAX_REASON: Final = 2_000
_MAX_ERROR: Final = 300


@transaction.atomic(savepoint=False)
def note(run: Run, state: str, reason: str) -> None:
    """Put the event of an execution's new state into the outbox, once, in the caller's transaction.

    Nothing is written where the workspace has no receiver that is turned on, for validators, and for states
    that have no event.
    """
    kind = event_type(run, state)
    job = run.generation.job
    if kind is None or job.kind != Job.Kind.JOB:
        return
    # Held until the caller's transaction ends: a receiver that was deleted before would end it with an error.
    held = LineageReceiver.objects.select_for_update(no_key=True)
    receiver = held.filter(workspace=job.workspace_id, enabled=True).first()
    if receiver is None:
        return
    # a run that waits for this execution to stop has the version of its next start already
    version = Execution.objects.values_list("version", flat=True).get(run=run, epoch=run.epoch)
    event = _event(receiver, run, run.epoch, version, kind)
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
    """Tell a receiver of the executions that go on already, and of the end of those that it knows to have
    begun: they ended while it was turned off, and it would show them as running for ever.
    """
    live = Execution.objects.filter(
        run__generation__job__workspace=receiver.workspace_id,
        run__generation__job__kind=Job.Kind.JOB,
        ended_at__isnull=True,
    ).select_related("run__generation__job")
    events = []
    for execution in live.order_by("started_at"):
        run = execution.run
        states = [(LineageEvent.Type.START, execution.started_at)]
        if run.epoch == execution.epoch and run.observed in READING:
            states.append((LineageEvent.Type.RUNNING, run.observed_since))
        for kind, at in states:
            event = _event(receiver, run, execution.epoch, execution.version, kind)
            event.at = at
            events.append(event)
    for execution in _ended_unheard(receiver).select_related("run__generation__job").order_by("ended_at"):
        has_failed = execution.state == Observed.FAILED
        kind = LineageEvent.Type.FAIL if has_failed else LineageEvent.Type.COMPLETE
        event = _event(receiver, execution.run, execution.epoch, execution.version, kind)
        event.at = execution.ended_at or timezone.now()
        event.reason = execution.end_reason if has_failed else ""
        events.append(event)
    LineageEvent.objects.bulk_create(events, ignore_conflicts=True)


def _ended_unheard(receiver: LineageReceiver) -> QuerySet[Execution]:
    heard = LineageEvent.objects.filter(receiver=receiver, run_id=OuterRef("run_id"), epoch=OuterRef("epoch"))
    ends = (LineageEvent.Type.COMPLETE, LineageEvent.Type.FAIL, LineageEvent.Type.ABORT)
    begun = Exists(heard.filter(type=LineageEvent.Type.START))
    return Execution.objects.filter(begun, ~Exists(heard.filter(type__in=ends)), ended_at__isnull=False)


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
    rows = LineageReceiver.objects.filter(enabled=True, due_at__lte=now, leased_until__lte=now)
    return list(rows.filter(Exists(_free(OuterRef("pk")))).values_list("pk", flat=True))


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
    """The oldest event that may be sent now; None: there is none."""
    return _free(receiver.pk).select_related("job__workspace").order_by("id").first()


def _free(receiver_id: int | OuterRef) -> QuerySet[LineageEvent]:
    """Events of a receiver that wait and may be sent now. One that could not be built holds back the later
    ones of its execution, whose order matters, and no others.
    """
    waiting = LineageEvent.objects.filter(state=LineageEvent.State.WAITING)
    of_execution = {name: OuterRef(name) for name in ("receiver", "run_id", "epoch")}
    held = waiting.filter(due_at__gt=timezone.now(), **of_execution)
    return waiting.filter(receiver=receiver_id).exclude(Exists(held))


def sent(event: LineageEvent) -> None:
    """Note that an event arrived."""
    now = timezone.now()
    LineageEvent.objects.filter(pk=event.pk).update(state=LineageEvent.State.SENT, sent_at=now, error="")
    LineageReceiver.objects.filter(pk=event.receiver_id).update(attempts=0, sent_at=now)


def not_sent(event: LineageEvent, error: str, *, refused: bool, retry_after_s: int | None = None) -> None:
    """Note that an event did not arrive: it holds back those after it. What has waited too long is given up,
    with all others that have.

    Args:
        event: that was sent.
        error: why it did not arrive, for people.
        refused: the receiver will never take this event, so that it is given up at once.
        retry_after_s: for how many seconds the receiver asked to wait; None: it did not.
    """
    now, error = timezone.now(), error[:_MAX_ERROR]
    LineageEvent.objects.filter(pk=event.pk).update(
        state=LineageEvent.State.FAILED if refused else LineageEvent.State.WAITING, error=error
    )
    receivers = LineageReceiver.objects.filter(pk=event.receiver_id)
    receivers.update(attempts=F("attempts") + 1, failed_at=now, error=error)
    if not refused:
        waiting = LineageEvent.objects.filter(receiver=event.receiver_id, state=LineageEvent.State.WAITING)
        too_old = waiting.filter(created_at__lt=now - GIVE_UP_AFTER)
        too_old.update(state=LineageEvent.State.FAILED, error=error)
        attempts = receivers.values_list("attempts", flat=True).first() or 1
        receivers.update(due_at=now + timedelta(seconds=wait_seconds(attempts, retry_after_s)))


def not_built(event: LineageEvent, error: str) -> bool:
    """Note that an event could not be built; True: it is given up, after `MAX_BUILDS` attempts.

    Args:
        event: that could not be built.
        error: why, for people.
    """
    now, error, attempts = timezone.now(), error[:_MAX_ERROR], event.attempts + 1
    over = attempts >= MAX_BUILDS
    LineageEvent.objects.filter(pk=event.pk).update(
        state=LineageEvent.State.FAILED if over else LineageEvent.State.WAITING,
        error=error,
        attempts=attempts,
    )
    if not over:
        of_execution = LineageEvent.objects.filter(
            receiver=event.receiver_id,
            run_id=event.run_id,
            epoch=event.epoch,
            state=LineageEvent.State.WAITING,
        )
        of_execution.update(due_at=now + timedelta(seconds=wait_seconds(attempts)))
    LineageReceiver.objects.filter(pk=event.receiver_id).update(failed_at=now, error=error)
    return over


def purge() -> None:
    """Delete events that were written long ago, and sent or given up."""
    old = LineageEvent.objects.exclude(state=LineageEvent.State.WAITING).filter(
        created_at__lt=timezone.now() - LINEAGE_EVENT_RETENTION
    )
    delete_in_slices(old, _PURGE_S)
