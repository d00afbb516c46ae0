"""What an operator asks of the engine that runs it: real-time mode, output modes, state.

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
    """Whether what a step keeps is bounded. `why` says what bounds it, or what makes it grow; empty without
    state.
    """

    kind: Literal["none", "bounded", "unbounded"]
    why: str = ""


NO_STATE: Final = StateBound("none")


def realtime_allowed(bound: Any) -> str:  # noqa: ARG001
    """Every form of the operator runs in real-time mode."""
    return ""


def both_modes(bound: Any) -> frozenset[OutputMode]:  # noqa: ARG001
    """The step may stand in a query of either output mode."""
    return BOTH_MODES


def append_only(bound: Any) -> frozenset[OutputMode]:  # noqa: ARG001
    """The step needs a query in append mode."""
    return APPEND_ONLY


def no_static_inputs(bound: Any) -> frozenset[int]:  # noqa: ARG001
    """Every input is streaming."""
    return frozenset()


def no_reason(bound: Any, name: str) -> str:  # noqa: ARG001
    """Real-time mode costs the step no more than micro-batches do."""
    return ""


def never(bound: Any) -> bool:  # noqa: ARG001
    """No form of the operator does."""
    return False


def always(bound: Any) -> bool:  # noqa: ARG001
    """Every form of the operator does."""
    return True


def stateless(bound: Any, inputs: tuple[Relation, ...]) -> StateBound:  # noqa: ARG001
    """The step keeps nothing."""
    return NO_STATE


def reads_all(bound: Any, needed: Needed) -> tuple[frozenset[str], ...]:  # noqa: ARG001
    """The step reads of its one input what is read of its outputs."""
    return (frozenset[str]().union(*needed.values()),)


def expression_fields(expressions: Iterable[Expression]) -> frozenset[str]:
    """The fields that any of these expressions reads."""
    return frozenset(field for expression in expressions for field in expression.fields)
