"""Ends of engines' processes, as the platform sees them afterwards."""

from weir.runs.models import Engine
from weir.runs.services.engine_logs import engine_log
from weir.runs.services.engines import reconcile_engine

CRASH = "# A fatal error has been detected by the Java Runtime Environment:\n"


def leave_trace(engine_id: str, text: str = CRASH) -> None:
    """The engine's process wrote this into its log."""
    log = engine_log(engine_id)
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a") as output:
        output.write(text)


def end(engine_id: str, *, memory_kill: bool = False) -> None:
    """The process of a ready engine is gone; memory_kill: by the host's kernel."""
    Engine.objects.filter(pk=engine_id).update(
        state="ready", ready=True, handle=None, retry_at=None, last_command_at=None
    )
    reconcile_engine(engine_id, memory_kill=memory_kill)


def crash(engine_id: str, times: int = 1) -> None:
    """The engine's JVM crashed."""
    for _ in range(times):
        leave_trace(engine_id)
        end(engine_id)
