"""What stands above the registry may review a new version before it is accepted, without the registry knowing it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from weir.schemas.faults import RegistryError
from weir.schemas.reading import ReadSchema
from weir.workspaces.models import Workspace


@dataclass(frozen=True)
class Effect:
    """What a new version does to one job.

    Attributes:
        job_id, job_name: the job.
        stream: the stream that it reads.
        verdict: breaks it, shows it new fields, or leaves it as it is.
        places: where it breaks, one sentence each; or names of new fields.
    """

    job_id: str
    job_name: str
    stream: str
    verdict: Literal["breaks", "new_fields", "unaffected"]
    places: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The form of the answer."""
        names = {"job_id": self.job_id, "job_name": self.job_name, "stream": self.stream}
        return {**names, "verdict": self.verdict, "places": list(self.places)}


Review = Callable[[Workspace, str, ReadSchema], list[Effect]]
REVIEWS: list[Review] = []


def effects(workspace: Workspace, subject: str, new: ReadSchema) -> list[Effect]:
    """What a new version of a subject would do to every job."""
    return [effect for review in REVIEWS for effect in review(workspace, subject, new)]


def require_unbroken(workspace: Workspace, subject: str, new: ReadSchema) -> None:
    """Refuse a version that breaks jobs.

    Raises:
        RegistryError: 409, with the jobs' names and where each breaks.
    """
    every = effects(workspace, subject, new)
    broken = [effect for effect in every if effect.verdict == "breaks"]
    if broken:
        named = "; ".join(f"{effect.job_name} ({' '.join(effect.places[:3])})" for effect in broken[:20])
        message = f"This change breaks {len(broken)} job(s): {named}. Confirm, or set force=true."
        raise RegistryError(409, message, effects=[effect.as_json() for effect in every[:200]])
