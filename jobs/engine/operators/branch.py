"""branch in Spark (`semantics.md` 4.7): one filter per output; over a changelog a row that an output does not get is a tombstone there."""

from jobs.engine.columns import any_of
from jobs.engine.counting import count_nulls
from jobs.engine.operators.selection import passing
from jobs.engine.rows import Rows
from jobs.operators.branch import BranchBound
from jobs.operators.relation import Relation


def lower(step: str, bound: BranchBound, inputs: tuple[Rows, ...], output: Relation) -> dict[str, Rows]:
    """The rows of each output, by name."""
    counted = count_nulls(step, inputs[0], failures(bound))
    return {name: passing(counted, condition, output) for name, condition in conditions(bound).items()}


def failures(bound: BranchBound) -> list[str]:
    """Spark SQL, never null, of the errors inside the conditions that are asked: of first, none behind a true one."""
    found: list[str] = []
    earlier: list[str] = []
    for _, condition in bound.branches:
        undecided = f"NOT ({any_of(earlier)}) AND " if earlier and bound.first else ""
        found += [f"{undecided}{failure}" for failure in condition.failures]
        earlier.append(f"coalesce({condition.sql}, false)")
    return found


def conditions(bound: BranchBound) -> dict[str, str]:
    """Spark SQL, never null, of the rows that each output gets."""
    holds = [(name, f"coalesce({condition.sql}, false)") for name, condition in bound.branches]
    found: dict[str, str] = {}
    for at, (name, condition) in enumerate(holds):
        earlier = [other for _, other in holds[:at]] if bound.first else []
        found[name] = f"{condition} AND NOT ({any_of(earlier)})" if earlier else condition
    if bound.rest is not None:
        found[bound.rest] = f"NOT ({any_of([condition for _, condition in holds])})"
    return found
