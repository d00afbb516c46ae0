"""Lowerings of operators: `lower` in the file of the operator's name. A missing file fails the import."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from jobs.engine.rows import Rows
from jobs.operators import OPERATORS
from jobs.operators.relation import Relation

Lowering = Callable[[str, Any, tuple[Rows, ...], Relation], Rows | dict[str, Rows]]
"""Step's name, bound form, rows of each input, checked output → rows; with named outputs by name, "": the
step.
"""

LOWERINGS: Final[dict[str, Lowering]] = {
    name: import_module(f"jobs.engine.operators.{name}").lower for name in OPERATORS
}

StateOperators = Callable[[Any], tuple[str, ...]]
"""Bound form → Spark's names of the stateful operators of the step, from its rows to its inputs."""


def _stateless(bound: Any) -> tuple[str, ...]:  # noqa: ARG001
    return ()


STATE_OPERATORS: Final[dict[str, StateOperators]] = {
    name: getattr(import_module(f"jobs.engine.operators.{name}"), "state_operators", _stateless)
    for name in OPERATORS
}
