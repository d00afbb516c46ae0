"""Counts the rows that steps of a running query give, where they follow from nothing else
(`jobs.plan.row_counts`).
"""

from collections.abc import Mapping
from typing import Any, Final

from pyspark.sql import DataFrame

from jobs.engine.observation import Metrics, observed
from jobs.engine.observed_metrics import BARRIER, LIMITS, NULLS, READ
from jobs.engine.read_counts import counted_read
from jobs.engine.rows import PRESENT, Rows
from jobs.engine.step_failures import step_failures
from jobs.operators.aggregate_bound import AggregateBound
from jobs.operators.broadcast import Broadcast
from jobs.operators.data_driven_windows import SessionSpec, SlidingSpec
from jobs.operators.table_join_bound import TableJoinBound
from jobs.plan import Node, Plan
from jobs.plan.model import SOURCE
from jobs.plan.row_counts import row_counts, rows_of

GIVEN: Final = "given:"  # reference → rows
PACKED: Final = "packed:"  # root of several outputs → rows, then those of each reference of its pass


class StepCounts:
    """Adds the counts of one query to it (`jobs.engine.taps.Taps`), and reads them.

    Args:
        plan: the part of this query, without errors.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._anyway = _counted_anyway(plan)
        self._sources = [
            node.name for node in plan.live_nodes if node.op == SOURCE and node.name in plan.streaming
        ]
        self._counts = row_counts(plan, frozenset([*self._anyway, *self._sources]))

    def decoded(self, source: str) -> list[Metrics]:  # noqa: ARG002
        """Sources have counts of their own."""
        return []

    def given(self, node: Node, rows: Rows) -> Rows:  # noqa: ARG002
        """What a step reads has been counted where it was made."""
        return rows

    def made(self, reference: str, rows: Rows) -> Rows:
        """Count the rows of a step, tombstones included; those of packed rows are counted together."""
        if reference not in self._counts.counted or PRESENT in rows.system:
            return rows
        return rows.observe(f"{GIVEN}{reference}", {"rows": "count(1)"})

    def packed(self, root: str, frame: DataFrame, columns: Mapping[str, str]) -> DataFrame:
        """Count the rows of all steps that are computed in one pass behind a step with state."""
        if root not in self._counts.packed:
            return frame
        counts = {
            f"n{at}": f"count_if({columns[reference]} IS NOT NULL)"
            for at, reference in enumerate(self._counts.packed[root])
        }
        return observed(frame, [Metrics(f"{PACKED}{root}", {"rows": "count(1)", **counts})])

    def read(self, observed: Mapping[str, Any], written: int) -> dict[str, int]:
        """The rows, tombstones included, that each source and step gave in a batch, by reference.

        Args:
            observed: observed metrics by name, from Spark's progress.
            written: records that the query wrote; -1 where Spark does not know.

        Returns:
            Only what is known.
        """
        found = {
            reference: _numbers(value)[at]
            for reference, (metric, at) in self._anyway.items()
            if (value := observed.get(metric)) is not None
        }
        for source in self._sources:
            if (value := observed.get(f"{READ}{source}")) is not None:
                found[source] = counted_read(value).rows
        for reference in self._counts.counted:
            if (value := observed.get(f"{GIVEN}{reference}")) is not None:
                found[reference] = _numbers(value)[0]
        for root, references in self._counts.packed.items():
            if (value := observed.get(f"{PACKED}{root}")) is not None:
                found |= dict(zip((root, *references), _numbers(value), strict=True))
        if self._counts.written is not None and observed and written >= 0:
            found[self._counts.written] = written
        return rows_of(self._plan, found)


def _counted_anyway(plan: Plan) -> dict[str, tuple[str, int]]:
    """Rows that observations count which are there for another reason: by reference, the name of the
    observation and the place of the number in it.
    """
    packed = {name for group in plan.groups if len(group.sinks) > 1 for name in group.steps}
    found: dict[str, tuple[str, int]] = {}
    for node in plan.live_nodes:
        if node.name not in plan.streaming or node.name in packed:
            continue
        if any(step_failures(node.bound).values()):
            found.setdefault(node.inputs[0], (f"{NULLS}{node.name}", 1))
        match node.bound:
            case AggregateBound(window=SessionSpec() | SlidingSpec()) | TableJoinBound(broadcast=Broadcast()):
                found[node.name] = (f"{BARRIER}{node.name}", 0)
            case AggregateBound(measures=measures) if any(one.function == "distinct" for one in measures):
                found[node.name] = (f"{LIMITS}{node.name}", 1)
            case _:
                pass
    return found


def _numbers(value: Any) -> list[int]:
    """The columns of a metric in their order; Spark writes them as a list or as an object."""
    return [int(number or 0) for number in (value if isinstance(value, list) else value.values())]
