"""How much one workspace may have of what takes room from all: rows of ticks, partitions, clients.

Two requests at the same moment may pass a quota together: it bounds what piles up, not the last one.
"""

from typing import Final

from django.conf import settings

from weir.workspaces.errors import ServiceError

NAMES: Final = {
    "jobs": "jobs",
    "versions": "versions of a job",
    "tests": "tests of a job",
    "streams": "streams",
    "contract_characters": "characters of its streams' contracts together, as JSON",
    "clusters": "clusters",
    "partitions": "partitions of topics on the home cluster",
    "alert_rules": "alert rules",
    "alert_channels": "channels for alerts",
    "silences": "silences that have not ended",
    "objectives": "objectives",
    "schemas": "schemas",
    "subjects": "subjects",
}


def require_room(quota: str, used: int, wanted: int = 1) -> None:
    """Refuse what would exceed a quota.

    Args:
        quota: a name of `NAMES`.
        used: what the workspace has.
        wanted: how many more.

    Raises:
        ServiceError: QUOTA_REACHED, with the quota's name and limit.
    """
    limit = settings.QUOTAS[quota]
    if used + wanted <= limit:
        return
    left = f"{limit - used:,} of them are" if used < limit else "none is"
    raise ServiceError(
        "QUOTA_REACHED",
        f"A workspace may have {limit:,} {NAMES[quota]}; {left} left."
        " Delete what isn't used, or ask the operator to raise WEIR_QUOTAS.",
        more={"quota": quota, "limit": limit},
    )
