"""What a query observes of rows on their way: one operator of Spark's for all metrics of the same rows.

Each such operator is planned anew for every batch. In real-time mode the code that Spark makes for rows ends
at it; in micro-batches it is part of that code (`jvm/src/weir/stages`).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame

from jobs.engine.columns import column


@dataclass(frozen=True, slots=True)
class Metrics:
    """Aggregates of rows, which arrive with the progress of each batch.

    Attributes:
        name: by which it is found there; the same name always means the same rows.
        columns: Spark SQL of an aggregate, by the name of its column.
    """

    name: str
    columns: Mapping[str, str]

    def made(self) -> list[Column]:
        """The columns, for Spark."""
        return [column(sql, name) for name, sql in self.columns.items()]


def observed(frame: DataFrame, metrics: Sequence[Metrics]) -> DataFrame:
    """The frame with these metrics, for `separated` to find; itself where there are none."""
    match metrics:
        case []:
            return frame
        case [one]:
            return frame.observe(one.name, *one.made())
        case _:
            names = [[one.name, len(one.columns)] for one in metrics]
            every = [sql for one in metrics for sql in one.columns.values()]
            return frame.observe(json.dumps(names), *(column(sql, f"m{at}") for at, sql in enumerate(every)))


def separated(progress: Mapping[str, Any]) -> dict[str, Any]:
    """The metrics of a batch by name.

    Args:
        progress: Spark's, parsed.

    Returns:
        The values of each in their order, or by column.
    """
    found: dict[str, Any] = {}
    for name, value in (progress.get("observedMetrics") or {}).items():
        if not name.startswith("["):
            found[name] = value
            continue
        values = list(value.values() if isinstance(value, Mapping) else value)
        for one, count in json.loads(name):
            found[one], values = values[:count], values[count:]
    return found
