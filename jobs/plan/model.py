"""What planning gives: nodes with their bound forms, the mode, the state fingerprint, and all problems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from jobs.base.durations import Duration
from jobs.base.problems import Problem, has_errors
from jobs.document import JobDocument
from jobs.formats.contract import StreamContract
from jobs.operators.relation import Relation
from jobs.operators.requirements import NO_STATE, StateBound
from jobs.plan.queries import OutputGroup, Query, QueryName, Sink

Mode = Literal["realtime", "microbatch"]
SOURCE: Final = "source"


@dataclass(frozen=True, slots=True)
class SourceBound:
    """A source: the stream's contract (its delay already the job's own, where the job gives one) and the
    fields to parse.

    `used_fields` are the declared fields that steps or the result read, the event-time field, and all
    required ones, in the contract's order.
    """

    contract: StreamContract
    used_fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Watermark:
    """What moves event time where a node stands (`docs/semantics/watermarks-and-lateness.md#definition`).

    Attributes:
        query: name of the query; a node may be part of several.
        delays: by source, how far its watermark trails the greatest event time that it has given.
        policy: whether the slowest (min) or the fastest (max) of these sources decides.
    """

    query: str
    delays: Mapping[str, Duration]
    policy: Literal["min", "max"]

    def as_json(self) -> dict[str, Any]:
        """The form of the API."""
        return {
            "query": self.query,
            "delays": {name: str(delay) for name, delay in self.delays.items()},
            "policy": self.policy,
        }


@dataclass(frozen=True, slots=True)
class Node:
    """A source or step.

    Attributes:
        name: as in the document.
        op: ``source`` or the operator.
        inputs: references ``node`` or ``node.port``.
        bound: a SourceBound or the operator's bound form; None where it has an error.
        output: what flows out of the node itself.
        ports: what flows out of its named outputs.
        only_ports: True when nothing flows out but through named outputs.
        state: whether what it keeps is bounded, and why; none where it has an error.
        watermarks: what moves event time there, by query; none for a static node, for a node that no output
            needs, and in a document with errors.
    """

    name: str
    op: str
    inputs: tuple[str, ...]
    bound: object
    output: Relation
    ports: Mapping[str, Relation] = field(default_factory=dict)
    only_ports: bool = False
    state: StateBound = NO_STATE
    watermarks: tuple[Watermark, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The form of the API."""
        return {
            "name": self.name,
            "op": self.op,
            "inputs": list(self.inputs),
            **_relation_json(self.output),
            "ports": [{"name": name, **_relation_json(relation)} for name, relation in self.ports.items()],
            "only_ports": self.only_ports,
            "state": {"bound": self.state.kind, "why": self.state.why},
            "watermarks": [watermark.as_json() for watermark in self.watermarks],
        }


def _relation_json(relation: Relation) -> dict[str, Any]:
    return {
        "schema": relation.schema.as_json(),
        "kind": relation.kind,
        "identity": list(relation.identity_parts),
        "identity_kind": relation.identity_kind,
        "watermark_slack": str(relation.slack),
        "windowed": relation.windowed,
    }


@dataclass(frozen=True, slots=True)
class ModeDecision:
    """How the run would execute, and why, in sentences for people."""

    mode: Mode
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlanningContext:
    """What is measured around a job when it is planned.

    Attributes:
        rates: records per second of each source of the document, measured; empty where not known.
        partitions: partitions of each source's topic; empty where not known.
        engine_rate: results per second that other real-time runs of the engine already write.
        shuffle_partitions: state partitions of the generation.
        topics: topics of the home cluster that outputs may name, by stream name or own name; None: not known.
        run_limit: greatest rate × fan-out at which `auto` takes real-time mode.
        engine_limit: the same for the whole engine.
    """

    rates: Mapping[str, float] = field(default_factory=dict)
    partitions: Mapping[str, int] = field(default_factory=dict)
    engine_rate: float = 0.0
    shuffle_partitions: int = 1
    topics: Mapping[str, str] | None = None
    run_limit: float = 1_000.0
    engine_limit: float = 2_500.0


