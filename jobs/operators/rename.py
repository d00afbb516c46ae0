"""rename: other names for fields (`docs/semantics/stateless-steps.md#derive-select-rename-drop`)."""

from dataclasses import replace
from typing import Annotated, Final, Literal

from pydantic import Field

from jobs.base.problems import DocumentPath, Problem, has_errors, problem
from jobs.base.schemas import Schema
from jobs.operators.expression_checks import field_over
from jobs.operators.output_fields import check_name
from jobs.operators.parameters import InputText, NameText, Parameters, parameter
from jobs.operators.projection import ProjectionBound, projection_operator
from jobs.operators.relation import Relation, StepCheck


class RenameStep(Parameters):
    """Give fields other names: old: new. All names change at once, so two fields may swap theirs; positions
    stay."""

    op: Literal["rename"]
    input: InputText
    fields: Annotated[
        dict[str, NameText],
        Field(min_length=1, max_length=500),
        parameter(
            "Fields: old name, new name",
            "New name of each field; all change at once, so two may swap names",
            example={"old_name": "new_name"},
            input="mapping",
            entry="field",
            keys="field",
            values="name",
        ),
    ]


def check(params: RenameStep, inputs: tuple[Relation, ...], path: DocumentPath) -> StepCheck[ProjectionBound]:
    """Any input → same kind; over a changelog the key is renamed with its fields. FIELD_UNKNOWN, NAME_TAKEN,
    NAME_INVALID.
    """
    source = inputs[0]
    problems = _check_names(params, source, (*path, "fields"))
    output = _output(params, source)
    if has_errors(problems) or source.untyped or source.has_unknown_fields:
        return StepCheck(None, output, problems)
    read = [(name, field_over(source, name, path)[0]) for name in source.schema.names]
    columns = tuple((params.fields.get(name, name), field) for name, field in read if field is not None)
    return StepCheck(ProjectionBound(columns), output, problems)


def _output(params: RenameStep, source: Relation) -> Relation:
    """The renamed relation; of several fields with the same new name, only the last one is kept."""
    fields = [replace(field, name=params.fields.get(field.name, field.name)) for field in source.schema]
    return replace(
        source,
        schema=Schema(tuple({field.name: field for field in fields}.values())),
        identity=tuple(params.fields.get(name, name) for name in source.identity),
        untyped=frozenset(params.fields.get(name, name) for name in source.untyped),
    )


def _check_names(params: RenameStep, source: Relation, path: DocumentPath) -> list[Problem]:
    problems: list[Problem] = []
    kept = {name for name in source.schema.names if name not in params.fields}
    for old, new in params.fields.items():
        problems += field_over(source, old, (*path, old))[1]
        problems += check_name(new, (*path, old))
        if new in kept:
            message = f"The input already has a field {new}."
            problems.append(problem("NAME_TAKEN", (*path, old), message, "Rename or drop that field too."))
        kept.add(new)
    return problems


OPERATOR: Final = projection_operator(
    name="rename",
    parameters=RenameStep,
    summary="Rename fields.",
    example="{op: rename, input: trades, fields: {symbol: ticker}}",
    check=check,
)
