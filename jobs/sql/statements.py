"""What SQL text says: statements and queries, before they become parts of a document."""

from dataclasses import dataclass, field
from typing import Final, Literal

from jobs.sql.tokens import Name, Slice

SINK_OPTIONS: Final = ("topic", "format", "names")
"""Of CREATE SINK … WITH."""
JoinType = Literal["inner", "left", "right", "full", "semi", "anti"]
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Written:
    """An option's value: a text, a number, true or false, a duration, or a list of named values.

    Attributes:
        value: bool, int, float, str, Duration, list of values, or dict of them by name.
        span: where it stands.
    """

    value: object
    span: Span


Options = dict[str, Written]


@dataclass(frozen=True, slots=True)
class Star:
    """``*``, perhaps without some fields, with others replaced, or under other names."""

    span: Span
    excepted: tuple[Name, ...] = ()
    replaced: tuple["Item", ...] = ()
    renamed: tuple[tuple[Name, Name], ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """An expression of a select list and its name; without AS the name of the field that it is."""

    expression: Slice
    alias: Name | None = None


@dataclass(frozen=True, slots=True)
class Named:
    """A source, a view, or a named output of one (``view.port``).

    Attributes:
        alias: what expressions call its rows; the view's own name unless given.
    """

    reference: str
    span: Span
    alias: str


@dataclass(frozen=True, slots=True)
class Call:
    """A table function: ``TUMBLE(TABLE trades, INTERVAL '1' MINUTE)``.

    Attributes:
        function: upper case.
        inputs: what it reads.
        positional: arguments after the inputs without a name.
        named: arguments ``name => value`` by lower-case name.
    """

    function: str
    span: Span
    inputs: tuple["FromItem", ...]
    positional: tuple[Slice, ...]
    named: dict[str, Slice]
    alias: str


@dataclass(frozen=True, slots=True)
class Nested:
    """A query in parentheses."""

    query: "Query"
    span: Span
    alias: str


FromItem = Named | Call | Nested


@dataclass(frozen=True, slots=True)
class Join:
    """A further relation of FROM.

    Attributes:
        condition: after ON; None for USING.
        using: fields that both sides share.
        as_of: the time after FOR SYSTEM_TIME AS OF.
        options: after WITH.
    """

    type: JoinType
    relation: FromItem
    span: Span
    condition: Slice | None
    using: tuple[Name, ...]
    as_of: Slice | None
    options: Options


@dataclass(frozen=True, slots=True)
class Select:
    """``SELECT … FROM …`` with its clauses."""

    span: Span
    items: tuple[Star | Item, ...]
    source: FromItem
    joins: tuple[Join, ...]
    where: Slice | None
    group_by: tuple[Slice, ...] | None
    having: Slice | None
    emit: Literal["update", "final"] | None


@dataclass(frozen=True, slots=True)
class Query:
    """One or more selects whose rows are united.

    Attributes:
        views: the queries of WITH, which only this query knows.
        by_name: UNION ALL BY NAME.
    """

    selects: tuple[Select, ...]
    by_name: bool = False
    views: tuple[tuple[Name, "Query"], ...] = ()


@dataclass(frozen=True, slots=True)
class SetOption:
    """``SET 'mode' = 'realtime'``: the job's name, description, or a setting."""

    option: str
    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class CreateSource:
    """``CREATE SOURCE a FROM STREAM trades WITH (delay = …)``."""

    name: Name
    kind: Literal["stream", "table"]
    registered: Name
    options: Options = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CreateView:
    """``CREATE VIEW stats AS SELECT …``: a step, or several."""

    name: Name
    query: Query


@dataclass(frozen=True, slots=True)
class CreateOutput:
    """``CREATE MATERIALIZED VIEW live AS …``, ``CREATE SINK alerts AS … WITH (topic = …)`` or a query alone.

    Attributes:
        is_sink: a topic, else the job's result.
        is_named: False for a query alone.
    """

    name: Name
    query: Query
    span: Span
    is_sink: bool = False
    is_named: bool = True
    options: Options = field(default_factory=dict)


Statement = SetOption | CreateSource | CreateView | CreateOutput
