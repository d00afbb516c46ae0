"""Building blocks of a step in an exported PySpark script: variables, and the system columns that rows carry
besides their declared fields.

Each operator's `script` returns the lines of its own step; `jobs.plan.render` joins them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from jobs.base.types import DataType, Member, Struct
from jobs.operators.relation import Relation

WATERMARK_COLUMN: Final = "{'spark.watermarkDelayMs': 0}"
"""Metadata of the column that Spark holds against the watermark; the delay itself belongs to the source."""
NO_WATERMARK: Final = "{'plain': True}"
"""Metadata that takes that mark off a column."""

Setting = Literal["sorted batches", "semi joins"]
"""What a step needs of Spark's configuration; the template of the script has the lines."""


class NotRenderableError(Exception):
    """What a PySpark export does not support."""


def rows_of(reference: str, *, static: bool = False) -> str:
    """The script variable that holds the rows of ``node`` or ``node.port``; with `static`, the rows read once
    when the script starts.
    """
    return f"{'static' if static else 'rows'}_of_{reference.replace('.', '__')}"


@dataclass(frozen=True)
class ScriptInput:
    """An input of a step.

    Attributes:
        reference: ``node`` or ``node.port``.
        relation: of its rows.
        row_identity: types of the identity columns, without the indexes that follow them; a select may have
            dropped the fields that they came from.
        deletes: a row may delete its key: the column ``_deleted`` says whether it does.
        static: read once, when the script starts.
        step: the step that outputs it; None for a source.
    """

    reference: str
    relation: Relation
    row_identity: tuple[DataType, ...]
    deletes: bool
    static: bool = False
    step: "ScriptStep | None" = None

    @property
    def variable(self) -> str:
        """The script variable with its rows."""
        return rows_of(self.reference, static=self.static)

    @property
    def kept(self) -> list[str]:
        """System columns that a step must keep besides the declared ones."""
        gone = ["_deleted"] if self.deletes else []
        return list(dict.fromkeys([*self.relation.system, *identity(self.relation), *gone]))

    @property
    def identity_types(self) -> list[DataType]:
        """The types of the identity columns, indexes included."""
        return [*self.row_identity, *self.relation.index_types]

    @property
    def parts(self) -> list[tuple[str, DataType]]:
        """The identity columns with their types."""
        return list(zip(identity(self.relation), self.identity_types, strict=True))

    @property
    def identity_struct(self) -> Struct:
        """The type of the identity as one value."""
        return Struct(tuple(Member(name, of) for name, of in self.parts))


@dataclass(frozen=True)
class ScriptStep:
    """A step of the script.

    Attributes:
        name: of the step.
        inputs: of the step, in order.
        output: relation of the step's own rows.
        ports: relations of its named outputs.
        static: the step is between a broadcast table and the step that joins it.
        sorted_batches: some step of the plan sorts the rows of each micro-batch.
    """

    name: str
    inputs: tuple[ScriptInput, ...]
    output: Relation
    ports: Mapping[str, Relation]
    static: bool = False
    sorted_batches: bool = False

    @property
    def rows(self) -> str:
        """The variable with the step's own rows."""
        return self.port("")

    def port(self, name: str) -> str:
        """The variable of a named output."""
        return rows_of(f"{self.name}.{name}" if name else self.name, static=self.static)

    def input(self, at: int = 0) -> str:
        """The variable of an input."""
        return self.inputs[at].variable

    def relation(self, at: int = 0) -> Relation:
        """The relation of an input."""
        return self.inputs[at].relation

    def kept(self, at: int = 0) -> list[str]:
        """System columns of an input that the step must keep besides the declared ones."""
        return self.inputs[at].kept


def identity(relation: Relation) -> list[str]:
    """The system columns that identify a row and order rows with equal event time."""
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


def field_types(relation: Relation, names: tuple[str, ...]) -> list[DataType]:
    """The types of the named fields, without names that the relation lacks."""
    return [field.type for name in names if (field := relation.schema.get(name)) is not None]


def row_order(relation: Relation) -> tuple[str, ...]:
    """The columns that define row order."""
    time = ["_time"] if "_time" in relation.system else []
    return (*time, *identity(relation))


def selected(name: str, upstream: str, columns: list[str]) -> list[str]:
    """Lines that assign a selection of these columns of `upstream` to a variable."""
    return [f"{name} = {upstream}.selectExpr(", *(f"    {column!r}," for column in columns), ")"]


def passing(step: ScriptStep, port: str, condition: str) -> list[str]:
    """Lines that pass the rows for which a condition is true to a named output ("": the step itself).

    In a changelog an earlier row of the key may have passed, so a row that does not pass deletes its key.
    """
    if step.relation().kind == "append":
        return [f"{step.port(port)} = {step.input()}.where({condition!r})"]
    gone = f"NOT coalesce({condition}, false)"
    if step.inputs[0].deletes:
        gone = f"_deleted OR {gone}"
    return [
        "# an earlier row of the key may have passed, so one that does not pass takes its key away",
        f"{step.port(port)} = {step.input()}.withColumn('_deleted', F.expr({gone!r}))",
    ]


def block_filter_pushdown(name: str, observed: str, what: str) -> str:
    """A line that stops Spark from pushing filters on a variable's rows below the operation that computed
    them: Spark pushes no filter through an observation.
    """
    observe = f"{name} = {name}.observe({observed!r}, F.count(F.lit(1)).alias('rows'))"
    return f"{observe}  # keeps later filters behind {what}"


def marked(name: str, column: str = "_time") -> str:
    """A line that marks a column as the one Spark compares with the watermark."""
    return f"{name} = {name}.withMetadata({column!r}, {WATERMARK_COLUMN})"


def input_identity(bound: object, step: ScriptStep) -> list[DataType]:  # noqa: ARG001
    """The step's rows keep the identity of its first input."""
    return list(step.inputs[0].row_identity)


def deletes_like_input(bound: object, upstream: bool) -> bool:  # noqa: ARG001
    """A row may delete its key if a row of the first input may."""
    return upstream
