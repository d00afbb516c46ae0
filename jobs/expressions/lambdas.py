"""Lambdas: ``x -> x + 1`` as an argument of transform, filter and their like.

A lambda costs as many evaluations as the array has elements. To keep that linear in the size of a row it may
read, beside its own variables, only values of fixed size (numbers, times, booleans), and texts when what it
gives has a fixed size itself.
"""

from collections.abc import Callable, Iterator
from typing import Final

from sqlglot import exp

from jobs.base.types import BOOLEAN, BYTES, INT, STRING, Atomic, DataType, Decimal, is_numeric, type_text
from jobs.expressions.calls import accept, call_of, function_named, no_form
from jobs.expressions.coercion import common_type, widen
from jobs.expressions.constructors import part_complaint
from jobs.expressions.errors import ExpressionError
from jobs.expressions.functions.function import Function, LambdaParam, Signature
from jobs.expressions.nodes import (
    Column,
    Lambda,
    MemberOf,
    Tree,
    Variable,
    children,
    descendants,
    substituted,
)

Span = tuple[int, int] | None
BindBody = Callable[[exp.Lambda, tuple[tuple[DataType, bool], ...]], Lambda]
MAX_NESTED: Final = 4
_SORT_BY_KEY: Final = (
    "To sort by a key, make it the first member of a struct: array_sort(transform(list, x -> "
    "named_struct('key', …, 'value', x))).value."
)


def bind_lambda_call(
    name: str, arguments: tuple[Tree | exp.Lambda, ...], bind_body: BindBody, span: Span
) -> Tree:
    """The tree of a call with a lambda as its last argument.

    Raises:
        ExpressionError: the function takes none, the lambda has another number of variables, or it gives
            another type.
    """
    function = function_named(name, span)
    if function.name == "array_sort":
        message = "array_sort doesn't support a comparison lambda: an inconsistent one would stop the job."
        raise ExpressionError("TYPE_MISMATCH", message, _SORT_BY_KEY, span)
    values, lambdas = _apart(function, arguments, span)
    for signature in function.signatures:
        given = signature.parameters[-1] if signature.parameters else None
        if not isinstance(given, LambdaParam) or len(signature.parameters) != len(arguments):
            continue
        accepted = _accepted(signature, values)
        if accepted is None or len(given.variables(accepted)) != len(lambdas.expressions):
            continue
        if function.name == "reduce":
            return _reduce(function, signature, accepted, lambdas, bind_body, span)
        body = _fitting(function, given, bind_body(lambdas, given.variables(accepted)), span)
        return call_of(function, signature, (*accepted, body))
    raise no_form(
        function,
        values,
        [f"its lambda doesn't match, or follows arguments that {function.name} doesn't accept."],
        span,
    )


def _accepted(signature: Signature, values: tuple[Tree, ...]) -> tuple[Tree, ...] | None:
    """The values before the lambda as this form takes them; None when it does not."""
    taken = [
        accept(parameter, value, (None, values[0]), [])
        for parameter, value in zip(signature.parameters, values, strict=False)
    ]
    accepted = tuple(value for value in taken if value is not None)
    return accepted if len(accepted) == len(values) else None


def _apart(
    function: Function, arguments: tuple[Tree | exp.Lambda, ...], span: Span
) -> tuple[tuple[Tree, ...], exp.Lambda]:
    values = tuple(argument for argument in arguments if not isinstance(argument, exp.Lambda))
    last = arguments[-1]
    if not values or not isinstance(last, exp.Lambda) or len(values) != len(arguments) - 1:
        raise no_form(function, values, ["the lambda must be the last argument."], span)
    return values, last


def _fitting(function: Function, given: LambdaParam, found: Lambda, span: Span) -> Lambda:
    if given.result is None:
        complaint = part_complaint(found.type)
        if complaint is not None:
            raise ExpressionError("TYPE_MISMATCH", complaint, span=span)
        return found
    body = widen(found.body, given.result)
    if body is None:
        message = (
            f"The lambda of {function.name} must return {type_text(given.result)}, not "
            f"{type_text(found.type)}."
        )
        raise ExpressionError(
            "TYPE_MISMATCH", message, "Add a comparison." if given.result == BOOLEAN else "", span
        )
    return Lambda(found.variables, body)


