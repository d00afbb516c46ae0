"""What a step's stored state means: the same meaning lets a generation go on, another begins a new one.

See `docs/semantics/restarts-and-versions.md#generations`; `jobs.plan.fingerprint` puts the steps together.
"""

from dataclasses import dataclass, field
from typing import Any

from jobs.operators.field_digests import FieldDigests
from jobs.operators.relation import Relation


@dataclass(frozen=True)
class StateContext:
    """The plan around a stateful step.

    Attributes:
        digests: what the fields upstream mean.
        inputs: references of its inputs.
        relations: what flows in.
        reads: the fields that are read of each input.
        needed: the fields that something reads of the step's own rows.
        only_compared: nothing reads the step but steps that compute it themselves (change).
        late_port: something reads its late rows.
    """

    digests: FieldDigests
    inputs: tuple[str, ...]
    relations: tuple[Relation, ...]
    reads: tuple[frozenset[str], ...]
    needed: frozenset[str]
    only_compared: bool = False
    late_port: bool = False

    @property
    def query_shape(self) -> dict[str, Any]:
        """What stands in the query for the step: itself unless only changes of it are read, and its late
        rows.
        """
        found: dict[str, Any] = {}
        if self.only_compared:
            found["only_changes"] = True
        if self.late_port:
            found["late_port"] = True
        return found


@dataclass(frozen=True)
class StoredState:
    """What is kept.

    Attributes:
        meaning: as JSON values; operator and lowering revision are added by the plan.
        read: digests of the fields that it depends on.
    """

    meaning: dict[str, Any]
    read: frozenset[str] = field(default_factory=frozenset)
