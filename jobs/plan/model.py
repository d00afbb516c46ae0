"""The result of planning: nodes with their bound forms, the mode, the state fingerprint, and all problems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from jobs.base.durations import Duration
from jobs.base.problems import Problem, has_errors
from jobs.document import JobDocument
from jobs.formats.contract import StreamContract
from jobs.operators.lineage import ColumnSources
from jobs.operators.relation import Relation
from jobs.operators.requirements import NO_STATE, StateBound
from jobs.plan.queries import OutputGroup, Query, QueryName, Sink

Mode = Literal["realtime", "microbatch"]
SOURCE: Final = "source"


@dataclass(frozen=True, slots=True)
class SourceBound:
    """A source: the stream's contract, with the job's own delay where the document gives one, and the fields
    to parse.

    `used_fields` are in the contract's order (`jobs.plan.column_pruning` chooses them).
    """

    contract: StreamContract
    used_fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Watermark:
    """What drives the watermark at a node (`docs/semantics/watermarks-and-lateness.md#definition`).

    Attributes:
        query: name of the query; a node may be part of several.
        delays: watermark delay of each watermarked source of the query.
        policy: whether the slowest (min) or the fastest (max) of these sources drives the watermark.
    """

    query: str
    delays: Mapping[str, Duration]
    policy: Literal["min", "max"]

    def as_json(self) -> dict[str, Any]:
        """The API's JSON form."""
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
        bound: a SourceBound or the operator's bound form; None where the node has an error.
        output: relation of the rows that the node itself gives.
        ports: relations of its named outputs.
        only_ports: True when the node has only named outputs.
        state: whether its state is bounded, and why; NO_STATE where the node has an error.
        watermarks: what drives the watermark there, by query; empty for a static node, for a node that no
            output needs, and in a document with errors.
        reads: of each input the fields that the step reads; empty for a source, for a node that no output
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
    reads: tuple[frozenset[str], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The API's JSON form."""
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


def _in_query(node: Node, query: Query) -> Node:
    """The node with the relations that its rows have in a query."""

    def in_query(reference: str, relation: Relation) -> Relation:
        slack = query.spark_slacks.get(reference)
        return relation if slack is None else replace(relation, spark_slack=slack)

    if not query.spark_slacks:
        return node
    ports = {port: in_query(f"{node.name}.{port}", found) for port, found in node.ports.items()}
    return replace(node, output=in_query(node.name, node.output), ports=ports)


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
    """The execution mode of a run, and the reasons in sentences for users."""

    mode: Mode
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlanningContext:
    """Measurements and limits that a plan depends on, besides the document and contracts.

    Attributes:
        rates: measured records per second by source of the document; unknown ones are missing.
        partitions: number of partitions of each source's topic; unknown ones are missing.
        engine_rate: results per second that other real-time runs of the engine already write.
        shuffle_partitions: state partitions of the generation.
        topics: topics of the home cluster that outputs may name, by stream name or topic name; None: unknown.
        home_topics: topics of the streams on the home cluster, by stream name, so that an output is known to
            write what a source reads: a stream of another cluster may have the name of a topic here. None:
            unknown, and names are compared.
        unreadable: streams without a contract, because what is stored of it can't be read: why, by name.
        run_limit: results per second up to which `auto` chooses real-time mode.
        engine_limit: the same for all real-time runs of the engine together.
    """

    rates: Mapping[str, float] = field(default_factory=dict)
    partitions: Mapping[str, int] = field(default_factory=dict)
    engine_rate: float = 0.0
    shuffle_partitions: int = 1
    topics: Mapping[str, str] | None = None
    home_topics: Mapping[str, str] | None = None
    unreadable: Mapping[str, str] = field(default_factory=dict)
    run_limit: float = 1_000.0
    engine_limit: float = 2_500.0


@dataclass(frozen=True)
class Plan:
    """A planned document.

    Attributes:
        document: as parsed; None when parsing it found errors.
        nodes: all that could be parsed: sources first, then steps, each after its inputs.
        outputs: references ``node`` or ``node.port`` that feed outputs, the result's first.
        live: names of the nodes that outputs depend on; the engine builds only these.
        problems: all problems, warnings included.
        mode: real-time or micro-batch, with reasons.
        fingerprint: the state fingerprint; empty when there are errors.
        fanout: assumed number of rows that a record becomes: the most on a way through the steps.
        lineage: by live ``node`` or ``node.port``, and by column, the source columns (``source.field``) that
            it is computed from (`jobs.plan.lineage`); empty when there are errors.
        base_fingerprint: the same without the measures of aggregates (`StateSignature.measures`): while it
            stays the same, stored state can be adapted to the plan.
        slots: task slots that a run takes at once.
        state: what the fingerprint is computed from, in parts, for `diff`.
        sinks: where the rows of each output go, the result first.
        groups: sinks that are computed together; empty when there are errors.
        streaming: live nodes whose rows are read as a stream.
        static: live nodes whose rows are read once, when the query starts: broadcast tables, and the steps
            between them and their joins.
        queries: the queries that compute the groups, in the order in which they are started; empty when there
            are errors.
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
    base_fingerprint: str = ""
    fanout: int = 1
    lineage: Mapping[str, ColumnSources] = field(default_factory=dict)

    @property
    def has_exchange(self) -> bool:
        """True when one query hands rows to another."""
        return any(query.exchange_in for query in self.queries)

    @property
    def ok(self) -> bool:
        """True when the document has no errors and can be submitted."""
        return not has_errors(list(self.problems))

    @property
    def live_nodes(self) -> tuple[Node, ...]:
        """The nodes that outputs depend on, in order."""
        return tuple(node for node in self.nodes if node.name in self.live)

    @property
    def copied(self) -> frozenset[str]:
        """Live nodes whose rows are read once and never as a stream."""
        return self.static - self.streaming

    @property
    def reads_changing_table(self) -> bool:
        """True when a table is read as it grows."""
        return any(
            isinstance(node.bound, SourceBound)
            and node.bound.contract.kind == "table"
            and node.name in self.streaming
            for node in self.live_nodes
        )

    def for_query(self, query: Query) -> "Plan":
        """The part of this plan that one of its queries computes."""
        return replace(
            self,
            nodes=tuple(_in_query(node, query) for node in self.nodes),
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
        """The relation of ``node`` or ``node.port``.

        Raises:
            KeyError: there is none.
        """
        name, _, port = reference.partition(".")
        node = self.node(name)
        return node.ports[port] if port else node.output

    def upstream_of(self, reference: str) -> frozenset[str]:
        """Names of the live nodes upstream of ``node`` or ``node.port``, including the node itself."""
        found: set[str] = set()
        waiting = [reference]
        while waiting:
            name = waiting.pop().partition(".")[0]
            if name not in found and name in self.live:
                found.add(name)
                waiting += self.node(name).inputs
        return frozenset(found)

    def as_json(self) -> dict[str, Any]:
        """The JSON form of the API's document check."""
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
    """The meaning of stored state, in parts that can be compared.

    Attributes:
        sources: by source name, its meaning as JSON values.
        stateful: by name of each stateful step, in order, its meaning as JSON values.
        result: kind and identity of the result.
        queries: by query name, its sources and stateful steps in order.
        exchanged_fields: for each exchange, by its number, what its rows mean and how they are written.
        read: digests of all fields that state depends on, through every upstream step.
        made: by source and stateless step, the digests of its output fields.
        measures: by name of each step whose measures can change while the rest of its state stays, what each
            of them means that the state keeps, by name (`jobs.operators.stored_state.StoredState`).
        kept_measures: by name of each of these steps, the names of the measures that each of its states keeps
            (`jobs.plan.state_copies`).
        copies: of the states of joins and changes, those that keep less than `stateful` says, by their place:
            what they keep.
    """

    sources: Mapping[str, Any] = field(default_factory=dict)
    stateful: Mapping[str, Any] = field(default_factory=dict)
    result: Any = None
    queries: Mapping[QueryName, list[str]] = field(default_factory=dict)
    exchanged_fields: Sequence[Any] = ()
    read: frozenset[str] = frozenset()
    made: Mapping[str, frozenset[str]] = field(default_factory=dict)
    measures: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    kept_measures: Mapping[str, Sequence[frozenset[str]]] = field(default_factory=dict)
    copies: Sequence[Any] = ()
