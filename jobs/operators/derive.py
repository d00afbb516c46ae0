"""derive: add or replace fields (`docs/semantics/stateless-steps.md#derive-select-rename-drop`)."""

from typing import Annotated, Final, Literal

from pydantic import Field

from jobs.base.problems import DocumentPath
from jobs.operators.expression_checks import expression_over, field_over
from jobs.operators.output_fields import check_name
from jobs.operators.parameters import ExpressionText, InputText, Parameters, parameter
from jobs.operators.projection import Column, ProjectionBound, project, projection_operator
from jobs.operators.relation import Relation, StepCheck


class DeriveStep(Parameters):
    """Add or replace fields; all expressions read the input row, never each other."""

    op: Literal["derive"]
    input: InputText
    fields: Annotated[
        dict[str, ExpressionText],
        Field(min_length=1, max_length=500),
        parameter(
            "Fields",
            "Fields to add or replace; every expression reads the input row",
            example={"value": "price * quantity"},
            input="mapping",
            entry="field",
            keys="name",
            values="expression",
        ),
    ]


def check(params: DeriveStep, inputs: tuple[Relation, ...], path: DocumentPath) -> StepCheck[ProjectionBound]:
    """Any input → same kind; replaced fields keep their positions, new ones follow in document order."""
    source = inputs[0]
    problems = []
    new: dict[str, Column] = {}
    for name, text in params.fields.items():
        field_path = (*path, "fields", name)
        expression, found = expression_over(source, text, field_path)
        problems += [*check_name(name, field_path), *found]
        new[name] = Column(name, expression, field_path)
    kept = [
        new.pop(field.name)
        if field.name in new
        else Column(field.name, field_over(source, field.name, path)[0])
        for field in source.schema
    ]
    kept += [Column(name, None) for name in sorted(source.untyped) if name not in new]
    return project(source, [*kept, *new.values()], path, problems, keeps_rest=True)


def computed(params: DeriveStep) -> list[tuple[str, str]]:
    """All fields that the step adds or replaces."""
    return [("fields", name) for name in params.fields]


OPERATOR: Final = projection_operator(
    name="derive",
    parameters=DeriveStep,
    summary="Add or replace fields.",
    example="{op: derive, input: trades, fields: {value: price * size}}",
    check=check,
    computed=computed,
)
