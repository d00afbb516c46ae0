"""What a step is written with in an exported PySpark script: variables, and the columns that travel beside
the rows.

Each operator's `script` gives the lines of its own step; `jobs.plan.render` puts them together.
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
    """The variable with the rows of ``node`` or ``node.port``; `static`: of a table as it is when the script
    starts.
    """
    return f"{'static' if static else 'rows'}_of_{reference.replace('.', '__')}"


@dataclass(frozen=True)
class ScriptInput:
    """What flows into a step.

    Attributes:
        reference: ``node`` or ``node.port``.
        relation: of its rows.
        row_identity: types of the identity columns, without the indexes that follow them; a select may have
            dropped the fields that they came from.
        deletes: a row may take its key away: the column ``_deleted`` says whether it does.
        static: read once, when the script starts.
        step: that made it; None for a source.
    """

    reference: str
    relation: Relation
    row_identity: tuple[DataType, ...]
    deletes: bool
    static: bool = False
    step: "ScriptStep | None" = None

    @property
    def variable(self) -> str:
        """Of the script."""
        return rows_of(self.reference, static=self.static)

    @property
    def kept(self) -> list[str]:
        """System columns that travel beside the declared ones."""
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
        """The identity as one value."""
        return Struct(tuple(Member(name, of) for name, of in self.parts))


@dataclass(frozen=True)
class ScriptStep:
    """A step to be written.

    Attributes:
        name: of the step.
        inputs: what flows in.
        output: what flows out of the step itself.
        ports: what flows out of its named outputs.
        static: it stands between a broadcast table and the step that joins it.
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
        """Its variable."""
        return self.port("")

    def port(self, name: str) -> str:
        """The variable of a named output."""
        return rows_of(f"{self.name}.{name}" if name else self.name, static=self.static)

    def input(self, at: int = 0) -> str:
        """The variable of an input."""
        return self.inputs[at].variable

    def relation(self, at: int = 0) -> Relation:
        """What flows in."""
        return self.inputs[at].relation

    def kept(self, at: int = 0) -> list[str]:
        """Columns that travel beside the declared ones of an input."""
        return self.inputs[at].kept


def identity(relation: Relation) -> list[str]:
    """System columns that identify a row, and order rows of one event time."""
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
    """The types of those of these fields that the relation has."""
    return [field.type for name in names if (field := relation.schema.get(name)) is not None]


def row_order(relation: Relation) -> tuple[str, ...]:
    """Columns that put rows into row order."""
    time = ["_time"] if "_time" in relation.system else []
    return (*time, *identity(relation))


def selected(name: str, upstream: str, columns: list[str]) -> list[str]:
    """Lines that give a variable these columns of another."""
    return [f"{name} = {upstream}.selectExpr(", *(f"    {column!r}," for column in columns), ")"]


def passing(step: ScriptStep, port: str, condition: str) -> list[str]:
    """The rows of a named output ("": the step itself) for which a condition holds.

    In a changelog an earlier row of the key may have passed, so one that does not takes its key away.
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
    """A line that keeps filters of a variable's rows above what made them: Spark moves none past an
    observation.
    """
    observe = f"{name} = {name}.observe({observed!r}, F.count(F.lit(1)).alias('rows'))"
    return f"{observe}  # keeps later filters behind {what}"


def marked(name: str, column: str = "_time") -> str:
    """A line that marks a column as the one held against the watermark."""
    return f"{name} = {name}.withMetadata({column!r}, {WATERMARK_COLUMN})"


def input_identity(bound: object, step: ScriptStep) -> list[DataType]:  # noqa: ARG001
    """The step's rows have the identity of its first input's."""
    return list(step.inputs[0].row_identity)


def deletes_like_input(bound: object, upstream: bool) -> bool:  # noqa: ARG001
    """A row takes its key away where a row of the first input did."""
    return upstream
