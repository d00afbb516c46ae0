"""Calls: a name and arguments against the function table."""

from dataclasses import replace
from typing import Final

from jobs.base.types import (
    BOOLEAN,
    DATE,
    NULL,
    STRING,
    TIMESTAMP,
    Array,
    DataType,
    Decimal,
    Map,
    is_ordered,
    same_type,
    type_text,
)
from jobs.expressions.coercion import common_type, decimal_form, widen
from jobs.expressions.constructors import CONSTRUCTORS, construct
from jobs.expressions.errors import ExpressionError
from jobs.expressions.foreign_functions import REPLACEMENTS
from jobs.expressions.functions import ALIASES, FUNCTIONS, NONDETERMINISTIC, SPECIAL_FORMS
from jobs.expressions.functions.function import (
    Function,
    LambdaParam,
    LiteralParam,
    Nulls,
    Parameter,
    Signature,
    TypeVariable,
    element_of,
    parameter_text,
)
from jobs.expressions.functions.times import DURATION_TEXT
from jobs.expressions.literals import duration_literal
from jobs.expressions.nodes import Call, Case, Cast, Lambda, Literal, Tree
from jobs.expressions.operators import TRIED, Mismatch, arithmetic
from jobs.expressions.suggestions import suggest

_TIMES_OF_TEXT: Final = {"to_timestamp": TIMESTAMP, "to_date": DATE}

_CLASSES: Final[dict[TypeVariable, type[DataType]]] = {
    TypeVariable.DECIMAL: Decimal,
    TypeVariable.ARRAY: Array,
    TypeVariable.MAP: Map,
}


def unknown_function(name: str, span: tuple[int, int] | None) -> ExpressionError:
    """The refusal of a name that is not in the table."""
    lowered = name.lower()
    if lowered in NONDETERMINISTIC:
        hint = (
            "Use _time (event time)."
            if lowered in ("now", "current_timestamp", "localtimestamp", "unix_timestamp")
            else ""
        )
        hint += (
            " For the seconds of a timestamp, use unix_seconds(time)." if lowered == "unix_timestamp" else ""
        )
        return ExpressionError(
            "NONDETERMINISTIC",
            f"{name} is non-deterministic: every run returns another value, so a replay would change "
            "results.",
            hint,
            span,
        )
    if lowered in REPLACEMENTS:
        return ExpressionError("FUNCTION_UNKNOWN", f"Unknown function {name}.", REPLACEMENTS[lowered], span)
    allowed = [*FUNCTIONS, *ALIASES, *SPECIAL_FORMS]
    return ExpressionError(
        "FUNCTION_UNKNOWN",
        f"Unknown function {name}.",
        suggest(name, allowed, "See the list of functions."),
        span,
    )


def function_named(name: str, span: tuple[int, int] | None) -> Function:
    """The row of the table.

    Raises:
        ExpressionError: no such function.
    """
    lowered = name.lower()
    function = FUNCTIONS.get(ALIASES.get(lowered, lowered))
    if function is None:
        raise unknown_function(name, span)
    return function


def bind_call(name: str, arguments: tuple[Tree, ...], span: tuple[int, int] | None) -> Tree:
    """The tree of a call.

    Raises:
        ExpressionError: no such function, or no form of it takes these arguments.
    """
    lowered = name.lower()
    if lowered in ("if", "nvl2"):
        return _conditional(lowered, arguments, span)
    if lowered == "duration":
        return _duration(arguments, span)
    if lowered in _TIMES_OF_TEXT and len(arguments) == 1 and arguments[0].type == STRING:
        return Cast(arguments[0], _TIMES_OF_TEXT[lowered], True)
    if lowered in TRIED and len(arguments) == 2:
        return _tried(lowered, arguments, span)
    if lowered in CONSTRUCTORS:
        return construct(lowered, arguments, span)
    return _bind_function(function_named(name, span), arguments, span)


def _bind_function(function: Function, arguments: tuple[Tree, ...], span: tuple[int, int] | None) -> Call:
    """The call of the form that takes the arguments with the fewest widenings, the first of several."""
    complaints: list[str] = []
    best: tuple[int, Signature, tuple[Tree, ...]] | None = None
    for signature in function.signatures:
        taken = _take(signature, arguments, complaints)
        if taken is not None and (best is None or taken[0] < best[0]):
            best = (taken[0], signature, taken[1])
    if best is None:
        raise no_form(function, arguments, complaints, span)
    return call_of(function, best[1], best[2])


