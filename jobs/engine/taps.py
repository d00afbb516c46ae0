"""Where a plan's rows can be seen on their way: what `lower_plan` calls for each source and step.

A tap may only add observed metrics. What is computed stays as it is without one.
"""

from collections.abc import Mapping
from typing import Protocol

from pyspark.sql import DataFrame

from jobs.engine.observation import Metrics
from jobs.engine.rows import Rows
from jobs.plan import Node


class Taps(Protocol):
    """Sees the rows of every node that reads streams."""

    def decoded(self, source: str) -> list[Metrics]:
        """Metrics of the records of a source with ``_reason``, before malformed ones are gone."""

    def given(self, node: Node, rows: Rows) -> Rows:
        """The rows of a step's first input, before the step."""

    def made(self, reference: str, rows: Rows) -> Rows:
        """The rows of ``node`` or ``node.port``."""

    def packed(self, root: str, frame: DataFrame, columns: Mapping[str, str]) -> DataFrame:
        """The packed rows of several outputs that are computed from one node, before they are written.

        Args:
            root: the node's reference.
            frame: a row for each of its rows.
            columns: by reference of a step in between, the column that is null where it gave no row.
        """
