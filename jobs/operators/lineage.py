"""Column lineage of one step; `jobs.plan.lineage` follows it through a plan.

The work is the source columns that are looked at: the code that merges those of several columns spends them
from the current budget (`jobs.base.budget`) before it does.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from jobs.base.budget import spend

ColumnSources = Mapping[str, frozenset[str]]
"""Source columns, as ``source.field``, by column."""
NOTHING: Final = frozenset[str]()
TIME: Final = "_time"


def same_columns(bound: object, names: Iterable[str], inputs: list[ColumnSources]) -> ColumnSources:  # noqa: ARG001
    """The lineage of the first input's columns, for a step that leaves its rows unchanged."""
    return renamed_columns({}, names, inputs[0])


def renamed_columns(made_of: Mapping[str, str], names: Iterable[str], known: ColumnSources) -> ColumnSources:
    """The lineage of columns that are each made of one of the input: of the one of its own name, where
    `made_of` doesn't have it.
    """
    return {name: known.get(made_of.get(name, name), NOTHING) for name in names}


def columns_of_sides(
    joined: Iterable[tuple[str, str]], names: Iterable[str], left: ColumnSources, right: ColumnSources
) -> dict[str, frozenset[str]]:
    """The lineage of columns from one of a join's two sides. `joined` pairs each field of the right side with
    its name in the step's output.
    """
    of_right = {name: field for field, name in joined}
    return {
        name: right.get(of_right[name], NOTHING) if name in of_right else left.get(name, NOTHING)
        for name in names
    }


def sources_of(fields: Iterable[str], known: ColumnSources) -> frozenset[str]:
    """The source columns of all of these fields."""
    return merged(known[field] for field in fields if field in known)


def merged(sources: Iterable[frozenset[str]]) -> frozenset[str]:
    """The union of these source columns.

    Raises:
        jobs.base.budget.OverBudget: they are too many.
    """
    found = [one for one in sources if one]
    if len(found) < 2:
        return found[0] if found else NOTHING
    spend(sum(map(len, found)))
    return NOTHING.union(*found)
