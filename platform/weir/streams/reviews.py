"""What stands above streams may review a new contract before it is taken, without streams knowing jobs."""

from collections.abc import Callable

from jobs.formats.contract import StreamContract
from weir.schemas.reviews import Effect
from weir.streams.models import Stream
from weir.workspaces.refusals import ConflictError

Review = Callable[[Stream, StreamContract], list[Effect]]
REVIEWS: list[Review] = []


def effects(stream: Stream, contract: StreamContract) -> list[Effect]:
    """What a new contract would do to every job that uses the stream."""
    return [effect for review in REVIEWS for effect in review(stream, contract)]


def require_unbroken(stream: Stream, contract: StreamContract) -> None:
    """Refuse a contract that breaks jobs.

    Raises:
        ConflictError: BREAKS_JOBS, with their names and where each breaks.
    """
    every = effects(stream, contract)
    broken = [effect for effect in every if effect.verdict == "breaks"]
    if broken:
        named = "; ".join(f"{effect.job_name} ({' '.join(effect.places[:3])})" for effect in broken[:20])
        raise ConflictError(
            "BREAKS_JOBS",
            f"This change breaks {len(broken)} job(s): {named} Confirm, or set force: true.",
            more={"effects": [effect.as_json() for effect in every[:200]]},
        )
