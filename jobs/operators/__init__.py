"""The operators of the job document: one explicit table (`docs/semantics/README.md`). One file each: parameters, check, bound form."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import Field

from jobs.operators import (
    aggregate,
    branch,
    cast,
    change,
    deduplicate,
    derive,
    drop,
    explode,
    flatten,
    join,
    latest,
    projection,
    rename,
    sample,
    select,
    split,
    table_join,
    union,
)
from jobs.operators import filter as filter_
from jobs.operators.aggregate import AggregateStep
from jobs.operators.branch import BranchStep
from jobs.operators.cast import CastStep
from jobs.operators.change import ChangeStep
from jobs.operators.deduplicate import DeduplicateStep
from jobs.operators.derive import DeriveStep
from jobs.operators.drop import DropStep
from jobs.operators.explode import ExplodeStep
from jobs.operators.filter import FilterStep
from jobs.operators.flatten import FlattenStep
from jobs.operators.join import JoinStep
from jobs.operators.latest import LatestStep
from jobs.operators.measures import MEASURES
from jobs.operators.parameters import Parameters
from jobs.operators.relation import Relation, StepCheck
from jobs.operators.rename import RenameStep
from jobs.operators.requirements import (
    Needed,
    OutputMode,
    StateBound,
    always_drops_late_rows,
    both_modes,
    never_drops_late_rows,
    no_static_inputs,
    reads_all,
    realtime_allowed,
    stateless,
)
from jobs.operators.sample import SampleStep
from jobs.operators.select import SelectStep
from jobs.operators.split import SplitStep
from jobs.operators.table_join import TableJoinStep
from jobs.operators.union import UnionStep

FieldsRead = Callable[[Any, Needed], tuple[frozenset[str], ...]]
Check = Callable[[Any, tuple[Relation, ...], tuple[str, ...]], StepCheck[Any]]


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
        fields_read: bound form and what is read of the outputs → the fields that are read of each input.
        realtime: why this bound form cannot run in real-time mode, as the rest of a sentence that begins with the step's
            name; "" when it can.
        output_modes: of the Spark queries in which the step can stand.
        drops_late_rows: whether the step drops late rows, so that the watermark matters.
        state: whether what it keeps is bounded, and why.
        static_inputs: indexes of the inputs that are read once, when the query starts.
        row_wise: one input, every row gives at most one row to each output, and nothing is kept.
    """

    name: str
    parameters: type[Parameters]
    check: Check
    summary: str
    example: str
    lowering_revision: int | None = None
    fields_read: FieldsRead = reads_all
    realtime: Callable[[Any], str] = realtime_allowed
    output_modes: Callable[[Any], frozenset[OutputMode]] = both_modes
    drops_late_rows: Callable[[Any], bool] = never_drops_late_rows
    state: Callable[[Any, tuple[Relation, ...]], StateBound] = stateless
    static_inputs: Callable[[Any], frozenset[int]] = no_static_inputs
    row_wise: bool = False

    @property
    def stateful(self) -> bool:
        """True when some form of the operator keeps state."""
        return self.lowering_revision is not None


