"""Merges the metrics of a run's queries, so that every record, error and late row is counted once although
each query reads the sources on its own, and a step may be part of several queries.
"""

import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from jobs.engine.late_row_factor import late_steps_shared
from jobs.engine.progress import BatchProgress
from jobs.kafka_messages import StepState
from jobs.plan import Plan, QueryName


class RunProgress:
    """Converts batches of queries into batches of the run.

    Args:
        plan: of the run's document.
    """

    def __init__(self, plan: Plan) -> None:
        self._nodes = owned_nodes(plan)
        self._late_shared: Final = late_steps_shared(plan)
        self._late: dict[QueryName, int] = dict.fromkeys(self._nodes, 0)
        self._late_reported = 0
        self._last: dict[QueryName, BatchProgress] = {}
        self._lock = threading.Lock()

    def merge(self, query: QueryName, batch: BatchProgress) -> BatchProgress:
        """A query's batch as one of the run.

        Returns:
            The batch with the counts that no other query reports, and the late rows of `_late_rows`; the
            lowest watermark, and the state of all queries together, are None until each query has had a
            batch. Positions are those of the query.
        """
        nodes = self._nodes[query]
        own = {name: read for name, read in batch.read.items() if name in nodes}
        with self._lock:
            self._last[query] = batch
            return replace(
                batch,
                rows_in=sum(read.records for read in own.values()),
                late=self._late_rows(query, batch.late),
                malformed=counts_of(batch.malformed, nodes),
                read=own,
                expression_nulls=counts_of(batch.expression_nulls, nodes),
                limit_reached=counts_of(batch.limit_reached, nodes),
                given={name: rows for name, rows in batch.given.items() if name.partition(".")[0] in nodes},
                steps=self._states(batch.steps, nodes),
                watermark_us=self._watermark(),
                state_rows=self._sum([last.state_rows for last in self._last.values()]),
                state_bytes=self._sum([last.state_bytes for last in self._last.values()]),
            )

    def _states(self, steps: Mapping[str, StepState], nodes: frozenset[str]) -> dict[str, StepState]:
        """The states of the query's own steps; a step of several queries is kept by each of them."""
        known = list(self._last.values())
        return {
            name: StepState(
                rows=sum(last.steps[name].rows for last in known if name in last.steps),
                bytes=sum(last.steps[name].bytes for last in known if name in last.steps),
                late=state.late,
            )
            for name, state in steps.items()
            if name in nodes
        }

    def _late_rows(self, query: QueryName, late: int) -> int:
        """Late rows of the run that were not reported before.

        Where a step that drops late rows is part of several queries, the largest total of one query counts:
        at least 1 where a row is late, never more than there are.
        """
        self._late[query] += late
        found = max(self._late.values()) if self._late_shared else sum(self._late.values())
        fresh, self._late_reported = found - self._late_reported, found
        return fresh

    def _watermark(self) -> int | None:
        known = [last.watermark_us for last in self._last.values() if last.watermark_us is not None]
        return min(known) if known and len(self._last) == len(self._nodes) else None

    def _sum(self, parts: list[int | None]) -> int | None:
        known = [part for part in parts if part is not None]
        return sum(known) if known and len(parts) == len(self._nodes) else None


def owned_nodes(plan: Plan) -> dict[QueryName, frozenset[str]]:
    """By query, the nodes whose counts it reports for the run: those that it reads as streams and no earlier
    query does. What it copies is counted when it is read.
    """
    found: dict[QueryName, frozenset[str]] = {}
    for query in plan.queries:
        found[query.name] = query.streaming.difference(*found.values())
    return found


def counts_of(counts: Mapping[str, int], nodes: frozenset[str]) -> dict[str, int]:
    """The counts of these nodes."""
    return {name: count for name, count in counts.items() if name in nodes}
