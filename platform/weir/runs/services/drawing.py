"""Where people put the nodes of a job's drawing; the only writer of `JobDrawing`.

Positions belong to a job and are kept by the names of nodes: no version and no fingerprint changes by them.
Of two people who move one node the later one wins; moves of different nodes do not meet.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from django.db import transaction

from jobs.base.names import NAME
from weir.runs.models import Job, JobDrawing, JobVersion
from weir.runs.services.job_lock import lock_job
from weir.runs.services.node_renames import node_names, renamed_nodes
from weir.runs.services.planning import versions_in_use

Position = Mapping[str, int]
Moves = Mapping[str, Position | None]  # None: automatic again
Positions = dict[str, dict[str, dict[str, int]]]

DIRECTIONS: Final = ("right", "down")  # as the drawing flows: wide and narrow
MAX_POSITIONS: Final = 500  # of a direction: two versions of a job have at most 480 nodes
MAX_COORDINATE: Final = 1_000_000  # pixels
NODE: Final = re.compile(rf"(output:)?{NAME.pattern}")


def positions_of(job: Job) -> Positions:
    """The positions of a job by direction and node; nodes without one are laid out automatically."""
    stored = JobDrawing.objects.filter(job=job).values_list("positions", flat=True).first() or {}
    return {direction: stored.get(direction, {}) for direction in DIRECTIONS}


@transaction.atomic
def move_nodes(job: Job, moves: Mapping[str, Moves]) -> Positions:
    """Give nodes positions, or take them away.

    Args:
        job: whose drawing it is.
        moves: by direction: positions by node, None: automatic again. What is left out stays.

    Returns:
        All positions, as they are now. Where there would be more than `MAX_POSITIONS`, those are forgotten
        whose nodes no version in use has, unless they come just now.

    Raises:
        NotFoundError: the job is deleted.
    """
    lock_job(job)
    now = positions_of(job)
    for direction, moved in moves.items():
        now[direction] = _merged(job, now[direction], moved)
    JobDrawing.objects.update_or_create(job=job, defaults={"positions": now})
    return now


def _merged(
    job: Job, before: Mapping[str, dict[str, int]], moved: Mapping[str, Position | None]
) -> dict[str, dict[str, int]]:
    given = {name: dict(position) for name, position in moved.items() if position is not None}
    merged = {name: position for name, position in before.items() if name not in moved} | given
    if len(merged) <= MAX_POSITIONS:
        return merged
    known = _names_in_use(job) | given.keys()
    return dict([one for one in merged.items() if one[0] in known][-MAX_POSITIONS:])


def follow_version(job: Job, version: JobVersion) -> None:
    """Let the positions follow a version that was just made: a node that it renames keeps its place, and one
    that neither it nor the running version has loses it.

    Args:
        job: locked, with the version as its newest.
        version: whose document changed.
    """
    row = JobDrawing.objects.filter(job=job).first()
    if row is None:
        return
    before = JobVersion.objects.filter(job=job, number=version.number - 1).first()
    names = renamed_nodes(before.document, version.document) if before else {}
    in_use = _names_in_use(job)
    for direction, placed in row.positions.items():
        renamed = {new: placed[old] for old, new in names.items() if old in placed}
        row.positions[direction] = {
            name: position for name, position in {**renamed, **placed}.items() if name in in_use
        }
    row.save(update_fields=["positions"])


def _names_in_use(job: Job) -> set[str]:
    documents: list[Mapping[str, Any]] = [version.document for version in versions_in_use(job)]
    return {name for document in documents for name in node_names(document)}
