"""What the parameters of all operators share: the model's settings, expression texts, and durations with a range."""

from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from jobs.base.durations import ZERO, Duration, DurationTextError, parse_duration
from jobs.base.problems import Problem, problem

MAX_SPAN: Final = Duration(366 * 86_400_000_000)
DURATION_PATTERN: Final = r"^\s*-?(\d{1,12}(ms|us|w|d|h|m|s))+\s*$"


class Parameters(BaseModel):
    """Base of every operator's parameters: unknown keys are refused, values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)

    def inputs(self) -> tuple[tuple[str, str], ...]:
        """What a step reads: (parameter, node or node.port), in the order of its check's relations.

        A dot in the parameter leads into a list: ``inputs.0``.
        """
        return tuple((name, value) for name, value in self if name == "input")


def _as_text(value: Any) -> Any:
    """YAML reads ``1`` or ``true`` as values; where an expression is expected they are its text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    return value


ExpressionText = Annotated[
    str, BeforeValidator(_as_text), Field(max_length=20_000), WithJsonSchema({"type": ["string", "number", "boolean"]})
]
DurationText = Annotated[
    str, Field(max_length=100), WithJsonSchema({"type": "string", "pattern": DURATION_PATTERN, "examples": ["5s", "1h30m"]})
]
NameText = Annotated[str, Field(max_length=1_000)]


def check_duration(
    text: str, path: tuple[str, ...], *, min: Duration = ZERO, max: Duration = MAX_SPAN, code: str = "PARAMETER_RANGE"
) -> tuple[Duration | None, list[Problem]]:
    """Read a duration parameter that must lie in ``[min, max]``.

    Args:
        text: as written.
        path: of the parameter in the document.
        min: smallest allowed value.
        max: greatest allowed value.
        code: the problem's code when it is out of range; text that is no duration is always PARAMETER_RANGE.

    Returns:
        The duration, or None with one problem.
    """
    try:
        duration = parse_duration(text)
    except DurationTextError as error:
        return None, [problem("PARAMETER_RANGE", path, str(error), "Examples: 250ms, 5s, 1m, 2h, 1d, 1w, 1h30m.")]
    if not min <= duration <= max:
        return None, [problem(code, path, f"{text.strip()} is out of range.", f"Use a duration from {min} to {max}.")]
    return duration, []
