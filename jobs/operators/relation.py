"""The relation that a node of the plan outputs, and the result of checking one step."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Literal, TypeVar

from jobs.base.durations import ZERO, Duration
from jobs.base.names import SYSTEM_FIELDS
from jobs.base.problems import Problem
from jobs.base.schemas import Field, Schema
from jobs.base.types import INT, LONG, STRING, TIMESTAMP, DataType, type_text

Kind = Literal["append", "upsert"]
IdentityKind = Literal["row", "key", "pair", "union"]
IdentityLayout = tuple[Any, ...]
"""What makes the columns of an identity unlike those that its kind always has; empty: nothing."""

RECORD_BYTES: Final = 1 << 20  # of a record's value, and a little more: few fields read one place of it

SYSTEM_TYPES: Final[dict[str, DataType]] = {
    "_time": TIMESTAMP,
    "_timestamp": TIMESTAMP,
    "_source": STRING,
    "_partition": INT,
    "_offset": LONG,
}


@dataclass(frozen=True, slots=True)
class Relation:
    """The rows between two nodes of a plan (`docs/semantics/identity-and-results.md`,
    `docs/semantics/watermarks-and-lateness.md#slack`).

    Attributes:
        schema: declared fields in order, without system fields.
        kind: append (rows are only added) or upsert (a changelog by identity).
        identity: fields whose values are the identity of a row, in order; empty for row identities. Over
            append a later select may drop them from the schema: system columns then still carry the identity.
        identity_kind: ``row`` is (source, partition, offset); ``key`` is the values of `identity`; ``pair``
            is the identities of a left and a right row, either of which may be missing; ``union`` is the name
            of an input and the row's identity there.
        index_types: types of the values that follow the identity, in order: indexes from split and explode,
            and key fields of a broadcast table that the row was joined with. The last ones may be missing:
            after a union of inputs with different indexes, or where the join found no match.
        inner_layouts: of the identities inside this one: those of both rows of a pair; of a union that names
            its inputs first these names, then those of the inputs. Kept by later steps, whose rows carry them
            on as columns.
        unions: the inputs, as listed, of each union that names them in these identities or in those inside
            them. Kept by later steps, too.
        sources: names of the sources that these rows come from, without static inputs; set by `jobs.plan`.
        row_sources: names of the sources with which identities of kind ``row`` begin. The other side of a
            join that passes on the rows of one side is only among `sources`.
        slack: how far rows may trail the watermark.
        spark_slack: part of `slack` that Spark already applies, because it holds the watermark back after a
            join with time bounds. Lowerings of steps that close windows or drop late rows shift times by
            ``slack - spark_slack`` only.
        trails_less: True behind a semi join for which `spark_slack` is less than the wider of its bounds.
        windowed: True after a windowed aggregate; its results carry the partial flag.
        lookback: how far before the time of a row the records lie, at most, that decide over it; 0 for rows
            of a source. Of a session it counts the gap, not how long it has been going on.
        before_start: of windowed results: how far before the start of the window such records lie.
        system: system fields that expressions may read. Rows of a source have all of them; `latest`, a join
            that gives pairs and a windowed aggregate (window_end − 1 µs) leave only ``_time``, an aggregate
            without a window none.
        untyped: fields that exist, but whose type is unknown because their own check failed. Reading one
            reports no second problem.
        has_unknown_fields: other fields may exist too, because an upstream step or stream could not be read.
        newest_by: for a table: what decides which of two entries of a key is newer.
        aggregate_ref: name and bound form (None: it has an error) of the aggregate that computes these rows,
            for a step that must read it directly (change). Steps in between pass it on, so such a step
            compares the name.
        late_rows: True for a late output, also after stateless steps.
        row_bytes: how large a row can be, if the step's input is as large as it can be; a projection that
            could exceed `MAX_ROW_BYTES` is bounded when it is computed.
    """

    schema: Schema
    kind: Kind = "append"
    identity: tuple[str, ...] = ()
    identity_kind: IdentityKind = "row"
    index_types: tuple[DataType, ...] = ()
    inner_layouts: tuple[IdentityLayout, ...] = ()
    unions: tuple[tuple[str, ...], ...] = ()
    sources: frozenset[str] = frozenset()
    row_sources: frozenset[str] = frozenset()
    slack: Duration = ZERO
    spark_slack: Duration = ZERO
    trails_less: bool = False
    windowed: bool = False
    lookback: Duration = ZERO
    before_start: Duration = ZERO
    system: tuple[str, ...] = SYSTEM_FIELDS
    untyped: frozenset[str] = frozenset()
    has_unknown_fields: bool = False
    newest_by: Literal["offset", "event_time"] = "offset"
    aggregate_ref: tuple[str, object | None] | None = None
    late_rows: bool = False
    row_bytes: int = RECORD_BYTES

    @property
    def index_depth(self) -> int:
        """The maximum number of indexes that follow the identity."""
        return len(self.index_types)

    @property
    def identity_layout(self) -> IdentityLayout:
        """Types of the indexes, the layouts inside and the names of a union's inputs: what stateless steps
        upstream make of an identity. State that holds identities can be read again only while it stays the
        same, and a batch that is repeated gives the same records only then.
        """
        inner = self.inner_layouts if any(self.inner_layouts) else ()
        indexes = tuple(map(type_text, self.index_types))
        return (self.identity_kind, indexes, *inner) if indexes or inner else ()

    @property
    def listed_inputs(self) -> tuple[tuple[str, ...], ...]:
        """The inputs of unions in the order of their columns in identities, which state that puts rows in row
        order depends on. Empty where that is the order of their names, and where the identity is a key.
        """
        is_plain = all(list(names) == sorted(names) for names in self.unions)
        return () if is_plain or self.identity_kind == "key" else self.unions

    @property
    def readable(self) -> Schema:
        """The fields that expressions may read: declared ones, then system fields (never null)."""
        return Schema(
            self.schema.fields
            + tuple(Field(name, SYSTEM_TYPES[name], nullable=False) for name in self.system)
        )

    @property
    def identity_parts(self) -> tuple[str, ...]:
        """The parts of a row's identity, in order, as names or descriptions for people."""
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

    def not_applied(self, slack: Duration) -> Duration:
        """The part of a step's slack that Spark does not already apply to these rows, its input."""
        return Duration(slack.us - self.spark_slack.us)

    def has(self, name: str) -> bool:
        """True when a field of that name is declared, or may exist with an unknown type."""
        return name in self.schema or name in self.untyped or self.has_unknown_fields


BoundT = TypeVar("BoundT", covariant=True)


@dataclass(frozen=True)
class StepCheck(Generic[BoundT]):
    """The result of checking one step.

    Attributes:
        bound: what the lowering needs; None when the step has an error.
        output: relation of the step's rows, as far as it can be known even with errors, so that downstream
            steps are checked too.
        problems: errors and warnings.
        ports: relations of the named outputs, read as ``step.name``.
        only_ports: True when the step has named outputs only (branch), so that nothing may read the step
            itself.
    """

    bound: BoundT | None
    output: Relation
    problems: list[Problem] = field(default_factory=list)
    ports: Mapping[str, Relation] = field(default_factory=dict)
    only_ports: bool = False
