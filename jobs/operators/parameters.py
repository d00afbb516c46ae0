"""What the parameters of all operators share: the model's settings, metadata, expression texts, durations."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from jobs.base.durations import DURATION_PATTERN, MAX_SPAN, ZERO, Duration, DurationTextError, parse_duration
from jobs.base.problems import DocumentPath, Problem, problem

DURATION_SCHEMA: Final[dict[str, Any]] = {
    "type": "string",
    "pattern": DURATION_PATTERN,
    "examples": ["5s", "1h30m"],
}


class Parameters(BaseModel):
    """Base of every operator's parameters: unknown keys are refused, instances are immutable."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, validate_by_name=True, validate_by_alias=True, serialize_by_alias=True
    )

    def inputs(self) -> tuple[tuple[str, str], ...]:
        """The step's inputs: (parameter, ``node`` or ``node.port``), in the order of the relations that its
        check gets.

        An entry of a list is named with a dot: ``inputs.0``.
        """
        return tuple((name, value) for name, value in self if name == "input")


InputKind = Literal[
    "step",
    "steps",
    "field",
    "fields",
    "columns",
    "mapping",
    "window",
    "late_rows",
    "time_zone",
    "right_prefix",
]
EntryKind = Literal["name", "field", "right_field", "type", "expression", "measure"]


def parameter(
    label: str,
    help: str,
    *,
    example: Any = None,
    unit: str | None = None,
    input: InputKind | None = None,
    choices: Mapping[str, str] | None = None,
    types: tuple[str, ...] | None = None,
    entry: str | None = None,
    keys: EntryKind | None = None,
    values: EntryKind | None = None,
    inline: bool = False,
) -> Any:
    """Metadata of a parameter, from which the operator's form and documentation page are generated.

    Args:
        label: of the form input.
        help: what the parameter means, in one short sentence without a full stop; says what null does where a
            value may be null.
        example: a value as written in a document.
        unit: of a number.
        input: kind of form input, if the parameter's type doesn't imply it: a Literal is a choice, bool a
            flag, and `ExpressionText` and `DurationText` have inputs of their own.
        choices: label of each value of a Literal.
        types: types that the field may have, without their arguments (``array``); None for any.
        entry: what one entry of columns or of a mapping is called.
        keys: what the keys of a mapping are.
        values: what the values of a mapping are.
        inline: True if the form shows the help below the input, not as a tooltip.

    Returns:
        A pydantic Field for the parameter's ``Annotated``.
    """
    form: dict[str, Any] = {
        "x-input": input,
        "x-unit": unit,
        "x-choices": choices,
        "x-types": types,
        "x-entry": entry,
        "x-keys": keys,
        "x-values": values,
        "x-inline": inline or None,
    }
    return Field(
        title=label,
        description=help,
        examples=None if example is None else [example],
        json_schema_extra={name: value for name, value in form.items() if value is not None},
    )


def _as_text(value: Any) -> Any:
    """Turn a number or boolean, which is what YAML makes of ``1`` or ``true``, into the text of an
    expression.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    return value


ExpressionText = Annotated[
    str,
    BeforeValidator(_as_text),
    Field(max_length=20_000),
    WithJsonSchema({"type": ["string", "number", "boolean"]}),
]
DurationText = Annotated[
    str,
    Field(max_length=100),
    WithJsonSchema(DURATION_SCHEMA),
]
NameText = Annotated[str, Field(max_length=1_000)]
InputText = Annotated[
    NameText,
    parameter("Input", "Source, step or step.port whose rows are read", example="trades", input="step"),
]


def check_duration(
    text: str,
    path: DocumentPath,
    *,
    min: Duration = ZERO,
    max: Duration = MAX_SPAN,
    code: str = "PARAMETER_RANGE",
) -> tuple[Duration | None, list[Problem]]:
    """Read a duration parameter that must lie in ``[min, max]``.

    Args:
        text: as written.
        path: of the parameter in the document.
        min: smallest allowed value.
        max: largest allowed value.
        code: the problem code for a duration out of range; text that is no duration is always
            PARAMETER_RANGE.

    Returns:
        The duration, or None with one problem.
    """
    try:
        duration = parse_duration(text)
    except DurationTextError as error:
        return None, [
            problem("PARAMETER_RANGE", path, str(error), "Examples: 250ms, 90s, 30 min, 2h, 1 d, 1h30m.")
        ]
    if not min <= duration <= max:
        return None, [
            problem(code, path, f"{text.strip()} is out of range.", f"Use a duration from {min} to {max}.")
        ]
    return duration, []
