"""The state that planning passes share: each reads what earlier ones filled in, and fills in its own part."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from jobs.base.problems import Problem, has_errors
from jobs.base.schemas import Schema
from jobs.document import JobDocument, ParseResult
from jobs.formats.contract import StreamContract
from jobs.operators import OPERATORS
from jobs.operators.lineage import ColumnSources
from jobs.operators.relation import Relation
from jobs.plan.model import ModeDecision, PlanningContext, StateSignature
from jobs.plan.queries import OutputGroup, Query, Sink

UNKNOWN_RELATION: Final = Relation(Schema(()), has_unknown_fields=True)
"""Stands for an input that could not be read: any field may exist, so nothing is said about it twice."""


def node_of(reference: str) -> str:
    """The node of a reference ``node`` or ``node.port``; names have no dots."""
    return reference.partition(".")[0]


@dataclass
class Draft:
    """A document being planned.

    Attributes:
        document: the parts of the document that could be parsed.
        parsed: the parser's result, with the names of what could not be parsed.
        catalog: contracts by stream name.
        context: measurements and limits that the plan depends on.
        problems: findings so far.
        contracts: by source name (resolve).
        inputs: by step name, references ``node`` or ``node.port`` to its existing inputs (graph).
        order: sources first, then steps after their inputs (graph).
        live: nodes that outputs depend on (graph).
        relations: by node, and by ``node.port`` of each named output (check).
        named_outputs: references ``node.port`` by step (check).
        only_ports: steps that have only named outputs (check).
        bounds: bound forms by step; absent where a step has an error (check).
        streaming: nodes whose rows are read as a stream (static_inputs).
        static: nodes whose rows are read once, when the query starts (static_inputs).
        needed: by live ``node`` or ``node.port`` of a valid document, the fields that something reads
            (column_pruning).
        used_fields: by source name (column_pruning).
        exchanged_fields: by reference of each exchange, the fields that it carries (column_pruning).
        sinks: where rows go, the result first (outputs).
        lineage: by ``node`` or ``node.port``, the source columns of each column (lineage).
        groups: sinks that are computed together (outputs).
        queries: the queries that compute the groups (split_queries).
        mode: real-time or micro-batch, with reasons (mode).
        slots: task slots that a run takes at once (mode).
        fanout: assumed number of rows that a record becomes (mode).
        state: the meaning of stored state (fingerprint).
        fingerprint: the hash of `state` (fingerprint).
        base_fingerprint: the same without measures (fingerprint).
    """

    document: JobDocument
    parsed: ParseResult
    catalog: Mapping[str, StreamContract]
    context: PlanningContext
    problems: list[Problem]
    contracts: dict[str, StreamContract] = field(default_factory=dict)
    inputs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    live: frozenset[str] = frozenset()
    relations: dict[str, Relation] = field(default_factory=dict)
    named_outputs: dict[str, list[str]] = field(default_factory=dict)
    only_ports: set[str] = field(default_factory=set)
    bounds: dict[str, object] = field(default_factory=dict)
    streaming: frozenset[str] = frozenset()
    static: frozenset[str] = frozenset()
    needed: dict[str, frozenset[str]] = field(default_factory=dict)
    used_fields: dict[str, tuple[str, ...]] = field(default_factory=dict)
    exchanged_fields: dict[str, tuple[str, ...]] = field(default_factory=dict)
    sinks: tuple[Sink, ...] = ()
    lineage: dict[str, ColumnSources] = field(default_factory=dict)
    groups: tuple[OutputGroup, ...] = ()
    queries: tuple[Query, ...] = ()
    mode: ModeDecision = field(
        default_factory=lambda: ModeDecision("microbatch", ("The document has errors. Fix them first.",))
    )
    slots: int = 1
    fanout: int = 1
    state: StateSignature = field(default_factory=StateSignature)
    fingerprint: str = ""
    base_fingerprint: str = ""

    @property
    def valid(self) -> bool:
        """True while no error has been found. Passes that need every bound form do nothing otherwise."""
        return not has_errors(self.problems)

    def ports(self, name: str) -> list[str]:
        """References ``node.port`` to the named outputs of a node."""
        return self.named_outputs.get(name, [])

    def reached(self, references: Iterable[str]) -> frozenset[str]:
        """The nodes of these references, and all nodes upstream of them."""
        reached: set[str] = set()
        waiting = list(references)
        while waiting:
            name = node_of(waiting.pop())
            if name not in reached:
                reached.add(name)
                waiting += self.inputs.get(name, ())
        return frozenset(reached)

    def live_references(self) -> frozenset[str]:
        """The references, ``node`` or ``node.port``, that live steps and outputs read."""
        read = {reference for name in self.live_steps() for reference in self.inputs[name]}
        return frozenset(read | {output.input for output in self.document.outputs.values()})

    def live_steps(self) -> list[str]:
        """Names of the steps that outputs depend on, in order."""
        return [name for name in self.order if name in self.live and name in self.document.steps]

    def live_sources(self) -> list[str]:
        """Names of the sources that outputs depend on, in order."""
        return [name for name in self.order if name in self.live and name in self.document.sources]

    def streaming_sources(self) -> list[str]:
        """Names of the sources that are read as streams, in order."""
        return [name for name in self.order if name in self.streaming and name in self.document.sources]

    def only_compared(self, name: str) -> bool:
        """True where only steps read it that compute it themselves (change), so that the query lacks it."""
        readers = [self.document.steps[step].op for step in self.live_steps() if name in self.inputs[step]]
        is_output = any(output.input == name for output in self.document.outputs.values())
        return bool(readers) and not is_output and all(OPERATORS[op].computes_input for op in readers)

    def keeps_state(self, name: str) -> bool:
        """True when the query keeps state for this valid step."""
        inputs = tuple(self.relations[reference] for reference in self.inputs[name])
        return OPERATORS[self.document.steps[name].op].state(self.bounds[name], inputs).kind != "none"
