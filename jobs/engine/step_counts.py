"""Counts the rows that steps of a running query give, where they follow from nothing else
(`jobs.plan.row_counts`).
"""

from collections.abc import Mapping
from typing import Any, Final

from pyspark.sql import DataFrame

from jobs.engine.columns import column
from jobs.engine.observed_metrics import KEPT
from jobs.engine.rows import PRESENT, Rows
from jobs.plan import Node, Plan
from jobs.plan.model import SOURCE
from jobs.plan.row_counts import row_counts, rows_of

GIVEN: Final = "given:"  # reference → rows
PACKED: Final = "packed:"  # root of several outputs → rows, then those of each reference of its pass


class StepCounts:
    """The counts of one query (`jobs.engine.taps.Taps`).

    Args:
        plan: the part of this query, without errors.
    """

    def __init__(self, plan: Plan) -> None:
        counts = row_counts(plan)
        self._counted, self._packed = counts.counted, counts.packed

    def decoded(self, source: str, records: DataFrame) -> DataFrame:  # noqa: ARG002
        """Sources have counts of their own."""
        return records

    def given(self, node: Node, rows: Rows) -> Rows:  # noqa: ARG002
        """What a step reads has been counted where it was made."""
        return rows

    def made(self, reference: str, rows: Rows) -> Rows:
        """Count the rows of a step, tombstones included; those of packed rows are counted together."""
        if reference not in self._counted or PRESENT in rows.system:
            return rows
        return rows.observe(f"{GIVEN}{reference}", column("count(1)", "rows"))

    def packed(self, root: str, frame: DataFrame, columns: Mapping[str, str]) -> DataFrame:
        """Count the rows of all steps that are computed in one pass."""
        counts = [
            column(f"count_if({columns[reference]} IS NOT NULL)", f"n{at}")
            for at, reference in enumerate(self._packed[root])
        ]
        return frame.observe(f"{PACKED}{root}", column("count(1)", "rows"), *counts)


def read_step_counts(plan: Plan, observed: Mapping[str, Any], written: int) -> dict[str, int]:
    """The rows, tombstones included, that each source and step gave in a batch, by reference.

    Args:
        plan: the part of the batch's query, without errors.
        observed: observed metrics by name, from Spark's progress.
        written: records that the query wrote.

    Returns:
        Only what is known; a query that stopped before its first row has counted nothing.
    """
    wanted = row_counts(plan)
    found = {
        node.name: _numbers(value)[0]
        for node in plan.live_nodes
        if node.op == SOURCE and (value := observed.get(f"{KEPT}{node.name}")) is not None
    }
    for reference in wanted.counted:
        if (value := observed.get(f"{GIVEN}{reference}")) is not None:
            found[reference] = _numbers(value)[0]
    for root, references in wanted.packed.items():
        if (value := observed.get(f"{PACKED}{root}")) is not None:
            found |= dict(zip((root, *references), _numbers(value), strict=True))
    if wanted.written is not None and observed:
        found[wanted.written] = written
    return rows_of(plan, found)


def _numbers(value: Any) -> list[int]:
    """The columns of a metric in their order; Spark writes them as a list or as an object."""
    return [int(number or 0) for number in (value if isinstance(value, list) else value.values())]
