"""filter: keep the rows for which a condition is true (`docs/semantics/stateless-steps.md#filter`)."""

from typing import Annotated, Final, Literal

from jobs.base.problems import DocumentPath, has_errors, warning
from jobs.operators.expression_checks import condition_over
from jobs.operators.field_digests import same_meanings
from jobs.operators.filter_bound import FilterBound
from jobs.operators.forecasts import one_row
from jobs.operators.lineage import same_columns
from jobs.operators.operator import stateless_operator
from jobs.operators.parameters import ExpressionText, InputText, Parameters, parameter
from jobs.operators.relation import Relation, StepCheck
from jobs.operators.requirements import Needed
from jobs.operators.script_step import ScriptStep, passing


class FilterStep(Parameters):
    """Keep rows where `where` is true; null counts as not true. Over a changelog a row that does not pass
    becomes a tombstone."""

    op: Literal["filter"]
    input: InputText
    where: Annotated[
        ExpressionText,
        parameter(
            "Condition",
            "Keeps rows where this is true; null counts as false",
            example="price > 100 and symbol <> 'TEST'",
            inline=True,
        ),
    ]


def fields_read(bound: FilterBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """The fields that are needed of the step's rows, and the fields of the condition."""
    return (needed.get("", frozenset()) | bound.where.fields,)


def check(params: FilterStep, inputs: tuple[Relation, ...], path: DocumentPath) -> StepCheck[FilterBound]:
    """Any input → the same schema, kind, identity and slack. Warns CONSTANT_CONDITION."""
    field_path = (*path, "where")
    where, problems = condition_over(inputs[0], params.where, field_path)
    if where is not None and where.constant:
        problems = [
            *problems,
            warning("CONSTANT_CONDITION", field_path, "The condition is constant: it reads no field."),
        ]
    bound = FilterBound(where) if where is not None and not has_errors(problems) else None
    return StepCheck(bound, inputs[0], problems)


def script(step: ScriptStep, bound: FilterBound) -> list[str]:
    """Lines that keep the rows for which the condition is true."""
    return passing(step, "", bound.where.sql)


def deletes(bound: FilterBound, upstream: bool) -> bool:  # noqa: ARG001
    """True: a row that does not pass deletes its key, because an earlier row may have passed."""
    return True


OPERATOR: Final = stateless_operator(
    name="filter",
    parameters=FilterStep,
    summary="Keep rows where a condition is true.",
    example="{op: filter, input: trades, where: price > 10}",
    check=check,
    fields_read=fields_read,
    row_wise=True,
    keeps_rows=False,
    rows_out=one_row,
    meanings=same_meanings,
    lineage=same_columns,
    script=script,
    deletes=deletes,
)
