"""Hands the runs of an engine over to the standby, without the gap of a crash, and starts the engine again.

Each run stops at the end of a batch, so that nothing is read twice; the standby has prepared its queries by
then, and starts them once the stop is reported, as fencing asks (`docs/decisions/2026-11-25-recovery.md`).
"""

from typing import Final

import structlog
from django.db import transaction

from jobs.run_states import LIVE
from weir.runs.models import REVISION_FIELDS, Desired, Engine, Run
from weir.runs.services.placement import takes_over
from weir.runs.services.standby import ready_engine
from weir.runs.task_queue import PUBLISH_RUN, enqueue
from weir.workspaces.errors import ConflictError, NotFoundError
from weir.workspaces.models import Action, Event, User, Workspace
from weir.workspaces.services.events import name_of, record_event

_LOG: Final = structlog.get_logger("weir.handover")


@transaction.atomic
def replace_engine(workspace: Workspace, engine_id: str, actor: User | None) -> Engine:
    """Hand the runs of an engine over, for a person of a workspace. Whoever has the host may replace any
    engine, by `manage.py replace_engine`.

    Returns:
        The engine that gets the runs.

    Raises:
        NotFoundError: the workspace has no such engine.
        ConflictError: it runs jobs of other workspaces too, it does not serve, or no standby is ready.
    """
    runs = Run.objects.expected().filter(engine_id=engine_id)
    own = runs.filter(generation__job__workspace=workspace)
    if not own.exists() and not Engine.objects.filter(pk=engine_id, kind=Engine.Kind.SHARED).exists():
        raise NotFoundError("NOT_FOUND", "Engine not found, or you don't have access.")
    if runs.exclude(generation__job__workspace=workspace).exists():
        raise ConflictError(
            "ENGINE_SHARED",
            "The engine also runs jobs of other workspaces. Ask an administrator of its host to run "
            f"manage.py replace_engine {engine_id}.",
        )
    successor = hand_over(engine_id)
    record_event(
        workspace,
        Event.Kind.ENGINE,
        f"Engine {engine_id} is replaced by {successor.id}",
        actor=name_of(actor),
        subject=engine_id,
        action=Action.CHANGED,
    )
    return successor


@transaction.atomic
def hand_over(engine_id: str) -> Engine:
    """Begin to move the runs of a shared engine to the standby; when all have moved, the engine is started
    again as the next standby. Again while it is under way: no error.

    Returns:
        The engine that gets the runs.

    Raises:
        ConflictError: the engine does not serve, or no standby is ready.
    """
    engine = Engine.objects.select_for_update().filter(pk=engine_id).first()
    if engine is not None and engine.successor is not None:
        return engine.successor
    if (
        engine is None
        or engine.kind != Engine.Kind.SHARED
        or engine.standby
        or engine.state != Engine.State.READY
    ):
        raise ConflictError("NOT_SERVING", "Only a shared engine that is ready can hand its runs over.")
    successor = ready_engine(standby=True)
    if successor is None:
        raise ConflictError(
            "NO_STANDBY", "No standby engine is ready. Wait for it, or turn it on: WEIR_STANDBY=true."
        )
    successor.standby = False
    successor.save(update_fields=["standby"])
    engine.successor = successor
    engine.save(update_fields=["successor"])
    _move_runs(engine)
    _LOG.info("an engine hands its runs over", engine=engine.id, successor=successor.id)
    return successor


def _move_runs(engine: Engine) -> None:
    """Stop the runs that the engine has; their next epoch is placed anew."""
    staying = Run.objects.filter(
        engine=engine, desired=Desired.RUNNING, observed__in=LIVE, awaiting_stop=False
    )
    for run in staying.select_for_update(of=("self",)):
        run.awaiting_stop = True
        run.desire_change()
        run.save(update_fields=["awaiting_stop", *REVISION_FIELDS])
        transaction.on_commit(lambda run_id=run.id: enqueue(PUBLISH_RUN, run_id))  # type: ignore[misc]  # bound by value


@transaction.atomic
def finish_handover(engine_id: str) -> bool:
    """End a hand-over: an engine without runs becomes the next standby; one whose successor has died, or
    whose successor's host is silent, keeps the runs that it still has.

    Returns:
        True when the engine's process is to be started again.
    """
    engine = Engine.objects.select_for_update().get(pk=engine_id)
    if engine.successor is None:
        return False
    if not takes_over(engine.successor):
        _LOG.warning("a hand-over is given up", engine=engine.id, successor=engine.successor.id)
        engine.successor = None
        engine.save(update_fields=["successor"])
        return False
    if Run.objects.filter(engine=engine, observed__in=LIVE).exists():
        _move_runs(engine)  # one may have been placed here at the moment in which the hand-over began
        return False
    engine.successor, engine.standby = None, True
    engine.save(update_fields=["successor", "standby"])
    return True
