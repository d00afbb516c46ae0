"""filter: keep the rows for which a condition is true (`docs/semantics/stateless-steps.md#filter`)."""

from dataclasses import dataclass
from typing import Literal

from jobs.base.problems import has_errors, warning
from jobs.expressions import Expression
from jobs.operators.expression_checks import condition_over
from jobs.operators.parameters import ExpressionText, NameText, Parameters
from jobs.operators.relation import Relation, StepCheck
from jobs.operators.requirements import Needed


class FilterStep(Parameters):
    """Keep rows where `where` is true; null counts as not true. Over a changelog a row that does not pass becomes a tombstone."""

    op: Literal["filter"]
    input: NameText
    where: ExpressionText


@dataclass(frozen=True, slots=True)
class FilterBound:
    """The condition."""

    where: Expression


def fields_read(bound: FilterBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """What is read below, and what the condition reads."""
    return (needed.get("", frozenset()) | bound.where.fields,)


def check(params: FilterStep, inputs: tuple[Relation, ...], path: tuple[str, ...]) -> StepCheck[FilterBound]:
    """Any input → the same schema, kind, identity and slack. Warns CONSTANT_CONDITION."""
    field_path = (*path, "where")
    where, problems = condition_over(inputs[0], params.where, field_path)
    if where is not None and where.constant:
        problems = [*problems, warning("CONSTANT_CONDITION", field_path, "The condition is constant: it reads no field.")]
    bound = FilterBound(where) if where is not None and not has_errors(problems) else None
    return StepCheck(bound, inputs[0], problems)
