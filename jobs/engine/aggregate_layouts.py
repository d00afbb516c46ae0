"""Where each measure of an aggregate is in the stored state of a query, and how state is laid out anew for
other measures (`docs/decisions/2026-11-26-measures-on-old-state.md`).

Pure: `weir.checkpoints.AggregateLayouts` asks Spark, `jobs.engine.checkpoints` keeps the answer beside the
state.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from jobs.engine.rows import TIMESTAMP
from jobs.engine.state_steps import group_state_steps, kind_of, state_steps
from jobs.plan import OutputGroup, Plan

FORMAT: Final = 1


class StateLayoutError(Exception):
    """The stored state cannot be laid out for the query, and going on would compute wrong values."""


@dataclass(frozen=True)
class AggregateLayout:
    """The state of one aggregation.

    Attributes:
        types: of the values in a row of its state, as Spark's JSON.
        fixed: how many of them come before those of measures.
        places: where the values of each measure are, by the digest of its meaning; and those of the newest
            Kafka timestamp, by `TIMESTAMP`. None where that is not known of every value and every measure.
    """

    types: tuple[str, ...]
    fixed: int
    places: Mapping[str, tuple[int, ...]] | None

    def as_json(self) -> dict[str, Any]:
        """As kept beside the state."""
        places = None if self.places is None else {name: list(at) for name, at in self.places.items()}
        return {"types": list(self.types), "fixed": self.fixed, "places": places}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "AggregateLayout":
        """From `as_json`."""
        kept = value["places"]
        places = None if kept is None else {name: tuple(at) for name, at in kept.items()}
        return cls(tuple(value["types"]), value["fixed"], places)


@dataclass(frozen=True)
class StateLayout:
    """The state of a query's aggregates whose measures can change.

    Attributes:
        base_fingerprint: of the plan that it belongs to.
        document: digest of what the query was made from: the same makes the same layout.
        aggregates: by Spark's number of the operator; None: Spark has not been asked.
        partial_before_us: event time: windows that start before it lack rows in some measure; None: none
            does.
    """

    base_fingerprint: str
    document: str
    aggregates: Mapping[str, AggregateLayout] | None
    partial_before_us: int | None = None

    def to_text(self) -> str:
        """As kept beside the state."""
        aggregates = (
            None
            if self.aggregates is None
            else {name: one.as_json() for name, one in self.aggregates.items()}
        )
        return json.dumps(
            {
                "format": FORMAT,
                "base_fingerprint": self.base_fingerprint,
                "document": self.document,
                "aggregates": aggregates,
                "partial_before_us": self.partial_before_us,
            }
        )

    @classmethod
    def from_text(cls, text: str) -> "StateLayout":
        """From `to_text`.

        Raises:
            StateLayoutError: a newer Weir wrote it.
        """
        value = json.loads(text)
        if value["format"] != FORMAT:
            raise StateLayoutError(f"The layout of the state has format {value['format']}, not {FORMAT}.")
        kept = value["aggregates"]
        aggregates = (
            None if kept is None else {name: AggregateLayout.from_json(one) for name, one in kept.items()}
        )
        return cls(value["base_fingerprint"], value["document"], aggregates, value["partial_before_us"])


@dataclass(frozen=True)
class Operator:
    """An aggregation as Spark plans it.

    Attributes:
        id: Spark's number of the operator.
        step: of the plan.
        aggregate: its layout.
        described: Spark's description of it.
    """

    id: str
    step: str
    aggregate: AggregateLayout
    described: Mapping[str, Any] = field(compare=False)


def operators_of(plan: Plan, described: Sequence[Mapping[str, Any]]) -> list[Operator]:
    """The aggregations of a query whose measures can change.

    Args:
        plan: of the query.
        described: by `weir.checkpoints.AggregateLayouts`.

    Raises:
        StateLayoutError: Spark plans other operators than the plan says.
    """
    (query,) = plan.queries
    steps = [(group, *one) for group in query.groups for one in group_state_steps(plan, group)]
    kinds = [kind_of({"operatorName": one["operator"]}) for one in described]
    if kinds != [kind for _, kind, _ in steps]:
        raise StateLayoutError(f"The query has the stateful operators {kinds}, not {state_steps(plan)}.")
    return [
        Operator(
            str(one["id"]), step, _aggregate(one, plan.state.measures[step], _read(plan, group, step)), one
        )
        for one, (group, _, step) in zip(described, steps, strict=True)
        if step is not None and step in plan.state.measures and "columns" in one
    ]


def _read(plan: Plan, group: OutputGroup, step: str) -> frozenset[str]:
    """The fields of a step that a group of outputs depends on. What it doesn't, Spark may leave out."""
    if any(reference == step for reference in (group.root, *(sink.reference for sink in group.sinks))):
        return frozenset(plan.relation(step).schema.names)
    members = plan.upstream_of(group.root) | set(group.steps)
    return frozenset[str]().union(
        *(
            fields
            for node in plan.live_nodes
            if node.name in members
            for reference, fields in zip(node.inputs, node.reads, strict=False)
            if reference == step
        )
    )


def _aggregate(
    described: Mapping[str, Any], measures: Mapping[str, str], read: frozenset[str]
) -> AggregateLayout:
    columns, fixed, types = described["columns"], described["fixed"], tuple(described["types"])
    meant = {**measures, TIMESTAMP: TIMESTAMP}
    places = {meant[name]: tuple(at) for name, at in columns.items() if name in meant}
    known = {at for places_of in places.values() for at in places_of} == set(range(fixed, len(types)))
    # Of two equal functions one may be gone in a way that can't be followed: then nobody knows where it is.
    found = all(name in columns for name in measures if name in read)
    return AggregateLayout(types, fixed, places if known and found else None)


@dataclass(frozen=True)
class Rewrite:
    """How the rows of an aggregation are laid out anew.

    Attributes:
        sources: of each new value the place of the old one; below 0 it is an initial one, -1 the first.
        added: the measures that begin without input, by the digests of their meanings.
    """

    sources: tuple[int, ...]
    added: frozenset[str]


def rewrite(old: AggregateLayout, new: AggregateLayout) -> Rewrite | None:
    """How state of one layout becomes state of another; None where they are the same.

    Raises:
        StateLayoutError: they differ in more than measures.
    """
    if old.places is None or new.places is None:
        if old == new:
            return None
        raise StateLayoutError("The state of an aggregate holds values that belong to no measure.")
    if old.fixed != new.fixed or old.types[: old.fixed] != new.types[: new.fixed]:
        raise StateLayoutError("The state of an aggregate has other keys.")
    sources = [*range(new.fixed), *(-1 - at for at in range(len(new.types) - new.fixed))]
    for name, places in new.places.items():
        if name in old.places:
            _match(old, new, old.places[name], places)
            for source, place in zip(old.places[name], places, strict=True):
                sources[place] = source
    # A new measure that Spark computes together with one that stays has its past.
    added = frozenset(name for name, places in new.places.items() if any(sources[at] < 0 for at in places))
    same = sources == list(range(len(old.types)))
    return None if same and not added else Rewrite(tuple(sources), added)


def _match(old: AggregateLayout, new: AggregateLayout, were: tuple[int, ...], are: tuple[int, ...]) -> None:
    if [old.types[at] for at in were] != [new.types[at] for at in are]:
        raise StateLayoutError("A measure keeps other values than before.")
