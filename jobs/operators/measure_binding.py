"""Binding of a parsed measure, such as ``percentile(price, 0.9) where price > 0``, to its row in the measure
table.
"""

from collections.abc import Callable
from typing import Any

from jobs.base.problems import DocumentPath, Problem, problem, warning
from jobs.base.types import DURATION, LONG, NULL, Array, DataType, Member, Struct, type_text
from jobs.expressions import Expression, MeasureCall
from jobs.operators.measures import MEASURES, BoundMeasure, Measure, Option, ordered
from jobs.operators.output_fields import check_size, nearest


def bind_measure(
    name: str, call: MeasureCall, path: DocumentPath, every_field: Callable[[], tuple[Expression, ...]]
) -> tuple[BoundMeasure | None, list[Problem]]:
    """Bind a parsed measure to the table.

    Args:
        name: of the output field.
        call: parsed and checked arguments, options and `where`.
        path: of the measure's text in the document.
        every_field: the fields of the input row, which a ranked measure keeps when it names none.

    Returns:
        The bound measure, or None with problems: MEASURE_UNKNOWN, MEASURE_TYPE, TYPE_NOT_OUTPUT,
        PARAMETER_MISSING, PARAMETER_RANGE. APPROXIMATE warns that the result is inexact for many distinct
        values.
    """
    measure = MEASURES.get(call.name)
    if measure is None:
        return None, [_unknown(call, path)]
    columns, options, problems = _split_arguments(measure, call, path)
    if problems:
        return None, problems
    if measure.ranked:
        return _bind_ranked(name, measure, call, options, path, every_field)
    result = measure.result(tuple(column.type for column in columns)) if columns else LONG
    if result is None:
        return None, [_unaccepted(measure, columns, path, call.span)]
    nullable = _is_nullable(measure, columns, call.where, result)
    if isinstance(options.get("p"), tuple):
        result = Array(result, nullable=False)
    if too_large := check_size(result, path):
        return None, too_large
    bound = BoundMeasure(
        name, measure.name, columns, options, call.where, result, nullable, measure.holds_values
    )
    return bound, _approximate(measure, options, path, call.span)


def _unaccepted(
    measure: Measure, columns: tuple[Expression, ...], path: DocumentPath, span: tuple[int, int]
) -> Problem:
    types = [column.type for column in columns]
    hint = f"{measure.name} needs {measure.wants}."
    if DURATION in types:
        hint = "Convert durations to numbers with to_micros(…)."
    message = f"{measure.name} doesn't accept {', '.join(map(type_text, types))}."
    return problem("MEASURE_TYPE", path, message, hint, span=span)


def _approximate(
    measure: Measure, options: dict[str, Any], path: DocumentPath, span: tuple[int, int]
) -> list[Problem]:
    if not measure.approximate_above:
        return []
    limit = f"{options[measure.approximate_above]:,} distinct values per group"
    message = f"{measure.name} is exact only up to {limit}."
    return [
        warning(
            "APPROXIMATE",
            path,
            message,
            f"Increase {measure.approximate_above} to keep it exact for more values.",
            span=span,
        )
    ]


def _bind_ranked(
    name: str,
    measure: Measure,
    call: MeasureCall,
    options: dict[str, Any],
    path: DocumentPath,
    every_field: Callable[[], tuple[Expression, ...]],
) -> tuple[BoundMeasure | None, list[Problem]]:
    by = call.by
    if by is None:
        message = f"{measure.name} has no ranking: by is required."
        return None, [
            problem("PARAMETER_MISSING", path, message, f"Example: {measure.example}", span=call.span)
        ]
    if ordered(by.type) is None:
        message = f"{measure.name} can't rank by {type_text(by.type)}."
        return None, [
            problem("MEASURE_TYPE", path, message, f"{measure.name} needs {measure.wants}.", span=call.span)
        ]
    fields = every_field() if call.listed is None else call.listed
    names = [field.canonical.strip("`") for field in fields]
    if not fields or len(set(names)) < len(names) or not all(map(_is_plain_field, fields)):
        message = f"{measure.name} needs a list of field names without duplicates."
        return None, [
            problem("PARAMETER_RANGE", path, message, f"Example: {measure.example}", span=call.span)
        ]
    members = tuple(Member(field, e.type, e.nullable) for field, e in zip(names, fields, strict=True))
    result = Array(Struct(members), nullable=False)
    if too_large := check_size(result, path):
        return None, too_large
    return BoundMeasure(
        name, measure.name, (by, *fields), options, call.where, result, False, measure.holds_values
    ), []


