"""Hands the runs of an engine over to the standby, without the gap of a crash, and starts the engine again.

Each run stops at the end of a batch, so that nothing is read twice; the standby has prepared its queries by
then, and starts them once the stop is reported, as fencing asks (`docs/decisions/2026-11-25-recovery.md`).
"""

from typing import Final

import structlog
from django.db import transaction

from jobs.run_states import LIVE
from weir.runs.models import REVISION_FIELDS, Desired, Engine, Run
from weir.runs.services.standby import ready_engine
from weir.runs.task_queue import PUBLISH_RUN, enqueue
from weir.workspaces.errors import ServiceError

_LOG: Final = structlog.get_logger("weir.handover")


@transaction.atomic
def hand_over(engine_id: str) -> Engine:
    """Begin to move the runs of a shared engine to the standby; when all have moved, the engine is started
    again as the next standby. Again while it is under way: no error.

    Returns:
        The engine that gets the runs.

    Raises:
        ServiceError: the engine does not serve, or no standby is ready.
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
        raise ServiceError("NOT_SERVING", "Only a shared engine that is ready can hand its runs over.")
    successor = ready_engine(standby=True)
    if successor is None:
        raise ServiceError(
            "NO_STANDBY", "No standby engine is ready. Wait for it, or turn it on: WEIR_STANDBY=true."
        )
    successor.standby = False
    successor.save(update_fields=["standby"])
    engine.successor = successor
    engine.save(update_fields=["successor"])
    for run in Run.objects.filter(engine=engine, desired=Desired.RUNNING, observed__in=LIVE):
        run.awaiting_stop = True
        run.desire_change()
        run.save(update_fields=["awaiting_stop", *REVISION_FIELDS])
        transaction.on_commit(lambda run_id=run.id: enqueue(PUBLISH_RUN, run_id))  # type: ignore[misc]  # bound by value
    _LOG.info("an engine hands its runs over", engine=engine.id, successor=successor.id)
    return successor


@transaction.atomic
def finish_handover(engine_id: str) -> bool:
    """End a hand-over: an engine without runs becomes the next standby; one whose successor has died keeps
    the runs that it still has.

    Returns:
        True when the engine's process is to be started again.
    """
    engine = Engine.objects.select_for_update().get(pk=engine_id)
    if engine.successor is None:
        return False
    if engine.successor.state != Engine.State.READY:
        _LOG.warning("a hand-over is given up", engine=engine.id, successor=engine.successor.id)
        engine.successor = None
        engine.save(update_fields=["successor"])
        return False
    if Run.objects.filter(engine=engine, observed__in=LIVE).exists():
        return False
    engine.successor, engine.standby = None, True
    engine.save(update_fields=["successor", "standby"])
    return True
