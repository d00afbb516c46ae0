"""Lowering of operators, one file each under the name it has in `jobs.operators`; one explicit table."""

from collections.abc import Callable
from typing import Any, Final

from jobs.engine.operators import (
    aggregate,
    branch,
    cast,
    change,
    deduplicate,
    derive,
    drop,
    explode,
    filter,
    flatten,
    join,
    latest,
    rename,
    sample,
    select,
    split,
    table_join,
    union,
)
from jobs.engine.rows import Rows
from jobs.operators.relation import Relation

Lowering = Callable[[str, Any, tuple[Rows, ...], Relation], Rows | dict[str, Rows]]
"""Name of the step, bound form, rows of each input, the checked output → rows; with named outputs by name, "" is the step itself."""

LOWERINGS: Final[dict[str, Lowering]] = {
    "filter": filter.lower,
    "derive": derive.lower,
    "select": select.lower,
    "split": split.lower,
    "rename": rename.lower,
    "drop": drop.lower,
    "cast": cast.lower,
    "flatten": flatten.lower,
    "explode": explode.lower,
    "union": union.lower,
    "branch": branch.lower,
    "sample": sample.lower,
    "deduplicate": deduplicate.lower,
    "latest": latest.lower,
    "aggregate": aggregate.lower,
    "change": change.lower,
    "join": join.lower,
    "table_join": table_join.lower,
}