def _is_plain_field(expression: Expression) -> bool:
    """True when the expression is just a field's name, of a type that rows can have."""
    return expression.canonical.strip("`") in expression.fields and expression.type not in (DURATION, NULL)


def _is_nullable(
    measure: Measure, columns: tuple[Expression, ...], where: Expression | None, result: DataType
) -> bool:
    if measure.never_null:
        return False
    return measure.has_null_cases(result) or where is not None or any(column.nullable for column in columns)


def _unknown(call: MeasureCall, path: DocumentPath) -> Problem:
    return problem(
        "MEASURE_UNKNOWN",
        path,
        f"Unknown measure {call.name!r}.",
        nearest(call.name, MEASURES),
        span=call.span,
    )


def _split_arguments(
    measure: Measure, call: MeasureCall, path: DocumentPath
) -> tuple[tuple[Expression, ...], dict[str, Any], list[Problem]]:
    wanted = len(measure.columns)
    columns, placed = call.arguments[:wanted], call.arguments[wanted:]
    if len(columns) < wanted and not (measure.optional and not columns):
        message = f"{measure.name} needs {' and '.join(measure.columns)}."
        return (
            (),
            {},
            [problem("PARAMETER_MISSING", path, message, f"Example: {measure.example}", span=call.span)],
        )
    if len(placed) > len(measure.options):
        most = wanted + len(measure.options)
        message = f"{measure.name} takes at most {most} arguments, got {len(call.arguments)}."
        return (
            (),
            {},
            [problem("PARAMETER_RANGE", path, message, f"Example: {measure.example}", span=call.span)],
        )
    options, problems = _bind_options(measure, call, placed, path)
    return columns, options, problems


def _bind_options(
    measure: Measure, call: MeasureCall, placed: tuple[Expression, ...], path: DocumentPath
) -> tuple[dict[str, Any], list[Problem]]:
    """The options by name: given by position, given by name, or defaults."""
    written: dict[str, Any] = {
        option.name: value.literal for option, value in zip(measure.options, placed, strict=False)
    }
    # Positional literals are in the arguments too; the parser lists them a second time under their position.
    named = {name: value for name, value in call.options.items() if not name.isdigit()}
    problems = [
        problem(
            "PARAMETER_RANGE",
            path,
            f"{measure.name} has no option {name!r}.",
            nearest(name, (o.name for o in measure.options)),
            span=call.span,
        )
        for name in named
        if name not in {option.name for option in measure.options} or name in written
    ]
    written.update(named)
    options: dict[str, Any] = {}
    for option in measure.options:
        value, found = _option_value(measure, option, written, path, call.span)
        options[option.name] = value
        problems += found
    return options, problems


def _option_value(
    measure: Measure, option: Option, written: dict[str, Any], path: DocumentPath, span: tuple[int, int]
) -> tuple[Any, list[Problem]]:
    if option.name in written:
        return _written_value(measure, option, written[option.name], path, span)
    if option.default is None:
        message = f"{measure.name} needs {option.name}."
        return None, [problem("PARAMETER_MISSING", path, message, f"Example: {measure.example}", span=span)]
    return option.default, []


def _written_value(
    measure: Measure, option: Option, value: Any, path: DocumentPath, span: tuple[int, int]
) -> tuple[Any, list[Problem]]:
    """The option's number, or a tuple of numbers for a list; PARAMETER_RANGE when one is not allowed."""
    parts = list(value) if option.many and isinstance(value, list | tuple) and value else [value]
    if not all(_fits(option, part) for part in parts):
        kind = "an integer" if option.integer else "a number"
        message = (
            f"{option.name} of {measure.name} must be {kind} constant from {option.min:g} to {option.max:g}."
        )
        return None, [problem("PARAMETER_RANGE", path, message, f"Example: {measure.example}", span=span)]
    numbers = [int(part) if option.integer else float(part) for part in parts]
    return (tuple(numbers) if isinstance(value, list | tuple) else numbers[0]), []


def _fits(option: Option, value: Any) -> bool:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return False
    if isinstance(value, bool | str) or (option.integer and number != int(number)):
        return False
    return option.min <= number <= option.max