@dataclass(frozen=True)
class Plan:
    """A planned document.

    Attributes:
        document: as read; None when its form has errors.
        nodes: sources first, then steps, each after its inputs; those that could be checked.
        outputs: references ``node`` or ``node.port`` that feed outputs, the result's first.
        sinks: where each of them goes, the result first.
        live: names of the nodes that outputs depend on; the engine builds only these.
        problems: all findings.
        mode: how it would run.
        fingerprint: of the stored state; empty when there are errors.
        slots: task slots that a run takes at once.
        state: what the fingerprint was made from, by node; for `diff`.
        groups: sinks that are computed together; of a valid document.
        streaming: live nodes that the query reads as a stream.
        static: live nodes that are read once, when the query starts: broadcast tables, and the steps between
            them and their joins.
        queries: the queries that compute the groups; of a valid document at least one, in the order in which
            they are started.
        exchanged_fields: by reference of each exchange, the fields that it carries.
    """

    document: JobDocument | None
    nodes: tuple[Node, ...]
    outputs: tuple[str, ...]
    live: frozenset[str]
    problems: tuple[Problem, ...]
    mode: ModeDecision
    fingerprint: str
    slots: int
    state: "StateSignature"
    sinks: tuple[Sink, ...] = ()
    groups: tuple[OutputGroup, ...] = ()
    streaming: frozenset[str] = frozenset()
    static: frozenset[str] = frozenset()
    queries: tuple[Query, ...] = ()
    exchanged_fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def has_exchange(self) -> bool:
        """True when one query hands rows to another."""
        return any(query.exchange_in for query in self.queries)

    @property
    def ok(self) -> bool:
        """True when no error stops a submit."""
        return not has_errors(list(self.problems))

    @property
    def live_nodes(self) -> tuple[Node, ...]:
        """The nodes that outputs depend on, in order."""
        return tuple(node for node in self.nodes if node.name in self.live)

    def for_query(self, query: Query) -> "Plan":
        """The part of this plan that one of its queries computes."""
        return replace(
            self,
            outputs=tuple(sink.reference for sink in query.sinks),
            sinks=query.sinks,
            groups=query.groups,
            live=query.live,
            streaming=query.streaming,
            static=query.static,
            queries=(query,),
        )

    def node(self, name: str) -> Node:
        """The node of that name.

        Raises:
            KeyError: there is none.
        """
        for node in self.nodes:
            if node.name == name:
                return node
        raise KeyError(name)

    def relation(self, reference: str) -> Relation:
        """What flows out of ``node`` or ``node.port``.

        Raises:
            KeyError: there is none.
        """
        name, _, port = reference.partition(".")
        node = self.node(name)
        return node.ports[port] if port else node.output

    def upstream_of(self, reference: str) -> frozenset[str]:
        """Names of the live nodes that ``node`` or ``node.port`` is made from, its own among them."""
        found: set[str] = set()
        waiting = [reference]
        while waiting:
            name = waiting.pop().partition(".")[0]
            if name not in found and name in self.live:
                found.add(name)
                waiting += self.node(name).inputs
        return frozenset(found)

    def as_json(self) -> dict[str, Any]:
        """The form of the API's check."""
        return {
            "problems": [found.as_json() for found in self.problems],
            "nodes": [node.as_json() for node in self.nodes],
            "outputs": list(self.outputs),
            "queries": [query.as_json([node.name for node in self.nodes]) for query in self.queries],
            "mode": {"mode": self.mode.mode, "reasons": list(self.mode.reasons)},
            "fingerprint": self.fingerprint,
            "slots": self.slots,
            "document": self.document.as_json() if self.document else None,
        }


@dataclass(frozen=True)
class StateSignature:
    """What stored state means, in parts that can be compared.

    Attributes:
        sources: by source name, JSON values of what matters.
        stateful: by step name, the same; in order.
        result: kind and identity of the result.
        queries: by name of each query, the order of its sources and steps with state.
        exchanged_fields: by number of each exchange, what its rows mean and how they are written.
        read: digests of all fields that state depends on, through every upstream step.
        made: by stateless step, the digests of the fields that it puts out.
    """

    sources: Mapping[str, Any] = field(default_factory=dict)
    stateful: Mapping[str, Any] = field(default_factory=dict)
    result: Any = None
    queries: Mapping[QueryName, list[str]] = field(default_factory=dict)
    exchanged_fields: Sequence[Any] = ()
    read: frozenset[str] = frozenset()
    made: Mapping[str, frozenset[str]] = field(default_factory=dict)
