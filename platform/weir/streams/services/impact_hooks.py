"""Hooks that compute the impact of a new contract on jobs, so that this app need not know jobs."""

from collections.abc import Callable

from jobs.formats.contract import StreamContract
from weir.schemas.services.impact_hooks import JobImpact, by_severity
from weir.streams.models import Stream
from weir.workspaces.errors import ConflictError

ImpactHook = Callable[[Stream, StreamContract], list[JobImpact]]
IMPACT_HOOKS: list[ImpactHook] = []


def impacts(stream: Stream, contract: StreamContract) -> list[JobImpact]:
    """The impacts of a new contract on every job that uses the stream, the most severe first."""
    return by_severity(impact for hook in IMPACT_HOOKS for impact in hook(stream, contract))


def require_no_breakage(stream: Stream, contract: StreamContract) -> None:
    """Refuse a contract that breaks jobs, or under which they can't resume their state.

    Raises:
        ConflictError: BREAKS_JOBS or RESETS_STATE, with the names of the jobs and what the change does to
            each.
    """
    every = impacts(stream, contract)
    more = {"impacts": [impact.as_json() for impact in every[:200]]}
    for kind, code, verb in (
        ("breaks", "BREAKS_JOBS", "breaks"),
        ("resets_state", "RESETS_STATE", "resets the state of"),
    ):
        found = [impact for impact in every if impact.impact == kind]
        if found:
            named = "; ".join(f"{impact.job_name} ({' '.join(impact.details[:3])})" for impact in found[:20])
            message = f"This change {verb} {len(found)} job(s): {named} Confirm, or set force: true."
            raise ConflictError(code, message, more=more)
