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
