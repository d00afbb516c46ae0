"""drop: all fields but these (`docs/semantics/stateless-steps.md#derive-select-rename-drop`)."""

from typing import Annotated, Final, Literal

from pydantic import Field

from jobs.base.problems import DocumentPath, problem
from jobs.operators.expression_checks import field_over
from jobs.operators.parameters import InputText, NameText, Parameters, parameter
from jobs.operators.projection import Column, ProjectionBound, project, projection_operator
from jobs.operators.relation import Relation, StepCheck


class DropStep(Parameters):
    """Leave fields out; the others keep their order."""

    op: Literal["drop"]
    input: InputText
    fields: Annotated[
        list[NameText],
        Field(min_length=1, max_length=500),
        parameter("Fields to drop", "Fields to remove", example=["comment"], input="fields"),
    ]


def check(params: DropStep, inputs: tuple[Relation, ...], path: DocumentPath) -> StepCheck[ProjectionBound]:
    """Any input → same kind. FIELD_UNKNOWN, NAME_TAKEN for a name listed twice, EMPTY_SCHEMA, KEY_LOST."""
    source = inputs[0]
    problems = []
    for at, name in enumerate(params.fields):
        field_path = (*path, "fields", str(at))
        problems += field_over(source, name, field_path)[1]
        if name in params.fields[:at]:
            problems.append(
                problem("NAME_TAKEN", field_path, f"{name} is listed twice.", "List each field once.")
            )
    dropped = frozenset(params.fields)
    kept = [
        Column(field.name, field_over(source, field.name, path)[0])
        for field in source.schema
        if field.name not in dropped
    ]
    kept += [Column(name, None) for name in sorted(source.untyped - dropped)]
    if source.has_unknown_fields and not kept:
        kept = [
            Column("unknown", None)
        ]  # the input could not be read, so it is unknown whether any field is left
    return project(source, kept, (*path, "fields"), problems, keeps_rest=True)


OPERATOR: Final = projection_operator(
    name="drop",
    parameters=DropStep,
    summary="All fields except these.",
    example="{op: drop, input: trades, fields: [comment]}",
    check=check,
)
