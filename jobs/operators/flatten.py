"""flatten: the members of a struct as fields of their own (`docs/semantics/stateless-steps.md#flatten`)."""

from typing import Annotated, Final, Literal

from pydantic import Field

from jobs.base.problems import DocumentPath, Problem, problem
from jobs.base.types import Struct, type_text
from jobs.expressions.spark_types import quoted
from jobs.operators.expression_checks import expression_over, field_over
from jobs.operators.output_fields import check_name
from jobs.operators.parameters import InputText, NameText, Parameters, parameter
from jobs.operators.projection import Column, ProjectionBound, project, projection_operator
from jobs.operators.relation import Relation, StepCheck


class FlattenStep(Parameters):
    """Replace a struct by its parts, named `prefix` and the part's name; the prefix is ``<field>_`` unless
    given, and may be empty."""

    op: Literal["flatten"]
    input: InputText
    field: Annotated[
        NameText,
        parameter(
            "Struct",
            "Field whose members become fields, null where the struct is null",
            example="customer",
            input="field",
            types=("struct",),
        ),
    ]
    prefix: Annotated[
        Annotated[str, Field(max_length=60)] | None,
        parameter(
            "New field names",
            "Goes before the members' names; the struct's name and _ unless set, and may be empty",
            example="customer_",
        ),
    ] = None


def check(
    params: FlattenStep, inputs: tuple[Relation, ...], path: DocumentPath
) -> StepCheck[ProjectionBound]:
    """Any input → same kind; the members take the position of the struct. FIELD_UNKNOWN, TYPE_MISMATCH,
    NAME_TAKEN.
    """
    source = inputs[0]
    field_path = (*path, "field")
    _, problems = field_over(source, params.field, field_path)
    parts, found = _parts(params, source, field_path)
    problems = [*problems, *found]
    columns: list[Column] = []
    for field in source.schema:
        columns += (
            parts
            if field.name == params.field
            else [Column(field.name, field_over(source, field.name, path)[0])]
        )
    columns += [Column(name, None) for name in sorted(source.untyped - {params.field})]
    names = [column.name for column in columns]
    for column in parts:
        if names.count(column.name) > 1:
            message = f"The input already has a field {column.name}."
            problems.append(problem("NAME_TAKEN", (*path, "prefix"), message, "Choose another prefix."))
    return project(source, columns, path, problems, keeps_rest=True)


def _parts(params: FlattenStep, source: Relation, path: DocumentPath) -> tuple[list[Column], list[Problem]]:
    field = source.schema.get(params.field)
    if field is None:
        return [], []
    if not isinstance(field.type, Struct):
        message = f"flatten needs a struct; {field.name} has type {type_text(field.type)}."
        return [], [
            problem("TYPE_MISMATCH", path, message, "Choose a struct field. Use explode for arrays and maps.")
        ]
    prefix = f"{field.name}_" if params.prefix is None else params.prefix
    columns, problems = [], []
    for member in field.type.members:
        name = f"{prefix}{member.name}"
        problems += check_name(name, (*path[:-1], "prefix"))
        expression, found = expression_over(source, f"{quoted(field.name)}.{quoted(member.name)}", path)
        problems += found
        columns.append(Column(name, expression, path))
    return columns, problems


OPERATOR: Final = projection_operator(
    name="flatten",
    parameters=FlattenStep,
    summary="The members of a struct as fields.",
    example="{op: flatten, input: orders, field: customer}",
    check=check,
)
