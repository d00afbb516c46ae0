"""Hooks that compute the impact of a new contract on jobs, so that this app need not know jobs."""

from collections.abc import Callable

from jobs.formats.contract import StreamContract
from weir.schemas.impact_hooks import Effect
from weir.streams.models import Stream
from weir.workspaces.errors import ConflictError

ImpactHook = Callable[[Stream, StreamContract], list[Effect]]
IMPACT_HOOKS: list[ImpactHook] = []


def effects(stream: Stream, contract: StreamContract) -> list[Effect]:
    """The effects of a new contract on every job that uses the stream."""
    return [effect for hook in IMPACT_HOOKS for effect in hook(stream, contract)]


def require_no_breakage(stream: Stream, contract: StreamContract) -> None:
    """Refuse a contract that breaks jobs.

    Raises:
        ConflictError: BREAKS_JOBS, with the names of the jobs and what breaks in each.
    """
    every = effects(stream, contract)
    broken = [effect for effect in every if effect.verdict == "breaks"]
    if broken:
        named = "; ".join(f"{effect.job_name} ({' '.join(effect.details[:3])})" for effect in broken[:20])
        raise ConflictError(
            "BREAKS_JOBS",
            f"This change breaks {len(broken)} job(s): {named} Confirm, or set force: true.",
            more={"effects": [effect.as_json() for effect in every[:200]]},
        )
