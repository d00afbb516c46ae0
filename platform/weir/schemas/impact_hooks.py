"""Hooks that compute the impact of a new schema version on jobs, so that the registry need not know jobs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from weir.schemas.errors import RegistryError
from weir.schemas.parsing import ParsedSchema
from weir.workspaces.models import Workspace


@dataclass(frozen=True)
class Effect:
    """What a new version does to one job.

    Attributes:
        job_id, job_name: the job.
        stream: the stream that it reads.
        verdict: breaks it, shows it new fields, or leaves it as it is.
        details: what breaks, one sentence each; or names of new fields.
    """

    job_id: str
    job_name: str
    stream: str
    verdict: Literal["breaks", "new_fields", "unaffected"]
    details: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The form of the answer."""
        names = {"job_id": self.job_id, "job_name": self.job_name, "stream": self.stream}
        return {**names, "verdict": self.verdict, "details": list(self.details)}


ImpactHook = Callable[[Workspace, str, ParsedSchema], list[Effect]]
IMPACT_HOOKS: list[ImpactHook] = []


def effects(workspace: Workspace, subject: str, new: ParsedSchema) -> list[Effect]:
    """The effects of a new version of a subject on every job."""
    return [effect for hook in IMPACT_HOOKS for effect in hook(workspace, subject, new)]


def require_no_breakage(workspace: Workspace, subject: str, new: ParsedSchema) -> None:
    """Refuse a version that breaks jobs.

    Raises:
        RegistryError: 409, with the names of the jobs and what breaks in each.
    """
    every = effects(workspace, subject, new)
    broken = [effect for effect in every if effect.verdict == "breaks"]
    if broken:
        named = "; ".join(f"{effect.job_name} ({' '.join(effect.details[:3])})" for effect in broken[:20])
        message = f"This change breaks {len(broken)} job(s): {named}. Confirm, or set force=true."
        raise RegistryError(409, message, effects=[effect.as_json() for effect in every[:200]])
