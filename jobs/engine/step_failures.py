"""The conditions under which an error in an expression of a step becomes null."""

from collections.abc import Mapping, Sequence

from jobs.engine.operators import aggregate, branch
from jobs.operators.aggregate_bound import AggregateBound
from jobs.operators.branch import BranchBound
from jobs.operators.filter_bound import FilterBound
from jobs.operators.projection import ProjectionBound


def step_failures(bound: object) -> Mapping[str, Sequence[str]]:
    """By field, branch or ``where``: Spark SQL over the step's input, never null. Empty for operators whose
    expressions can't fail or read something else than their input.
    """
    match bound:
        case ProjectionBound():
            return {name: expression.failures for name, expression in bound.columns}
        case FilterBound():
            return {"where": bound.where.failures}
        case AggregateBound():
            return {name: found for name, found in aggregate.failures_by_field(bound)}
        case BranchBound():
            return dict(branch.failures_by_branch(bound))
        case _:
            return {}
