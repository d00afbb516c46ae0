"""The operators of the job document: one explicit table (`docs/semantics/README.md`).

Each operator has a module of its name, which ends with the operator's row (`jobs.operators.operator`).
"""

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
    rename,
    sample,
    select,
    split,
    table_join,
    throttle,
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
from jobs.operators.operator import Operator
from jobs.operators.rename import RenameStep
from jobs.operators.sample import SampleStep
from jobs.operators.select import SelectStep
from jobs.operators.split import SplitStep
from jobs.operators.table_join import TableJoinStep
from jobs.operators.throttle import ThrottleStep
from jobs.operators.union import UnionStep

_ROWS: Final = (
    filter_.OPERATOR,
    derive.OPERATOR,
    select.OPERATOR,
    split.OPERATOR,
    rename.OPERATOR,
    drop.OPERATOR,
    cast.OPERATOR,
    flatten.OPERATOR,
    explode.OPERATOR,
    union.OPERATOR,
    branch.OPERATOR,
    sample.OPERATOR,
    deduplicate.OPERATOR,
    latest.OPERATOR,
    aggregate.OPERATOR,
    change.OPERATOR,
    join.OPERATOR,
    table_join.OPERATOR,
    throttle.OPERATOR,
)

OPERATORS: Final[dict[str, Operator]] = {row.name: row for row in _ROWS}

PLANNED: Final = frozenset({"rolling", "table_aggregate", "pattern", "absence", "match"})
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
    | TableJoinStep
    | ThrottleStep,
    Field(discriminator="op"),
]


def operators_as_json() -> list[dict[str, Any]]:
    """The operators as the API lists them: name, summary, example, whether any form keeps state, JSON Schema
    of the parameters.
    """
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
                {
                    "name": o.name,
                    "min": o.min,
                    "max": o.max,
                    "default": o.default,
                    "integer": o.integer,
                    "list": o.many,
                }
                for o in row.options
            ],
            "meaning": row.meaning,
            "example": row.example,
            "holds_values": row.holds_values,
        }
        for row in MEASURES.values()
    ]
