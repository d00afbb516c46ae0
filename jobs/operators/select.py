"""select: exactly these fields, in this order
(`docs/semantics/stateless-steps.md#derive-select-rename-drop`).
"""

from typing import Annotated, Any, Final, Literal

from pydantic import Discriminator, Field, Tag

from jobs.base.problems import DocumentPath, Problem, problem
from jobs.operators.expression_checks import expression_over, field_over
from jobs.operators.output_fields import check_name
from jobs.operators.parameters import ExpressionText, InputText, NameText, Parameters, parameter
from jobs.operators.projection import Column, ProjectionBound, project, projection_operator
from jobs.operators.relation import Relation, StepCheck


def _shape(value: Any) -> str:
    return "map" if isinstance(value, dict) else "list"


FieldChoice = Annotated[
    Annotated[list[NameText], Tag("list"), Field(max_length=500)]
    | Annotated[dict[str, ExpressionText], Tag("map"), Field(max_length=500)],
    Discriminator(_shape),
]


class SelectStep(Parameters):
    """Keep exactly `fields`, in this order: a list of names, or name: expression."""

    op: Literal["select"]
    input: InputText
    fields: Annotated[
        FieldChoice,
        parameter(
            "Fields (in order)",
            "Fields to keep, as a list of names or as name: expression",
            example={"symbol": "upper(symbol)"},
            input="columns",
            entry="field",
        ),
    ]


def check(params: SelectStep, inputs: tuple[Relation, ...], path: DocumentPath) -> StepCheck[ProjectionBound]:
    """Any input → same kind; types and nullability come from the expressions."""
    columns, problems = columns_of(params.fields, inputs[0], (*path, "fields"))
    return project(inputs[0], columns, (*path, "fields"), problems, keeps_rest=False)


def columns_of(
    fields: list[str] | dict[str, str], source: Relation, path: DocumentPath
) -> tuple[list[Column], list[Problem]]:
    """The columns of a list of names or of name: expression, and the problems of names and expressions."""
    columns: list[Column] = []
    problems: list[Problem] = []
    entries = fields.items() if isinstance(fields, dict) else [(name, None) for name in fields]
    for at, (name, text) in enumerate(entries):
        field_path = (*path, name) if text is not None else (*path, str(at))
        if any(column.name == name for column in columns):
            problems.append(
                problem("NAME_TAKEN", field_path, f"{name} is listed twice.", "List each field once.")
            )
            continue
        named = check_name(name, field_path)
        if named:
            problems += named
            if text is None:
                continue
        expression, found = (
            field_over(source, name, field_path)
            if text is None
            else expression_over(source, text, field_path)
        )
        problems += found
        columns.append(Column(name, expression, field_path))
    return columns, problems


def computed(params: SelectStep) -> list[tuple[str, str]]:
    """The fields with an expression other than their own name; none for a list of names."""
    chosen = params.fields if isinstance(params.fields, dict) else {}
    return [("fields", name) for name, text in chosen.items() if text.strip() != name]


OPERATOR: Final = projection_operator(
    name="select",
    parameters=SelectStep,
    summary="Only these fields, in this order.",
    example="{op: select, input: trades, fields: [symbol, price]}",
    check=check,
    computed=computed,
)
