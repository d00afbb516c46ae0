"""The queries of a plan: their outputs, the groups of outputs that are computed together, and the exchanges
between queries.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from jobs.formats.written_names import WrittenPath
from jobs.operators.requirements import OutputMode

QueryName = Literal["append", "update"]


@dataclass(frozen=True, slots=True)
class Sink:
    """Where rows of `reference` (``node`` or ``node.port``) go.

    Attributes:
        name: of the output in the document; of an exchange the reference.
        reference: whose rows.
        topic: where an output sends them; None: they are the job's result, or go through an exchange.
        format: of their values.
        exchange: the number of the exchange that carries them to another query; None: an output of the
            document.
        written: where in a record fields are written, of those that are written elsewhere than as a member of
            their own name.
    """

    name: str
    reference: str
    topic: str | None
    format: Literal["json", "avro"] = "json"
    exchange: int | None = None
    written: tuple[tuple[str, WrittenPath], ...] = ()

    @property
    def names(self) -> Mapping[str, WrittenPath]:
        """`written`, by field."""
        return dict(self.written)


@dataclass(frozen=True, slots=True)
class OutputGroup:
    """Outputs that are made row by row of one node, in one pass over its rows.

    Attributes:
        root: the reference whose rows they are made of; of a single output its own.
        sinks: where the rows go.
        steps: between root and sinks, in order.
    """

    root: str
    sinks: tuple[Sink, ...]
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Exchange:
    """Rows of `reference` that one query hands to the other, through an internal topic of the job.

    Exchanges are numbered in document order; the topic's records hold the number, so that steps can be
    renamed.
    """

    number: int
    reference: str


@dataclass(frozen=True, slots=True)
class Query:
    """A part of a document that one Spark query computes, with its own checkpoint and watermark.

    Attributes:
        name: unique in the plan; the output mode.
        output_mode: append writes each result once, update writes changed results again.
        groups: the outputs that it computes, those of exchanges included.
        live: names of the nodes that it computes; a node may be part of several queries, and then keeps its
            state in each.
        streaming: those that the query reads as a stream.
        static: those that are read once, when the query starts.
        reason: why the document needs this query, for people; empty of the only query.
        exchange_in: the exchanges whose rows it reads from the other query.
    """

    name: QueryName
    output_mode: OutputMode
    groups: tuple[OutputGroup, ...]
    live: frozenset[str]
    streaming: frozenset[str]
    static: frozenset[str]
    reason: str = ""
    exchange_in: tuple[Exchange, ...] = ()

    @property
    def sinks(self) -> tuple[Sink, ...]:
        """Where its rows go."""
        return tuple(sink for group in self.groups for sink in group.sinks)

    @property
    def exchange_out(self) -> tuple[Sink, ...]:
        """The sinks of exchanges: rows that it hands to the other query."""
        return tuple(sink for sink in self.sinks if sink.exchange is not None)

    def as_json(self, order: Iterable[str]) -> dict[str, Any]:
        """The form of the API; `order` is that of the plan's nodes."""
        return {
            "name": self.name,
            "outputs": [sink.name for sink in self.sinks if sink.exchange is None],
            "nodes": [name for name in order if name in self.live],
            "exchange_out": [sink.reference for sink in self.exchange_out],
            "exchange_in": [exchange.reference for exchange in self.exchange_in],
            "reason": self.reason,
        }
