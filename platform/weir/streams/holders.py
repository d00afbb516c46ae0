"""What stands above streams may need a topic that no stream lies on, such as that of dead letters, without streams knowing why."""

from collections.abc import Callable

from weir.clusters.models import Cluster
from weir.workspaces.refusals import ConflictError

Holder = Callable[[Cluster, str], list[str]]
"""Cluster and topic → who needs it, each as words that fit before "use it"."""

HOLDERS: list[Holder] = []


def require_unheld(cluster: Cluster, topic: str) -> None:
    """Refuse to delete a topic that is needed.

    Raises:
        ConflictError: IN_USE, with who needs it.
    """
    holders = [words for holder in HOLDERS for words in holder(cluster, topic)]
    if holders:
        raise ConflictError("IN_USE", f"{topic} is needed by {', '.join(holders)}.")
