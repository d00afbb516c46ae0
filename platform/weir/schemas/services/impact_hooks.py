"""Hooks that compute the impact of a new schema version on jobs, so that the registry need not know jobs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from weir.schemas.errors import RegistryError
from weir.schemas.services.parsing import ParsedSchema
from weir.workspaces.models import Workspace

Impact = Literal["breaks", "resets_state", "new_fields", "unaffected"]
_SEVERITY: Final[tuple[Impact, ...]] = get_args(Impact)


@dataclass(frozen=True)
class JobImpact:
    """Impact of a change on one job.

    Attributes:
        job_id, job_name: the job.
        stream: the stream that it reads.
        impact: whether it breaks, cannot go on with its state at its next start, gets new fields, or is
            unaffected.
        details: what breaks or resets state, one sentence each; or names of new fields.
    """

    job_id: str
    job_name: str
    stream: str
    impact: Impact
    details: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """JSON for the API."""
        names = {"job_id": self.job_id, "job_name": self.job_name, "stream": self.stream}
        return {**names, "impact": self.impact, "details": list(self.details)}


ImpactHook = Callable[[Workspace, str, ParsedSchema], list[JobImpact]]
IMPACT_HOOKS: list[ImpactHook] = []


def impacts(workspace: Workspace, subject: str, new: ParsedSchema) -> list[JobImpact]:
    """The impacts of a new version of a subject on every job, the most severe first."""
    return by_severity(impact for hook in IMPACT_HOOKS for impact in hook(workspace, subject, new))


def by_severity(impacts: Iterable[JobImpact]) -> list[JobImpact]:
    """The most severe first, so that an answer that leaves some out has what must be confirmed; then by name.

    Args:
        impacts: in any order.
    """
    return sorted(impacts, key=lambda one: (_SEVERITY.index(one.impact), one.job_name))


def require_no_breakage(workspace: Workspace, subject: str, new: ParsedSchema) -> None:
    """Refuse a version that breaks jobs.

    Raises:
        RegistryError: 409, with the names of the jobs and what breaks in each.
    """
    every = impacts(workspace, subject, new)
    broken = [impact for impact in every if impact.impact == "breaks"]
    if broken:
        named = "; ".join(f"{impact.job_name} ({' '.join(impact.details[:3])})" for impact in broken[:20])
        message = f"This change breaks {len(broken)} job(s): {named}. Confirm, or set force=true."
        raise RegistryError(409, message, impacts=[impact.as_json() for impact in every[:200]])
