"""cast: fields as other types (`docs/semantics/stateless-steps.md#cast`)."""

from typing import Annotated, Final, Literal

from pydantic import Field

from jobs.base.names import is_name
from jobs.base.problems import DocumentPath, Problem, problem
from jobs.base.types import Atomic, DataType, Decimal, TypeTextError, parse_type, type_text
from jobs.expressions import Expression
from jobs.expressions.spark_types import quoted
from jobs.operators.expression_checks import expression_over, field_over
from jobs.operators.parameters import InputText, Parameters, parameter
from jobs.operators.projection import Column, ProjectionBound, project, projection_operator
from jobs.operators.relation import Relation, StepCheck


class CastStep(Parameters):
    """Give fields other types: name: type. A value that does not fit becomes null, and its row is counted."""

    op: Literal["cast"]
    input: InputText
    fields: Annotated[
        dict[str, Annotated[str, Field(max_length=1_000)]],
        Field(min_length=1, max_length=500),
        parameter(
            "Fields: name, new type",
            "New type of each field; null stays null",
            example={"price": "decimal(12,2)"},
            input="mapping",
            entry="field",
            keys="field",
            values="type",
        ),
    ]
    on_error: Annotated[
        Literal["null", "dead_letter"],
        parameter(
            "Invalid values",
            "What becomes of a value that doesn't fit the new type",
            choices={"null": "Set to null and count", "dead_letter": "Send the row to dead letters"},
        ),
    ] = "null"


def check(params: CastStep, inputs: tuple[Relation, ...], path: DocumentPath) -> StepCheck[ProjectionBound]:
    """Any input → same kind; fields keep their positions. A field becomes nullable unless its cast cannot
    fail. CAST_UNSUPPORTED, KEY_LOST.
    """
    source = inputs[0]
    problems: list[Problem] = []
    made: dict[str, Column] = {}
    for name, text in params.fields.items():
        field_path = (*path, "fields", name)
        expression, found = _cast(source, name, text, field_path)
        problems += found
        made[name] = Column(name, expression, field_path)
    kept = [
        made.get(field.name) or Column(field.name, field_over(source, field.name, path)[0])
        for field in source.schema
    ]
    kept += [Column(name, None) for name in sorted(source.untyped)]
    return project(source, kept, path, problems, keeps_rest=True)


def _cast(
    source: Relation, name: str, text: str, path: DocumentPath
) -> tuple[Expression | None, list[Problem]]:
    expression, problems = field_over(source, name, path)
    if problems:
        return None, problems
    try:
        to = parse_type(text)
    except TypeTextError as error:
        return None, [
            problem(
                "PARAMETER_RANGE",
                path,
                f"{str(error)[:200]}.",
                "Examples: long, double, decimal(10,2), timestamp.",
            )
        ]
    if expression is None or expression.type == to:
        return expression, []
    if not isinstance(to, Atomic | Decimal) or not is_name(name):
        message = f"{type_text(expression.type)} can't be cast to {type_text(to)}."
        return None, [
            problem(
                "CAST_UNSUPPORTED",
                path,
                message,
                "Only single values can be cast. Build arrays and structs with derive.",
            )
        ]
    if to == Atomic("duration"):
        message = "Durations can't be output."
        return None, [problem("TYPE_NOT_OUTPUT", path, message, "Cast to long to get microseconds.")]
    found, problems = expression_over(source, f"CAST({quoted(name)} AS {_written(to)})", path)
    return found, [problem(p.code, path, p.message, p.hint) for p in problems]


def _written(data_type: DataType) -> str:
    """The type's name in expressions."""
    names = {"long": "bigint", "bytes": "binary"}
    text = type_text(data_type)
    return names.get(text, text)


OPERATOR: Final = projection_operator(
    name="cast",
    parameters=CastStep,
    summary="Cast fields to other types; values that don't fit become null.",
    example="{op: cast, input: trades, fields: {price: 'decimal(10,2)'}}",
    check=check,
)
