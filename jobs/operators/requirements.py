"""What an operator requires of the query that runs it: execution mode, output mode, state.

See `docs/semantics/queries-and-modes.md#one-table`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from jobs.expressions import Expression
from jobs.operators.relation import Relation

OutputMode = Literal["append", "update"]
Needed = Mapping[str, frozenset[str]]
"""Fields of a step's output that something reads, by named output; "" is the step itself."""

BOTH_MODES: Final[frozenset[OutputMode]] = frozenset({"append", "update"})
APPEND_ONLY: Final[frozenset[OutputMode]] = frozenset({"append"})
UPDATE_ONLY: Final[frozenset[OutputMode]] = frozenset({"update"})


@dataclass(frozen=True, slots=True)
class StateBound:
    """Whether a step's state is bounded. `why` says what bounds it or makes it grow; empty without state."""

    kind: Literal["none", "bounded", "unbounded"]
    why: str = ""


NO_STATE: Final = StateBound("none")


def realtime_allowed(bound: Any) -> str:  # noqa: ARG001
    """Every form of the operator runs in real-time mode."""
    return ""


def both_modes(bound: Any) -> frozenset[OutputMode]:  # noqa: ARG001
    """The step can be part of a query in either output mode."""
    return BOTH_MODES


def append_only(bound: Any) -> frozenset[OutputMode]:  # noqa: ARG001
    """The step needs a query in append mode."""
    return APPEND_ONLY


def no_static_inputs(bound: Any) -> frozenset[int]:  # noqa: ARG001
    """Every input is streaming."""
    return frozenset()


def no_reason(bound: Any, name: str) -> str:  # noqa: ARG001
    """The step has no reason to prefer micro-batches: real-time mode costs it no more."""
    return ""


def never(bound: Any) -> bool:  # noqa: ARG001
    """False for every form of the operator."""
    return False


def always(bound: Any) -> bool:  # noqa: ARG001
    """True for every form of the operator."""
    return True


def stateless(bound: Any, inputs: tuple[Relation, ...]) -> StateBound:  # noqa: ARG001
    """The step keeps no state."""
    return NO_STATE


def reads_all(bound: Any, needed: Needed) -> tuple[frozenset[str], ...]:  # noqa: ARG001
    """The step reads from its one input exactly the fields that are needed of its outputs."""
    return (frozenset[str]().union(*needed.values()),)


def expression_fields(expressions: Iterable[Expression]) -> frozenset[str]:
    """The fields that any of these expressions reads."""
    return frozenset(field for expression in expressions for field in expression.fields)
