"""branch in Spark (`docs/semantics/stateless-steps.md#branch`): one filter per output. In a changelog a row
that does not enter an output becomes a tombstone there.
"""

from jobs.engine.columns import any_of
from jobs.engine.observed_metrics import count_nulls
from jobs.engine.operators.row_filter import filter_rows
from jobs.engine.rows import Rows
from jobs.operators.branch import BranchBound
from jobs.operators.relation import Relation


def lower(step: str, bound: BranchBound, inputs: tuple[Rows, ...], output: Relation) -> dict[str, Rows]:
    """The rows of each output, by name."""
    counted = count_nulls(step, inputs[0], failures(bound))
    return {name: filter_rows(counted, condition, output) for name, condition in bound.conditions.items()}


def failures(bound: BranchBound) -> list[str]:
    """Spark SQL conditions, never null, of errors in the conditions of branches; with `first`, only until a
    condition is true.
    """
    return [failure for _, found in failures_by_branch(bound) for failure in found]


def failures_by_branch(bound: BranchBound) -> list[tuple[str, list[str]]]:
    """The conditions of `failures` by branch, in order."""
    found: list[tuple[str, list[str]]] = []
    earlier: list[str] = []
    for name, condition in bound.branches:
        undecided = f"NOT ({any_of(earlier)}) AND " if earlier and bound.first else ""
        found.append((name, [f"{undecided}{failure}" for failure in condition.failures]))
        earlier.append(f"coalesce({condition.sql}, false)")
    return found
