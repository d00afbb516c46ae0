"""What the parts of a rendered script share: names of its variables, the columns that travel beside the rows, what cannot be said."""

from dataclasses import dataclass
from typing import Any, Final

from jobs.base.types import INT, LONG, STRING, TIMESTAMP, DataType, Member, Struct
from jobs.operators import OPERATORS
from jobs.operators.aggregate import AggregateBound
from jobs.operators.branch import BranchBound
from jobs.operators.change import ChangeBound
from jobs.operators.deduplicate import DeduplicateBound
from jobs.operators.filter import FilterBound
from jobs.operators.identity_sql import UNION_INPUT
from jobs.operators.join import JoinBound
from jobs.operators.latest import LatestBound
from jobs.operators.relation import Relation
from jobs.operators.union import UnionBound
from jobs.plan.model import Node, Plan, SourceBound

WATERMARK_COLUMN: Final = "{'spark.watermarkDelayMs': 0}"
"""Metadata that makes a column the one that Spark holds against the watermark; the delay itself belongs to the source."""
NO_WATERMARK: Final = "{'plain': True}"
"""Metadata that takes that mark off a column."""


class NotRenderableError(Exception):
    """What a PySpark export does not support."""


def rows_of(reference: str, *, static: bool = False) -> str:
    """The variable that holds the rows of ``node`` or ``node.port``; of a static table, those that it holds when the script starts."""
    return f"{'static' if static else 'rows'}_of_{reference.replace('.', '__')}"


@dataclass(frozen=True, slots=True)
class Step:
    """A step to be written.

    Attributes:
        plan: that it stands in.
        node: the step.
        static: it stands between a broadcast table and the step that joins it.
    """

    plan: Plan
    node: Node
    static: bool = False

    @property
    def rows(self) -> str:
        """Its variable."""
        return self.port("")

    def port(self, name: str) -> str:
        """The variable of a named output."""
        return rows_of(f"{self.node.name}.{name}" if name else self.node.name, static=self.static)

    def input(self, at: int = 0) -> str:
        """The variable of an input."""
        return rows_of(self.node.inputs[at], static=self.static or at in OPERATORS[self.node.op].static_inputs(self.node.bound))

    def relation(self, at: int = 0) -> Relation:
        """What flows in."""
        return self.plan.relation(self.node.inputs[at])

    def kept(self, at: int = 0) -> list[str]:
        """Columns that travel beside the declared ones of an input."""
        return beside(self.plan, self.node.inputs[at])

    def parts(self, at: int = 0) -> list[tuple[str, DataType]]:
        """Identity columns of an input with their types."""
        return list(zip(identity(self.relation(at)), identity_types(self.plan, self.node.inputs[at]), strict=True))


def identity(relation: Relation) -> list[str]:
    """System columns that tell rows apart, and put rows of one time in order."""
    indexes = [f"_index{i}" for i in range(relation.index_depth)]
    match relation.identity_kind:
        case "key":
            return [*(f"_id{i}" for i in range(len(relation.identity))), *indexes]
        case "pair":
            return ["_left_id", "_right_id", *indexes]
        case "union":
            return ["_union_id", *indexes]
        case "row":
            return ["_source", "_partition", "_offset", *indexes]


def identity_types(plan: Plan, reference: str) -> list[DataType]:
    """The types of the identity columns of ``node`` or ``node.port``; a select may have dropped the fields that they came from."""
    node, relation = plan.node(reference.partition(".")[0]), plan.relation(reference)
    match node.bound:
        case AggregateBound() | ChangeBound():
            bound = node.bound.of if isinstance(node.bound, ChangeBound) else node.bound
            found = [*((TIMESTAMP, TIMESTAMP) if bound.window is not None else ()), *(expression.type for _, expression in bound.by)]
        case DeduplicateBound(by):
            found = [*_types(plan.relation(node.inputs[0]), by), TIMESTAMP]
        case LatestBound(by):
            found = _types(relation, by)
        case SourceBound():
            found = _types(relation, relation.identity) if relation.identity_kind == "key" else [STRING, INT, LONG]
        case JoinBound(type=kind) if kind not in ("semi", "anti"):
            found = [identity_struct(plan, side) for side in node.inputs]
        case UnionBound(prefixed=True):
            members = [Member(f"_from{at}", identity_struct(plan, side)) for at, side in enumerate(node.inputs)]
            found = [Struct((Member(UNION_INPUT, STRING), *members))]
        case UnionBound():
            found = [STRING, INT, LONG]
        case _:
            upstream = plan.relation(node.inputs[0])
            known = identity_types(plan, node.inputs[0])
            found = known[: len(known) - upstream.index_depth]
    return [*found, *relation.index_types]


def identity_struct(plan: Plan, reference: str) -> Struct:
    """The identity of one side as one value."""
    names, types = identity(plan.relation(reference)), identity_types(plan, reference)
    return Struct(tuple(Member(name, of) for name, of in zip(names, types, strict=True)))


def _types(relation: Relation, names: tuple[str, ...]) -> list[DataType]:
    return [field.type for name in names if (field := relation.schema.get(name)) is not None]


def beside(plan: Plan, reference: str) -> list[str]:
    """System columns that travel beside the declared ones."""
    relation = plan.relation(reference)
    gone = ["_deleted"] if deletes(plan, reference) else []
    return list(dict.fromkeys([*relation.system, *identity(relation), *gone]))


def deletes(plan: Plan, reference: str) -> bool:
    """True when a row there may take its key away: the column ``_deleted`` says whether it does."""
    node = plan.node(reference.partition(".")[0])
    if plan.relation(reference).kind == "append":
        return False
    match node.bound:
        case SourceBound() | FilterBound() | BranchBound():
            return True
        case LatestBound(delete_when=condition, ttl=ttl):
            return condition is not None or ttl is not None
        case AggregateBound() | ChangeBound():
            return False
        case _:
            return deletes(plan, node.inputs[0])


def selected(name: str, upstream: str, columns: list[str]) -> list[str]:
    """Lines that give a variable these columns of another."""
    return [f"{name} = {upstream}.selectExpr(", *(f"    {column!r}," for column in columns), ")"]


def block_filter_pushdown(name: str, observed: str, what: str) -> str:
    """A line that keeps Spark from moving filters of a variable's rows below what made them: it moves none past an observation."""
    return f"{name} = {name}.observe({observed!r}, F.count(F.lit(1)).alias('rows'))  # keeps later filters behind {what}"


def marked(name: str, column: str = "_time") -> str:
    """A line that marks a column as the one held against the watermark."""
    return f"{name} = {name}.withMetadata({column!r}, {WATERMARK_COLUMN})"


def row_order(relation: Relation) -> tuple[str, ...]:
    """Columns that put rows into row order."""
    time = ["_time"] if "_time" in relation.system else []
    return (*time, *identity(relation))


Writer = Any
"""A function of a step and its bound form that gives the lines of the script."""
