"""What the queries of a plan compute: outputs, those that are made together, and the stages."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from jobs.formats.written_names import WrittenPath
from jobs.operators.requirements import OutputMode

StageName = Literal["final", "updates"]


@dataclass(frozen=True, slots=True)
class Sink:
    """Where rows of `reference` (``node`` or ``node.port``) go.

    Attributes:
        name: of the output in the document; of a cut the reference.
        reference: whose rows.
        topic: where an output sends them; None: they are the job's result, or pass a cut.
        format: of their values.
        cut: the number of the cut that they pass to another stage; None: an output of the document.
        written: where in a record fields are written, of those that are written elsewhere than as a member of their own name.
    """

    name: str
    reference: str
    topic: str | None
    format: Literal["json", "avro"] = "json"
    cut: int | None = None
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
class Cut:
    """Where a document is cut: one stage makes the rows of `reference`, another reads them, through the job's own topic.

    Cuts are numbered in document order; the number stands in the topic's records, so that names of steps do not matter.
    """

    number: int
    reference: str


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of a document that one Spark query computes, with its own checkpoint and watermark.

    Attributes:
        name: unique in the plan.
        output_mode: of the query: append gives each result once, update writes again what changed.
        groups: the outputs that it computes, and what it passes through cuts.
        live: names of the nodes that it computes; a node may stand in several stages, and then keeps its state in each.
        flowing: those whose rows flow in the query.
        copied: those that are read once, when the query starts.
        reason: why it stands apart, for people; empty of the only stage.
        reads: the cuts whose rows it gets from the other stage.
    """

    name: StageName
    output_mode: OutputMode
    groups: tuple[OutputGroup, ...]
    live: frozenset[str]
    flowing: frozenset[str]
    copied: frozenset[str]
    reason: str = ""
    reads: tuple[Cut, ...] = ()

    @property
    def sinks(self) -> tuple[Sink, ...]:
        """Where its rows go."""
        return tuple(sink for group in self.groups for sink in group.sinks)

    @property
    def passes(self) -> tuple[Sink, ...]:
        """The cuts among them."""
        return tuple(sink for sink in self.sinks if sink.cut is not None)

    def as_json(self, order: Iterable[str]) -> dict[str, Any]:
        """The form of the API; `order` is that of the plan's nodes."""
        return {
            "name": self.name,
            "outputs": [sink.name for sink in self.sinks if sink.cut is None],
            "nodes": [name for name in order if name in self.live],
            "passes": [sink.reference for sink in self.passes],
            "reads": [cut.reference for cut in self.reads],
            "reason": self.reason,
        }
