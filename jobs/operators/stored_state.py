"""What a step's stored state means: a generation continues while the meaning stays the same, and a different
meaning starts a new one.

See `docs/semantics/restarts-and-versions.md#generations`; `jobs.plan.fingerprint` combines the steps.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jobs.base.types import type_text
from jobs.operators.field_digests import FieldDigests
from jobs.operators.relation import Relation


@dataclass(frozen=True)
class StateContext:
    """The plan around a stateful step.

    Attributes:
        digests: what the upstream fields mean.
        inputs: references of the step's inputs.
        relations: relations of the inputs.
        reads: the fields that the step reads of each input.
        needed: the step's own fields that something reads.
        only_compared: the step is read only by steps that compute it themselves (change).
        late_port: something reads the step's late output.
    """

    digests: FieldDigests
    inputs: tuple[str, ...]
    relations: tuple[Relation, ...]
    reads: tuple[frozenset[str], ...]
    needed: frozenset[str]
    only_compared: bool = False
    late_port: bool = False

    def clock(self, *sides: int) -> dict[str, Any]:
        """What a step that compares event times of these inputs with the watermark depends on besides its
        slack, as JSON values; nothing where sources and bounds of joins say all of it.
        """
        times = [self.digests.chosen_time(self.inputs[at]) for at in sides]
        return {**({"time": times} if any(times) else {}), **self.shift(*sides)}

    def shift(self, *sides: int) -> dict[str, Any]:
        """The part of `clock` that stored instants are shifted by."""
        relations = [self.relations[at] for at in sides]
        if not any(relation.trails_less for relation in relations):
            return {}
        return {"spark_slack": [relation.spark_slack.us for relation in relations]}

    @property
    def query_shape(self) -> dict[str, Any]:
        """How the step is lowered in its query, as JSON values: ``only_changes`` when only steps that compute
        it themselves read it, ``late_port`` when its late output is read.
        """
        found: dict[str, Any] = {}
        if self.only_compared:
            found["only_changes"] = True
        if self.late_port:
            found["late_port"] = 2  # raised when the operator of late rows keeps something else
        return found


def order_meaning(relation: Relation) -> dict[str, Any]:
    """What decides the order of these rows beside the layout of their identities, as JSON values: a step that
    puts new rows in order with stored ones goes on only with the same.
    """
    return {"listed": relation.listed_inputs} if relation.listed_inputs else {}


def stored_row(relation: Relation, read: frozenset[str], meant: Mapping[str, str]) -> dict[str, Any]:
    """What a row that an operator of the JVM stores is made of, as JSON values: names and types of the fields
    that are read, and the identity. The stored bytes are read again only as the same.

    Args:
        relation: of the row.
        read: its fields that are stored.
        meant: what each of them means. Stored values are found again by their names, and of those of one type
            nothing else says which is which once names change places.
    """
    inside = {"inside": relation.inner_layouts} if any(relation.inner_layouts) else {}
    fields = sorted([field.name, type_text(field.type)] for field in relation.schema if field.name in read)
    of_one_type = len({type_ for _, type_ in fields}) < len(fields)
    return {
        "layout": 2,  # raised when keys are written in another way, or an operator lays out its state anew
        "fields": fields,
        **({"meant": [meant[name] for name, _ in fields]} if of_one_type else {}),
        "identity": [relation.identity_kind, *relation.identity_parts, *map(type_text, relation.index_types)],
        **inside,
    }


@dataclass(frozen=True)
class StoredState:
    """The meaning of a step's state.

    Attributes:
        meaning: JSON values; the plan adds operator and lowering revision.
        read: digests of the fields that the state depends on.
        measures: by name, what each value means that the state keeps beside the others and that can be added
            or removed while they stay; `meaning` lists them under ``measures``. None: there are no such
            values.
        could_update: results are written when they are final, and a query that updates them would keep the
            same state.
        whole_rows: an operator keeps rows with the fields that anything in the plan reads, so that each of
            its states in a plan is the same. Of other rows Spark leaves out what a group of outputs does not
            read (`jobs.plan.state_copies`).
    """

    meaning: dict[str, Any]
    read: frozenset[str] = field(default_factory=frozenset)
    measures: Mapping[str, str] | None = None
    could_update: bool = False
    whole_rows: bool = False
