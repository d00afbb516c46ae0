"""Lowering of operators, one file each under the name it has in `jobs.operators`; one explicit table."""

from collections.abc import Callable
from typing import Any, Final

from jobs.engine.operators import aggregate, change, derive, filter, join, select, split, table_join
from jobs.engine.rows import Rows
from jobs.operators.relation import Relation

Lowering = Callable[[str, Any, tuple[Rows, ...], Relation], Rows | dict[str, Rows]]
"""Name of the step, bound form, rows of each input, the checked output → rows; with named outputs by name, "" is the step itself."""

LOWERINGS: Final[dict[str, Lowering]] = {
    "filter": filter.lower,
    "derive": derive.lower,
    "select": select.lower,
    "split": split.lower,
    "aggregate": aggregate.lower,
    "change": change.lower,
    "join": join.lower,
    "table_join": table_join.lower,
}
