"""The operators of the job document: one explicit table (`semantics.md` 4). One file each: parameters, check, bound form."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import Field

from jobs.operators import aggregate, change, derive, join, projection, select, split, table_join
from jobs.operators import filter as filter_
from jobs.operators.aggregate import AggregateStep
from jobs.operators.change import ChangeStep
from jobs.operators.derive import DeriveStep
from jobs.operators.execution import (
    Needed,
    OutputMode,
    StateBound,
    always_late,
    both_modes,
    never_late,
    reads_all,
    realtime_allowed,
    stateless,
)
from jobs.operators.filter import FilterStep
from jobs.operators.join import JoinStep
from jobs.operators.measures import MEASURES
from jobs.operators.parameters import Parameters
from jobs.operators.relation import Checked, Relation
from jobs.operators.select import SelectStep
from jobs.operators.split import SplitStep
from jobs.operators.table_join import TableJoinStep

Reads = Callable[[Any, Needed], tuple[frozenset[str], ...]]
Check = Callable[[Any, tuple[Relation, ...], tuple[str, ...]], Checked[Any]]


@dataclass(frozen=True, slots=True)
class Operator:
    """A row of the table.

    Attributes:
        name: the value of ``op``.
        parameters: the pydantic model of a step.
        check: parameters, input relations and path → bound form, output relation, problems. Never raises.
        summary: one line for people.
        example: a step as YAML, without its name.
        lowering_revision: of a stateful operator, raised when its lowering changes what stored state means (it is part
            of the state fingerprint); None for operators without state.
        reads: bound form and what is read of the outputs → the fields that are read of each input.
        realtime: why this bound form cannot run in real-time mode, as the rest of a sentence that begins with the step's
            name; "" when it can.
        output_modes: of the Spark queries in which the step can stand.
        late: whether the step refuses rows as late, so that the watermark matters.
        state: whether what it keeps is bounded, and why.
    """

    name: str
    parameters: type[Parameters]
    check: Check
    summary: str
    example: str
    lowering_revision: int | None = None
    reads: Reads = reads_all
    realtime: Callable[[Any], str] = realtime_allowed
    output_modes: Callable[[Any], frozenset[OutputMode]] = both_modes
    late: Callable[[Any], bool] = never_late
    state: Callable[[Any, tuple[Relation, ...]], StateBound] = stateless

    @property
    def stateful(self) -> bool:
        """True when some form of the operator keeps state."""
        return self.lowering_revision is not None


_ROWS: Final = (
    Operator(
        name="filter",
        parameters=FilterStep,
        check=filter_.check,
        reads=filter_.reads,
        summary="Keep the rows for which a condition is true.",
        example="{op: filter, input: trades, where: price > 10}",
    ),
    Operator(
        name="derive",
        parameters=DeriveStep,
        check=derive.check,
        reads=projection.reads,
        summary="Add or replace fields.",
        example="{op: derive, input: trades, fields: {value: price * size}}",
    ),
    Operator(
        name="select",
        parameters=SelectStep,
        check=select.check,
        reads=projection.reads,
        summary="Exactly these fields, in this order.",
        example="{op: select, input: trades, fields: [symbol, price]}",
    ),
    Operator(
        name="split",
        parameters=SplitStep,
        check=split.check,
        reads=split.reads,
        summary="One row per word or piece of a text.",
        example="{op: split, input: lines, field: line, as: word, lower: true}",
    ),
    Operator(
        name="aggregate",
        parameters=AggregateStep,
        check=aggregate.check,
        summary="Measures per group and window.",
        example="{op: aggregate, input: trades, window: {tumbling: {size: 10s}}, by: [symbol], measures: {n: count()}}",
        lowering_revision=1,
        reads=aggregate.reads,
        realtime=aggregate.realtime,
        output_modes=aggregate.output_modes,
        late=aggregate.late,
        state=aggregate.state,
    ),
    Operator(
        name="change",
        parameters=ChangeStep,
        check=change.check,
        summary="Measures of a window beside those of the window before.",
        example="{op: change, input: stats, of: [n]}",
        lowering_revision=1,
        reads=change.reads,
        realtime=change.realtime,
        output_modes=change.output_modes,
        late=always_late,
        state=change.state,
    ),
    Operator(
        name="join",
        parameters=JoinStep,
        check=join.check,
        summary="Pairs of rows of two streams with equal keys, within bounds of time.",
        example="{op: join, left: searches, right: clicks, on: {id: search}, between: {before: 0s, after: 1m}}",
        lowering_revision=1,
        reads=join.reads,
        realtime=join.realtime,
        output_modes=join.output_modes,
        late=always_late,
        state=join.state,
    ),
    Operator(
        name="table_join",
        parameters=TableJoinStep,
        check=table_join.check,
        summary="Rows of a stream beside the row of a table that has their key, as it is or as it was.",
        example="{op: table_join, input: orders, table: rates, on: {currency: code}, version: as_of}",
        lowering_revision=1,
        reads=table_join.reads,
        realtime=table_join.realtime,
        output_modes=table_join.output_modes,
        late=table_join.late,
        state=table_join.state,
    ),
)

OPERATORS: Final[dict[str, Operator]] = {row.name: row for row in _ROWS}

PLANNED: Final = frozenset(
    {
        "rename", "drop", "cast", "explode", "flatten", "union", "branch", "deduplicate", "rolling",
        "latest", "table_aggregate", "pattern", "absence", "throttle", "sample", "match",
    }
)  # fmt: skip
"""Operators of `semantics.md` 4 that come later: refused by name, with a hint that says so."""

Step = Annotated[
    FilterStep | DeriveStep | SelectStep | SplitStep | AggregateStep | ChangeStep | JoinStep | TableJoinStep, Field(discriminator="op")
]


def operators_as_json() -> list[dict[str, Any]]:
    """The operators as the API lists them: name, summary, example, whether state is kept, the parameters' JSON Schema."""
    return [
        {
            "name": row.name,
            "summary": row.summary,
            "example": row.example,
            "stateful": row.stateful,
            "parameters": row.parameters.model_json_schema(),
        }
        for row in _ROWS
    ]


def measures_as_json() -> list[dict[str, Any]]:
    """The measures as the API lists them: name, columns, options with their ranges, meaning, example."""
    return [
        {
            "name": row.name,
            "columns": list(row.columns),
            "columns_optional": row.optional,
            "wants": row.wants,
            "options": [
                {"name": o.name, "least": o.least, "most": o.most, "default": o.default, "whole": o.whole, "list": o.many}
                for o in row.options
            ],
            "meaning": row.meaning,
            "example": row.example,
            "holds_values": row.holds_values,
        }
        for row in MEASURES.values()
    ]