def _reduce(
    function: Function,
    signature: Signature,
    values: tuple[Tree, ...],
    node: exp.Lambda,
    bind_body: BindBody,
    span: Span,
) -> Tree:
    """The first variable has the type of the start, widened once when the lambda gives a wider number."""
    holder, start = values
    for _ in range(2):
        if not is_fixed_size(start.type):
            message = f"reduce supports numbers, timestamps, dates and booleans, not {type_text(start.type)}."
            raise ExpressionError("TYPE_MISMATCH", message, "Use array_join for strings.", span)
        given = signature.parameters[-1]
        if not isinstance(given, LambdaParam):
            raise TypeError("reduce ends in a lambda")
        found = bind_body(node, given.variables((holder, start)))
        body = widen(found.body, start.type)
        if body is not None:
            return call_of(function, signature, (holder, start, Lambda(found.variables, body)))
        wanted = common_type((start, found.body)) if is_numeric(found.type) else None
        widened = widen(start, wanted) if wanted is not None else None
        if widened is None:
            break
        start = widened
    message = f"reduce starts with {type_text(start.type)}, but its lambda returns {type_text(found.type)}."
    raise ExpressionError(
        "TYPE_MISMATCH",
        message,
        f"Cast the lambda's value to {type_text(start.type)}, or both to a wider type.",
        span,
    )


def finished(gathered: Tree, finish: Lambda, span: Span) -> Tree:
    """What the second lambda of reduce makes of what the first gathered: its body with this in place of its
    variable.

    Raises:
        ExpressionError: it has a lambda inside, which would gather anew for every element.
    """
    if any(isinstance(part, Lambda) for part in descendants(finish.body)):
        message = "The last lambda of reduce can't contain another lambda."
        raise ExpressionError(
            "EXPRESSION_INVALID", message, "Apply it to the result of reduce in a separate derive step.", span
        )
    return substituted(finish.body, finish.variables[0].number, gathered)


def is_fixed_size(data_type: DataType) -> bool:
    """True for numbers, times and booleans."""
    return isinstance(data_type, Decimal) or (
        isinstance(data_type, Atomic) and data_type not in (STRING, BYTES)
    )


def check_reads(found: Lambda, span: Span) -> Lambda:
    """The lambda itself.

    Raises:
        ExpressionError: it reads a field that would make its work grow faster than the row.
    """
    own = {variable.number for variable in found.variables}
    fixed = is_fixed_size(found.type)
    for tree in _outer_reads(found.body, own):
        if not is_fixed_size(tree.type) and not (fixed and tree.type == STRING):
            what = (
                f"the field {tree.name}"
                if isinstance(tree, Column | MemberOf)
                else "a variable of the enclosing lambda"
            )
            message = f"A lambda can't read {what} ({type_text(tree.type)}) for every element."
            hint = (
                "It can read its own variables, numbers, timestamps, dates and booleans, and strings if "
                "it returns one of these."
            )
            raise ExpressionError("TYPE_MISMATCH", message, hint, span)
    return found


def _outer_reads(tree: Tree, own: set[int]) -> Iterator[Tree]:
    if isinstance(tree, Variable):
        if tree.number not in own:
            yield tree
        return
    if isinstance(tree, Column) or (isinstance(tree, MemberOf) and _is_outer(tree, own)):
        yield tree
        return
    inner = own | {variable.number for variable in tree.variables} if isinstance(tree, Lambda) else own
    for part in children(tree):
        yield from _outer_reads(part, inner)


def _is_outer(tree: Tree, own: set[int]) -> bool:
    if isinstance(tree, MemberOf):
        return _is_outer(tree.argument, own)
    return isinstance(tree, Column) or (isinstance(tree, Variable) and tree.number not in own)


INDEX: Final = (INT, False)