def takes_unit(name: str, index: int, count: int) -> bool:
    """True where a unit stands that may be written as a word, without quotes."""
    return index == 0 and count == 3 and ALIASES.get(name.lower(), name.lower()) in ("date_add", "date_diff")


def _tried(name: str, arguments: tuple[Tree, ...], span: tuple[int, int] | None) -> Tree:
    """An operator whose failure is not counted."""
    result = arithmetic(TRIED[name], *arguments)
    if isinstance(result, Mismatch):
        raise ExpressionError("TYPE_MISMATCH", result.message, result.hint, span)
    return (
        replace(result, name=f"try {result.name}", fails=False)
        if isinstance(result, Call) and result.fails
        else result
    )


def call_of(function: Function, signature: Signature, arguments: tuple[Tree, ...]) -> Call:
    """The call of one form with arguments that it takes."""
    nulls = signature.null_rule(arguments) or function.nulls
    nullable = {
        Nulls.STRICT: any(argument.nullable for argument in arguments),
        Nulls.ERROR: True,
        Nulls.ALL: all(argument.nullable for argument in arguments),
        Nulls.NEVER: False,
        Nulls.FIRST: bool(arguments) and arguments[0].nullable,
        Nulls.VALUES: any(argument.nullable for argument in arguments if not isinstance(argument, Lambda)),
        Nulls.OPEN: any(argument.nullable for argument in arguments),
        Nulls.OWN: True,
    }[nulls]
    result = signature.result(arguments) if callable(signature.result) else signature.result
    return Call(function.name, arguments, result, nullable, nulls is Nulls.ERROR)


def _take(
    signature: Signature, arguments: tuple[Tree, ...], complaints: list[str]
) -> tuple[int, tuple[Tree, ...]] | None:
    """The arguments as this form takes them, with the number of widenings; None when it does not."""
    parameters = signature.spread(len(arguments))
    if parameters is None:
        return None
    common = _common(parameters, arguments)
    widened: list[Tree] = []
    cost = 0
    for parameter, argument in zip(parameters, arguments, strict=True):
        taken = accept(parameter, argument, (common, arguments[0]), complaints)
        if taken is None:
            return None
        cost += taken.type != argument.type
        widened.append(taken)
    complaint = signature.check_arguments(tuple(widened))
    if complaint is not None:
        complaints.append(complaint)
        return None
    return cost, tuple(widened)


def _common(parameters: tuple[Parameter, ...], arguments: tuple[Tree, ...]) -> DataType | None:
    shared = [
        argument
        for parameter, argument in zip(parameters, arguments, strict=True)
        if parameter in (TypeVariable.COMMON, TypeVariable.ORDERED)
    ]
    return common_type(shared) if shared else None


def accept(
    parameter: Parameter, argument: Tree, beside: tuple[DataType | None, Tree], complaints: list[str]
) -> Tree | None:
    """The argument as this parameter takes it, or None;
    `beside` are the common type and the first argument.
    """
    common, first = beside
    if isinstance(parameter, LiteralParam):
        value = argument.value if isinstance(argument, Literal) else None
        complaint = parameter.check(value)
        if complaint is None:
            return argument
        complaints.append(f"the {parameter.what} {complaint}.")
        return None
    if isinstance(parameter, TypeVariable):
        return _accept_open(parameter, argument, common, first)
    if isinstance(parameter, LambdaParam):
        return argument if isinstance(argument, Lambda) else None
    return widen(argument, parameter)


def _accept_open(
    parameter: TypeVariable, argument: Tree, common: DataType | None, first: Tree
) -> Tree | None:
    if parameter in _UNCHANGED:
        return argument if _fits(parameter, argument, first) else None
    to = _target(parameter, argument, common, first)
    return widen(argument, to) if to is not None else None


_UNCHANGED: Final = (
    TypeVariable.ANY,
    TypeVariable.DECIMAL,
    TypeVariable.ARRAY,
    TypeVariable.MAP,
    TypeVariable.SAME_ARRAY,
    TypeVariable.SAME_MAP,
)
"""Parameters that take an argument as it is, or not at all; the others widen it."""


def _fits(parameter: TypeVariable, argument: Tree, first: Tree) -> bool:
    match parameter:
        case TypeVariable.ANY:
            return argument.type != NULL
        case TypeVariable.SAME_ARRAY | TypeVariable.SAME_MAP:
            element = _element(argument, parameter)
            return element is not None and same_type(element, element_of((first,))) is not None
        case _:
            return isinstance(argument.type, _CLASSES[parameter])


