"""The queries of a plan: their outputs, the groups of outputs that are computed together, and the exchanges
between queries.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from jobs.base.durations import Duration
from jobs.formats.written_names import WrittenPath
from jobs.operators.requirements import OutputMode

QueryName = Literal["append", "update"]


@dataclass(frozen=True, slots=True)
class Sink:
    """Where the rows of `reference` (``node`` or ``node.port``) go.

    Attributes:
        name: of the output in the document; of an exchange its reference.
        reference: the rows' node or named output.
        topic: the topic, or registered stream, that an output writes to; None: the job's result, or an
            exchange.
        format: of the record values.
        exchange: number of the exchange that carries the rows to the other query; None: an output of the
            document.
        written: fields that are not written as a member of their own name, with their paths in the record.
    """

    name: str
    reference: str
    topic: str | None
    format: Literal["json", "avro"] = "json"
    exchange: int | None = None
    written: tuple[tuple[str, WrittenPath], ...] = ()

    @property
    def names(self) -> Mapping[str, WrittenPath]:
        """The paths of `written`, by field."""
        return dict(self.written)


@dataclass(frozen=True, slots=True)
class OutputGroup:
    """Outputs that are computed row by row from one node, in one pass over its rows.

    Attributes:
        root: the reference that they are computed from; of a single output its own.
        sinks: where the rows go.
        steps: those between root and sinks, in order.
    """

    root: str
    sinks: tuple[Sink, ...]
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Exchange:
    """Rows of `reference` that one query hands to the other, through an internal topic of the job.

    Exchanges are numbered in the order of the plan's nodes; the topic's records contain the number instead of
    a name, so that steps can be renamed.
    """

    number: int
    reference: str


@dataclass(frozen=True, slots=True)
class Query:
    """A part of a document that one Spark query computes, with its own checkpoint and watermark.

    Attributes:
        name: unique in the plan; the output mode.
        output_mode: append writes each result once, update writes changed results again.
        groups: the outputs that it computes, including exchanges.
        live: names of the nodes that it computes; a node may be part of several queries, and then keeps its
            state in each.
        streaming: live nodes whose rows are read as a stream.
        static: live nodes whose rows are read once, when the query starts.
        reason: why the document needs this query, for users; empty for an only query.
        exchange_in: the exchanges whose rows it reads from the other query.
        spark_slacks: where the query reads sources beside exchanges, by reference the `spark_slack` of rows
            of exchanges, and of what is made of them: nothing holds the watermark of those sources back.
            Without such sources all of the query trails as far as the other one.
    """

    name: QueryName
    output_mode: OutputMode
    groups: tuple[OutputGroup, ...]
    live: frozenset[str]
    streaming: frozenset[str]
    static: frozenset[str]
    reason: str = ""
    exchange_in: tuple[Exchange, ...] = ()
    spark_slacks: Mapping[str, Duration] = field(default_factory=dict, hash=False)

    @property
    def sinks(self) -> tuple[Sink, ...]:
        """Where its rows go."""
        return tuple(sink for group in self.groups for sink in group.sinks)

    @property
    def exchange_out(self) -> tuple[Sink, ...]:
        """The sinks of exchanges: rows that the query hands to the other one."""
        return tuple(sink for sink in self.sinks if sink.exchange is not None)

    def as_json(self, order: Iterable[str]) -> dict[str, Any]:
        """The API's JSON form; `order`: names of the plan's nodes in order."""
        return {
            "name": self.name,
            "outputs": [sink.name for sink in self.sinks if sink.exchange is None],
            "nodes": [name for name in order if name in self.live],
            "exchange_out": [sink.reference for sink in self.exchange_out],
            "exchange_in": [exchange.reference for exchange in self.exchange_in],
            "reason": self.reason,
        }
