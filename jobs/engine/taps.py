"""Where a plan's rows can be seen on their way: what `lower_plan` calls for each source and step.

A tap may only add observed metrics. What is computed stays as it is without one.
"""

from typing import Protocol

from pyspark.sql import DataFrame

from jobs.engine.rows import Rows
from jobs.plan import Node


class Taps(Protocol):
    """Sees the rows of every node that reads streams."""

    def decoded(self, source: str, records: DataFrame) -> DataFrame:
        """The records of a source with ``_reason``, before malformed ones are gone."""

    def given(self, node: Node, rows: Rows) -> Rows:
        """The rows of a step's first input, before the step."""

    def made(self, reference: str, rows: Rows) -> Rows:
        """The rows of ``node`` or ``node.port``."""