def _target(parameter: TypeVariable, argument: Tree, common: DataType | None, first: Tree) -> DataType | None:
    """The type that the argument is widened to; None when it isn't taken."""
    match parameter:
        case TypeVariable.EXACT:
            return decimal_form(argument)
        case TypeVariable.ELEMENT:
            element = element_of((first,))
            return same_type(element, argument.type) or element
        case _:
            is_ordered_only = parameter is TypeVariable.ORDERED
            return common if _is_common(common, is_ordered_only=is_ordered_only) else None


def _is_common(common: DataType | None, *, is_ordered_only: bool) -> bool:
    if common is None or common == NULL:
        return False
    return is_ordered(common) or not is_ordered_only


def _element(argument: Tree, parameter: TypeVariable) -> DataType | None:
    """The type of the argument's elements or values, when it is an array or a map as the parameter says."""
    if parameter is TypeVariable.SAME_ARRAY:
        return argument.type.element if isinstance(argument.type, Array) else None
    return argument.type.value if isinstance(argument.type, Map) else None


def no_form(
    function: Function, arguments: tuple[Tree, ...], complaints: list[str], span: tuple[int, int] | None
) -> ExpressionError:
    """The refusal of arguments that no form takes."""
    forms = " or ".join(
        dict.fromkeys(f"{function.name}({_form_text(signature)})" for signature in function.signatures)
    )
    if complaints:
        return ExpressionError("TYPE_MISMATCH", f"{function.name}: {complaints[0]}", f"Usage: {forms}.", span)
    given = ", ".join(type_text(argument.type) for argument in arguments) or "nothing"
    return ExpressionError(
        "TYPE_MISMATCH", f"{function.name} doesn't accept ({given}).", f"Usage: {forms}.", span
    )


def _form_text(signature: Signature) -> str:
    return ", ".join(parameter_text(parameter) for parameter in signature.parameters) + (
        ", …" if signature.repeats else ""
    )


def _duration(arguments: tuple[Tree, ...], span: tuple[int, int] | None) -> Literal:
    value = arguments[0].value if len(arguments) == 1 and isinstance(arguments[0], Literal) else None
    complaint = DURATION_TEXT.check(value)
    if complaint is not None:
        raise ExpressionError(
            "EXPRESSION_INVALID", f"The duration {complaint}.", "Example: duration('1h30m')", span
        )
    return duration_literal(str(value))


def _conditional(name: str, arguments: tuple[Tree, ...], span: tuple[int, int] | None) -> Tree:
    if len(arguments) not in ((2, 3) if name == "if" else (3,)):
        raise ExpressionError(
            "TYPE_MISMATCH", f"{name} doesn't accept {len(arguments)} arguments.", SPECIAL_FORMS[name], span
        )
    condition = arguments[0]
    if name == "nvl2":
        condition = Call("is_not_null", (condition,), BOOLEAN, False)
    return bind_case(((condition, arguments[1]),), arguments[2] if len(arguments) == 3 else None, span)


def bind_case(
    branches: tuple[tuple[Tree, Tree], ...], otherwise: Tree | None, span: tuple[int, int] | None
) -> Tree:
    """A CASE over conditions, its values widened to one type.

    Raises:
        ExpressionError: a condition that is not boolean, or values without a common type.
    """
    wanted = _branch_type(
        [value for _, value in branches] + ([otherwise] if otherwise is not None else []), span
    )
    pairs: list[tuple[Tree, Tree]] = []
    for when, then in branches:
        condition, value = widen(when, BOOLEAN), widen(then, wanted)
        if condition is None or value is None:
            raise ExpressionError(
                "TYPE_MISMATCH", "Every condition of CASE must be boolean.", "Add a comparison.", span
            )
        pairs.append((condition, value))
    last = widen(otherwise, wanted) if otherwise is not None else None
    nullable = last is None or last.nullable or any(value.nullable for _, value in pairs)
    return Case(tuple(pairs), last, wanted, nullable)


def _branch_type(values: list[Tree], span: tuple[int, int] | None) -> DataType:
    """The one type of these values of a CASE."""
    wanted = common_type(values)
    if wanted is None:
        kinds = " and ".join(dict.fromkeys(type_text(value.type) for value in values))
        raise ExpressionError(
            "TYPE_MISMATCH", f"The branches have different types: {kinds}.", "Cast them to one type.", span
        )
    if wanted == NULL:
        raise ExpressionError(
            "TYPE_MISMATCH",
            "Every branch is null, so the result has no type.",
            "Cast one of them, e.g. cast(null as string).",
            span,
        )
    return wanted
