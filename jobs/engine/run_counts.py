"""What the batches of several stages say of their run: every record, error and late row is counted once.

Stages read the same sources, each on its own, and a step may stand in several of them.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from jobs.engine.late_counts import late_steps_shared
from jobs.engine.progress import BatchProgress
from jobs.engine.subscriptions import naming
from jobs.messages import DesiredRun
from jobs.plan import Plan, StageName


@dataclass(frozen=True, slots=True)
class _Owned:
    """What one stage counts for the run: nodes, and topics with their naming, that no stage before it has."""

    nodes: frozenset[str]
    places: frozenset[tuple[str, int]]


class RunCounts:
    """Batches of stages become batches of the run.

    Args:
        plan: of the run's document.
        run: tells the topics of its sources.
    """

    def __init__(self, plan: Plan, run: DesiredRun) -> None:
        self._owned = _owned(plan, run)
        self._late_shared: Final = late_steps_shared(plan)
        self._late: dict[StageName, int] = dict.fromkeys(self._owned, 0)
        self._late_told = 0
        self._last: dict[StageName, BatchProgress] = {}
        self._lock = threading.Lock()

    def take(self, stage: StageName, batch: BatchProgress) -> BatchProgress:
        """A batch of a stage as one of the run.

        Returns:
            Counts of what no other stage counts; late rows as of `_late_rows`; the least watermark, and the state of all
            stages: None until each has had a batch. Positions are those of the stage.
        """
        owned = self._owned[stage]
        with self._lock:
            self._last[stage] = batch
            return replace(
                batch,
                rows_in=sum(rows for place, rows in batch.rows_by_place.items() if place in owned.places),
                late=self._late_rows(stage, batch.late),
                malformed=counts_of(batch.malformed, owned.nodes),
                read={name: read for name, read in batch.read.items() if name in owned.nodes},
                expression_nulls=counts_of(batch.expression_nulls, owned.nodes),
                limit_reached=counts_of(batch.limit_reached, owned.nodes),
                watermark_us=self._watermark(),
                state_rows=self._sum([last.state_rows for last in self._last.values()]),
                state_bytes=self._sum([last.state_bytes for last in self._last.values()]),
            )

    def _late_rows(self, stage: StageName, late: int) -> int:
        """Late rows that were not told before. Where a step stands in several stages, the greatest number that one of them
        has found: never more than there are, and none only where there is none."""
        self._late[stage] += late
        found = max(self._late.values()) if self._late_shared else sum(self._late.values())
        fresh, self._late_told = found - self._late_told, found
        return fresh

    def _watermark(self) -> int | None:
        known = [last.watermark_us for last in self._last.values() if last.watermark_us is not None]
        return min(known) if known and len(self._last) == len(self._owned) else None

    def _sum(self, parts: list[int | None]) -> int | None:
        known = [part for part in parts if part is not None]
        return sum(known) if known and len(parts) == len(self._owned) else None


def owned_nodes(plan: Plan) -> dict[StageName, frozenset[str]]:
    """By stage the nodes whose counts are the run's: those that no stage before it has."""
    found: dict[StageName, frozenset[str]] = {}
    for stage in plan.stages:
        found[stage.name] = stage.live.difference(*found.values())
    return found


def counts_of(counts: Mapping[str, int], nodes: frozenset[str]) -> dict[str, int]:
    """Those of these nodes."""
    return {name: count for name, count in counts.items() if name in nodes}


def _owned(plan: Plan, run: DesiredRun) -> dict[StageName, _Owned]:
    nodes = owned_nodes(plan)
    found: dict[StageName, _Owned] = {}
    for stage in plan.stages:
        read = frozenset((source.topic, naming(run, source)) for name, source in run.sources.items() if name in stage.flowing)
        found[stage.name] = _Owned(nodes[stage.name], read.difference(*(other.places for other in found.values())))
    return found
