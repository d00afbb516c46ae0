"""What the queries of a plan compute: outputs, those that are made together, and the stages."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from jobs.operators.execution import OutputMode

StageName = Literal["final", "updates"]


@dataclass(frozen=True, slots=True)
class Sink:
    """An output of the document: rows of `reference` (``node`` or ``node.port``) go to `topic`, in `format`; None: the job's result."""

    name: str
    reference: str
    topic: str | None
    format: Literal["json", "avro"] = "json"


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
class Stage:
    """A part of a document that one Spark query computes, with its own checkpoint and watermark.

    Attributes:
        name: unique in the plan.
        output_mode: of the query: append gives each result once, update writes again what changed.
        groups: the outputs that it computes.
        live: names of the nodes that these depend on; a node may stand in several stages, and then keeps its state in each.
        flowing: those whose rows flow in the query.
        copied: those that are read once, when the query starts.
        reason: why it stands apart, a sentence for people; empty of the only stage.
    """

    name: StageName
    output_mode: OutputMode
    groups: tuple[OutputGroup, ...]
    live: frozenset[str]
    flowing: frozenset[str]
    copied: frozenset[str]
    reason: str = ""

    @property
    def sinks(self) -> tuple[Sink, ...]:
        """Where its rows go."""
        return tuple(sink for group in self.groups for sink in group.sinks)

    def as_json(self, order: Iterable[str]) -> dict[str, Any]:
        """The form of the API; `order` is that of the plan's nodes."""
        return {
            "name": self.name,
            "outputs": [sink.name for sink in self.sinks],
            "nodes": [name for name in order if name in self.live],
            "reason": self.reason,
        }
