"""Observed metrics by which a play sees the rows of every source, step and output.

The rows come with Spark's progress of the batch that computed them, from the same query that writes the
outputs: nothing is computed twice, and a step's rows are those that its readers got.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pyspark.sql import Column, DataFrame

from jobs.base.schemas import Schema
from jobs.engine.columns import column, quoted
from jobs.engine.identity import identity_text
from jobs.engine.observation import Metrics
from jobs.engine.observed_metrics import count_of
from jobs.engine.rows import DELETED, PRESENT, TIME, Rows
from jobs.engine.sinks.kafka import row_json_sql
from jobs.engine.step_failures import step_failures
from jobs.expressions.texts_sql import string_sql
from jobs.operators.relation import Relation
from jobs.plan import Node, Plan, SourceBound
from jobs.plan.model import SOURCE
from jobs.play import PlayJob, PlayLimits

STEP: Final = "played:"  # reference → rows, tombstones, the first of both
OUTPUT: Final = "output:"  # output → the same
LEFT_OUT: Final = "left out:"  # source → the first malformed records
FAILED: Final = "failed:"  # step → rows with an error, by expression

MAX_LEFT_OUT: Final = 100
MAX_EXCHANGED: Final = 50_000
MAX_EXCHANGED_BYTES: Final = 64_000_000
MAX_LEFT_OUT_BYTES: Final = 100_000


def _first(text: str, rows: int, size: int) -> str:
    return f"weir_first_rows({text}, {rows}, {size})"


@dataclass(frozen=True, slots=True)
class Shown:
    """A row as `jobs.play.PlayedRow`, in Spark SQL."""

    rows: Rows
    json: str
    limits: PlayLimits

    @property
    def metrics(self) -> dict[str, str]:
        """Rows, tombstones, and the first of both."""
        present = PRESENT if PRESENT in self.rows.system else "true"
        deleted = quoted(DELETED) if DELETED in self.rows.system else "false"
        head = f"named_struct('key', {identity_text(self.rows)}, 'at_us', {_time(self.rows)})"
        value = f"if({deleted}, 'null', {self.json})"
        text = f"concat('[', to_json({head}), ',', {value}, ']')"
        return {
            "rows": f"count_if({present} AND NOT {deleted})",
            "tombstones": f"count_if({present} AND {deleted})",
            "first": _first(f"if({present}, {text}, NULL)", self.limits.rows, self.limits.bytes),
        }


class PlayTaps:
    """The taps of one query of a play (`jobs.engine.taps.Taps`).

    Args:
        plan: of the whole document.
        job: what is kept of rows.
    """

    def __init__(self, plan: Plan, job: PlayJob) -> None:
        self._steps, self._limits = job.steps, job.limits
        self._read = _fields_read(plan) if job.steps else {}
        self.labels: dict[str, list[str]] = {}
        """By step, what the counts of `FAILED` are of, in order."""

    def decoded(self, source: str) -> list[Metrics]:
        """Keep places and reasons of the first malformed records."""
        place = "to_json(named_struct('partition', _partition, 'offset', _offset, 'reason', _reason))"
        malformed = "_reason <> 'SKIPPED'"  # null is false
        first = _first(f"if({malformed}, {place}, NULL)", MAX_LEFT_OUT, MAX_LEFT_OUT_BYTES)
        return [Metrics(f"{LEFT_OUT}{source}", {"first": first})]

    def given(self, node: Node, rows: Rows) -> Rows:
        """Count the rows in which an error became null, by expression."""
        failures = {label: found for label, found in step_failures(node.bound).items() if found}
        if not failures:
            return rows
        self.labels[node.name] = list(failures)
        counts = {f"f{at}": count_of(rows, found) for at, found in enumerate(failures.values())}
        return rows.observe(f"{FAILED}{node.name}", counts)

    def made(self, reference: str, rows: Rows) -> Rows:
        """Keep the first rows."""
        return (
            rows.observe(f"{STEP}{reference}", self.shown(reference, rows).metrics) if self._steps else rows
        )

    def packed(self, root: str, frame: DataFrame, columns: Mapping[str, str]) -> DataFrame:  # noqa: ARG002
        """`made` has seen the rows of each step."""
        return frame

    def shown(self, reference: str, rows: Rows) -> Shown:
        """How the rows of a node are kept: without the fields that the job does not read."""
        fields = self._read.get(reference)
        schema = Schema(tuple(f for f in rows.relation.schema if fields is None or f.name in fields))
        json = row_json_sql(Relation(schema)) if schema.fields else "'{}'"
        return Shown(rows, json, self._limits)


def output_metrics(name: str, limits: PlayLimits, *, exchange: bool) -> Metrics:
    """Rows, tombstones and the first of both, of the records of one output.

    Args:
        name: value of the column `output`.
        limits: of the rows that are kept.
        exchange: its rows are handed to the other query, so all of them are needed.
    """
    own = f"output = {string_sql(name)}"
    if exchange:  # as it was written, since it is read again
        text = "concat('[', to_json(named_struct('raw', value)), ',null]')"
        rows, size = MAX_EXCHANGED, MAX_EXCHANGED_BYTES
    else:
        head = "named_struct('key', key, 'at_us', at_us)"
        text = f"concat('[', to_json({head}), ',', coalesce(value, 'null'), ']')"
        rows, size = limits.rows, limits.bytes
    return Metrics(
        f"{OUTPUT}{name}",
        {
            "rows": f"count_if({own} AND value IS NOT NULL)",
            "tombstones": f"count_if({own} AND value IS NULL)",
            "first": _first(f"if({own}, {text}, NULL)", rows, size),
        },
    )


def event_time(rows: Rows) -> Column:
    """The event time of rows in µs, null where they have none."""
    return column(_time(rows), "at_us")


def _time(rows: Rows) -> str:
    return f"unix_micros({TIME})" if TIME in rows.system else "cast(NULL AS BIGINT)"


def _fields_read(plan: Plan) -> dict[str, frozenset[str]]:
    """By reference, the fields that come from nothing but fields that the job reads of its sources; the
    others are null inside the job.
    """
    used = {
        f"{node.name}.{name}"
        for node in plan.live_nodes
        if node.op == SOURCE and isinstance(node.bound, SourceBound)
        for name in (*node.bound.used_fields, *node.output.system, *node.bound.contract.key)
    }
    return {
        reference: frozenset(name for name, sources in fields.items() if sources <= used)
        for reference, fields in plan.lineage.items()
    }
