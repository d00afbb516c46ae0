"""Bounds how many series an answer has, by workspace, so that none takes the room of another."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from weir.monitoring.services.metrics import Level, Sample

_ORDER: Final = {level: index for index, level in enumerate(Level)}


@dataclass(frozen=True, slots=True)
class Block:
    """Samples that are written together or not at all, so that a sum over them is never over a part.

    Attributes:
        workspace: whose limit they count against; empty: none, as for engines.
        level: what they are about.
        samples: of one job, stream, engine or cluster.
    """

    workspace: str
    level: Level
    samples: tuple[Sample, ...]


@dataclass(frozen=True, slots=True)
class Admitted:
    """What is written, and how many series are not, by workspace and level (0: all are)."""

    samples: list[Sample]
    omitted: Counter[tuple[str, Level]]


def admit(blocks: Iterable[Block], max_series: int) -> Admitted:
    """Admit blocks in the order of their levels, and otherwise in the given one.

    A block that is too large is left out; a smaller one after it may still fit.

    Args:
        blocks: of all workspaces.
        max_series: of each workspace, and of what belongs to none.
    """
    samples: list[Sample] = []
    omitted: Counter[tuple[str, Level]] = Counter()
    used: Counter[str] = Counter()
    for block in sorted(blocks, key=lambda block: _ORDER[block.level]):
        size = len(block.samples)
        fits = used[block.workspace] + size <= max_series
        omitted[block.workspace, block.level] += 0 if fits else size
        if fits:
            used[block.workspace] += size
            samples += block.samples
    return Admitted(samples, omitted)