_ROWS: Final = (
    Operator(
        name="filter",
        parameters=FilterStep,
        check=filter_.check,
        fields_read=filter_.fields_read,
        summary="Keep rows where a condition is true.",
        example="{op: filter, input: trades, where: price > 10}",
        row_wise=True,
    ),
    Operator(
        name="derive",
        parameters=DeriveStep,
        check=derive.check,
        fields_read=projection.fields_read,
        summary="Add or replace fields.",
        example="{op: derive, input: trades, fields: {value: price * size}}",
        row_wise=True,
    ),
    Operator(
        name="select",
        parameters=SelectStep,
        check=select.check,
        fields_read=projection.fields_read,
        summary="Only these fields, in this order.",
        example="{op: select, input: trades, fields: [symbol, price]}",
        row_wise=True,
    ),
    Operator(
        name="split",
        parameters=SplitStep,
        check=split.check,
        fields_read=split.fields_read,
        summary="One row per word or part of a string.",
        example="{op: split, input: lines, field: line, as: word, lower: true}",
    ),
    Operator(
        name="rename",
        parameters=RenameStep,
        check=rename.check,
        fields_read=projection.fields_read,
        summary="Rename fields.",
        example="{op: rename, input: trades, fields: {symbol: ticker}}",
        row_wise=True,
    ),
    Operator(
        name="drop",
        parameters=DropStep,
        check=drop.check,
        fields_read=projection.fields_read,
        summary="All fields except these.",
        example="{op: drop, input: trades, fields: [comment]}",
        row_wise=True,
    ),
    Operator(
        name="cast",
        parameters=CastStep,
        check=cast.check,
        fields_read=projection.fields_read,
        summary="Cast fields to other types; values that don't fit become null.",
        example="{op: cast, input: trades, fields: {price: 'decimal(10,2)'}}",
        row_wise=True,
    ),
    Operator(
        name="flatten",
        parameters=FlattenStep,
        check=flatten.check,
        fields_read=projection.fields_read,
        summary="The members of a struct as fields.",
        example="{op: flatten, input: orders, field: customer}",
        row_wise=True,
    ),
    Operator(
        name="explode",
        parameters=ExplodeStep,
        check=explode.check,
        fields_read=explode.fields_read,
        summary="One row per element of an array or entry of a map.",
        example="{op: explode, input: orders, field: items, as: item}",
    ),
    Operator(
        name="union",
        parameters=UnionStep,
        check=union.check,
        fields_read=union.fields_read,
        realtime=union.realtime,
        summary="Combine the rows of several streams.",
        example="{op: union, inputs: [web, app], source_field: origin}",
    ),
    Operator(
        name="branch",
        parameters=BranchStep,
        check=branch.check,
        fields_read=branch.fields_read,
        summary="Route rows by condition to named outputs.",
        example="{op: branch, input: logs, branches: {errors: \"level = 'ERROR'\"}, rest: others}",
        row_wise=True,
    ),
    Operator(
        name="sample",
        parameters=SampleStep,
        check=sample.check,
        summary="A deterministic sample of the rows.",
        example="{op: sample, input: trades, fraction: 0.1}",
        row_wise=True,
    ),
    Operator(
        name="deduplicate",
        parameters=DeduplicateStep,
        check=deduplicate.check,
        summary="The first row per key.",
        example="{op: deduplicate, input: orders, by: [id], within: 1h}",
        lowering_revision=1,
        fields_read=deduplicate.fields_read,
        realtime=deduplicate.realtime,
        output_modes=deduplicate.output_modes,
        drops_late_rows=always_drops_late_rows,
        state=deduplicate.state,
    ),
    Operator(
        name="latest",
        parameters=LatestStep,
        check=latest.check,
        summary="The latest row per key, as a table.",
        example="{op: latest, input: positions, by: [truck]}",
        lowering_revision=1,
        fields_read=latest.fields_read,
        realtime=latest.realtime,
        output_modes=latest.output_modes,
        state=latest.state,
    ),
    Operator(
        name="aggregate",
        parameters=AggregateStep,
        check=aggregate.check,
        summary="Measures per group and window.",
        example="{op: aggregate, input: trades, window: {tumbling: {size: 10s}}, by: [symbol], measures: {n: count()}}",
        lowering_revision=1,
        fields_read=aggregate.fields_read,
        realtime=aggregate.realtime,
        output_modes=aggregate.output_modes,
        drops_late_rows=aggregate.drops_late_rows,
        state=aggregate.state,
    ),
    Operator(
        name="change",
        parameters=ChangeStep,
        check=change.check,
        summary="Measures of a window beside those of the previous window.",
        example="{op: change, input: stats, of: [n]}",
        lowering_revision=1,
        fields_read=change.fields_read,
        realtime=change.realtime,
        output_modes=change.output_modes,
        drops_late_rows=always_drops_late_rows,
        state=change.state,
    ),
    Operator(
        name="join",
        parameters=JoinStep,
        check=join.check,
        summary="Pairs of rows of two streams with equal keys, within a time limit.",
        example="{op: join, left: searches, right: clicks, on: {id: search}, between: {before: 0s, after: 1m}}",
        lowering_revision=2,
        fields_read=join.fields_read,
        realtime=join.realtime,
        output_modes=join.output_modes,
        drops_late_rows=always_drops_late_rows,
        state=join.state,
    ),
    Operator(
        name="table_join",
        parameters=TableJoinStep,
        check=table_join.check,
        summary="Rows of a stream with the matching row of a table, current or as of event time.",
        example="{op: table_join, input: orders, table: rates, on: {currency: code}, version: as_of}",
        lowering_revision=1,
        fields_read=table_join.fields_read,
        realtime=table_join.realtime,
        output_modes=table_join.output_modes,
        drops_late_rows=table_join.drops_late_rows,
        state=table_join.state,
        static_inputs=table_join.static_inputs,
    ),
)

OPERATORS: Final[dict[str, Operator]] = {row.name: row for row in _ROWS}

PLANNED: Final = frozenset({"rolling", "table_aggregate", "pattern", "absence", "throttle", "match"})
"""Operators of `docs/semantics/planned-operators.md`: refused by name, with a hint that says so."""

Step = Annotated[
    FilterStep
    | DeriveStep
    | SelectStep
    | SplitStep
    | RenameStep
    | DropStep
    | CastStep
    | FlattenStep
    | ExplodeStep
    | UnionStep
    | BranchStep
    | SampleStep
    | DeduplicateStep
    | LatestStep
    | AggregateStep
    | ChangeStep
    | JoinStep
    | TableJoinStep,
    Field(discriminator="op"),
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
                {"name": o.name, "min": o.min, "max": o.max, "default": o.default, "integer": o.integer, "list": o.many}
                for o in row.options
            ],
            "meaning": row.meaning,
            "example": row.example,
            "holds_values": row.holds_values,
        }
        for row in MEASURES.values()
    ]
