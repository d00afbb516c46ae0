"""What flows out of a node, and what a check of one step gives back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Generic, Literal, TypeVar

from jobs.base.durations import ZERO, Duration
from jobs.base.names import SYSTEM_FIELDS
from jobs.base.problems import Problem
from jobs.base.schemas import Field, Schema
from jobs.base.types import INT, LONG, STRING, TIMESTAMP, DataType

Kind = Literal["append", "upsert"]
IdentityKind = Literal["row", "key", "pair", "union"]

SYSTEM_TYPES: Final[dict[str, DataType]] = {
    "_time": TIMESTAMP,
    "_timestamp": TIMESTAMP,
    "_source": STRING,
    "_partition": INT,
    "_offset": LONG,
}


@dataclass(frozen=True, slots=True)
class Relation:
    """What flows out of a node (`docs/semantics/identity-and-results.md`,
    `docs/semantics/watermarks-and-lateness.md#slack`).

    Attributes:
        schema: declared fields in order, without system fields.
        kind: append (rows are only added) or upsert (a changelog by identity).
        identity: fields whose values are the identity of a row, in order; empty for row identities. Over
            append a later select may drop them from the schema: the identity then travels beside the row.
        identity_kind: ``row`` is (source, partition, offset), ``key`` is the values of `identity`, ``pair``
            the identities of a left and a right row, either of which may be missing, ``union`` the name of an
            input and the row's identity there.
        index_types: types of what follows the identity, in order: indexes of split and explode, and key
            fields of a broadcast table that a row was joined with. A row may lack the last ones: after a
            union of unlike inputs, or joined with nothing.
        sources: names of the sources that these rows come from, without static inputs; `jobs.plan` fills it.
        slack: how far rows may trail the watermark.
        spark_slack: part of `slack` that Spark already applies, because it holds the watermark back after a
            join with time bounds. Lowerings of steps that close windows or drop late rows shift times by
            ``slack - spark_slack`` only.
        windowed: True after a windowed aggregate; its results carry the partial flag.
        system: system fields that expressions may read here. Rows of a source have all; after a windowed
            aggregate only ``_time`` (window_end − 1 µs) is left; after an aggregate without a window none is.
        untyped: fields that exist but whose type is not known, because their own check failed; no problem is
            reported twice.
        has_unknown_fields: other fields may exist too, because an upstream step or stream could not be read.
        newest_by: of a table: which of two entries of a key is the newer one.
        aggregate_ref: name and bound form (None: it has an error) of the aggregate that these rows are the
            results of, for a step that reads it directly (change); steps in between pass it on, so a reader
            compares the name.
        late_rows: True for the late port of a step and what stateless steps make of it.
    """

    schema: Schema
    kind: Kind = "append"
    identity: tuple[str, ...] = ()
    identity_kind: IdentityKind = "row"
    index_types: tuple[DataType, ...] = ()
    sources: frozenset[str] = frozenset()
    slack: Duration = ZERO
    spark_slack: Duration = ZERO
    windowed: bool = False
    system: tuple[str, ...] = SYSTEM_FIELDS
    untyped: frozenset[str] = frozenset()
    has_unknown_fields: bool = False
    newest_by: Literal["offset", "event_time"] = "offset"
    aggregate_ref: tuple[str, object | None] | None = None
    late_rows: bool = False

    @property
    def index_depth(self) -> int:
        """How many indexes follow the identity, at most."""
        return len(self.index_types)

    @property
    def readable(self) -> Schema:
        """The fields that expressions may read: declared ones, then system fields (never null)."""
        return Schema(
            self.schema.fields
            + tuple(Field(name, SYSTEM_TYPES[name], nullable=False) for name in self.system)
        )

    @property
    def identity_parts(self) -> tuple[str, ...]:
        """What identifies a row, in order: names of fields, or of what stands for them."""
        indexes = tuple(f"index {at}" for at in range(1, self.index_depth + 1))
        match self.identity_kind:
            case "key":
                return (*self.identity, *indexes)
            case "pair":
                return ("left row", "right row", *indexes)
            case "union":
                return ("input", "row of the input", *indexes)
            case "row":
                return ("_source", "_partition", "_offset", *indexes)

    def has(self, name: str) -> bool:
        """True when a field of that name is declared, or may be although its type is not known."""
        return name in self.schema or name in self.untyped or self.has_unknown_fields


BoundT = TypeVar("BoundT", covariant=True)


@dataclass(frozen=True)
class StepCheck(Generic[BoundT]):
    """What checking one step gives.

    Attributes:
        bound: what the lowering needs; None when the step has an error.
        output: what flows out; given as far as it can be known, errors or not, so that the steps below are
            checked too.
        problems: findings, errors and warnings.
        ports: what flows out of named outputs, read as ``step.name``.
        only_ports: True when the step has named outputs only (branch), so that nothing may read the step
            itself.
    """

    bound: BoundT | None
    output: Relation
    problems: list[Problem] = field(default_factory=list)
    ports: Mapping[str, Relation] = field(default_factory=dict)
    only_ports: bool = False
