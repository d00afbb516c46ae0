"""From sqlglot's tree to ours: every node class, every argument of it and every name must be known here,
or the text is refused.
"""

from collections.abc import Callable
from typing import Any, Final

from sqlglot import exp

from jobs.base.schemas import Schema
from jobs.base.types import BOOLEAN, INT, NULL, STRING, Array, DataType, Map, Struct, type_text
from jobs.expressions import operators
from jobs.expressions.allowlist import ALLOWED_ARGUMENTS, ARITHMETIC_NODES, BIT_NODES, COMPARISON_NODES
from jobs.expressions.calls import bind_call, bind_case, takes_unit
from jobs.expressions.cast_binding import bind_cast
from jobs.expressions.coercion import widen
from jobs.expressions.errors import ExpressionError
from jobs.expressions.functions import NONDETERMINISTIC
from jobs.expressions.lambdas import MAX_NESTED, bind_lambda_call, check_reads, finished
from jobs.expressions.literals import interval_literal, plain_literal, signed_literal
from jobs.expressions.nodes import Call, Column, Lambda, Literal, MemberOf, Tree, Variable
from jobs.expressions.operators import Mismatch
from jobs.expressions.parse import span_of
from jobs.expressions.precedence import require_one_bit_operator, require_one_kind_of_comparison
from jobs.expressions.regex_safety import like_complaint, regex_complaint
from jobs.expressions.suggestions import suggest

MAX_DEPTH: Final = 80


class Binder:
    """Binds one text to one input schema."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._depth = 0
        self._scopes: list[dict[str, Variable]] = []

    def bind(self, node: exp.Expr) -> Tree:
        """The checked tree of a node.

        Raises:
            ExpressionError: something in it is not in the tables.
        """
        kind = type(node)
        handler = _HANDLERS.get(kind)
        if handler is None:
            raise ExpressionError(
                "EXPRESSION_INVALID", f"{_what(node)} isn't supported in expressions.", span=span_of(node)
            )
        extra = [key for key, value in node.args.items() if value and key not in ALLOWED_ARGUMENTS[kind]]
        if extra:
            raise ExpressionError(
                "EXPRESSION_INVALID",
                f"{_what(node)} with {extra[0]} isn't supported in expressions.",
                span=span_of(node),
            )
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ExpressionError(
                "EXPRESSION_INVALID",
                f"The expression is nested deeper than {MAX_DEPTH} levels.",
                "Split it into several derive steps, or use IN for a list.",
            )
        bound = handler(self, node)
        self._depth -= 1
        return bound

    def bound_parts(self, node: exp.Expr) -> tuple[Tree, ...]:
        """`this` and `expression`, or only `this`, bound."""
        other = node.args.get("expression")
        return (
            (self.bind(node.this), self.bind(other))
            if isinstance(other, exp.Expr)
            else (self.bind(node.this),)
        )

    def column(self, node: exp.Column) -> Tree:
        """A field, or a member of a struct field: ``a``, ``a.b``."""
        parts = [node.args[key] for key in ("catalog", "db", "table", "this") if node.args.get(key)]
        if not all(isinstance(part, exp.Identifier) for part in parts):
            raise ExpressionError(
                "EXPRESSION_INVALID", "* isn't supported in expressions.", span=span_of(node)
            )
        tree = self._field(parts[0])
        for part in parts[1:]:
            tree = member(tree, str(part.this), span_of(part))
        return tree

    def variable(self, identifier: exp.Identifier) -> Tree:
        """A variable of a lambda around this expression; inner ones hide outer ones."""
        name = str(identifier.this)
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        raise ExpressionError(
            "EXPRESSION_INVALID", f"{name} can't be used as a value here.", span=span_of(identifier)
        )

    def is_variable(self, node: exp.Expr) -> bool:
        """True for the name of a variable in scope."""
        return isinstance(node, exp.Identifier) and any(str(node.this) in scope for scope in self._scopes)

    def lambda_body(self, node: exp.Lambda, variables: tuple[tuple[DataType, bool], ...]) -> Lambda:
        """A lambda over variables of these types.

        Raises:
            ExpressionError: its variables are not different names, it nests too deeply, or reads what it must
                not.
        """
        names = [str(part.this) for part in node.expressions if isinstance(part, exp.Identifier)]
        if len(set(names)) != len(variables) or len(names) != len(node.expressions):
            raise ExpressionError(
                "EXPRESSION_INVALID", "The variables of a lambda need different names.", span=span_of(node)
            )
        if len(self._scopes) >= MAX_NESTED:
            raise ExpressionError(
                "EXPRESSION_INVALID",
                f"Lambdas are nested deeper than {MAX_NESTED} levels.",
                "Split it into several derive steps.",
                span_of(node),
            )
        first = sum(len(scope) for scope in self._scopes)
        made = tuple(Variable(first + index, *kind) for index, kind in enumerate(variables))
        self._scopes.append(dict(zip(names, made, strict=True)))
        body = self.bind(node.this)
        self._scopes.pop()
        return check_reads(Lambda(made, body), span_of(node))

    def _field(self, identifier: exp.Identifier) -> Tree:
        name, span = str(identifier.this), span_of(identifier)
        field = self._schema.get(name)
        if field is not None:
            return Column(name, field.type, field.nullable)
        if name.lower() in NONDETERMINISTIC and not identifier.args.get("quoted"):
            raise ExpressionError(
                "NONDETERMINISTIC",
                f"{name} is non-deterministic: every run returns another value, so a replay would change "
                "results.",
                "Use _time (event time).",
                span,
            )
        known = (
            "Available fields: "
            + ", ".join(n for n in self._schema.names if not n.startswith("_"))[:200]
            + "."
        )
        raise ExpressionError(
            "FIELD_UNKNOWN", f"Unknown field {name}.", suggest(name, self._schema.names, known), span
        )


def member(tree: Tree, name: str, span: tuple[int, int] | None) -> Tree:
    """One member of a struct, or of every struct of an array as an array.

    Raises:
        ExpressionError: not a struct, or no such member.
    """
    holder = tree.type.element if isinstance(tree.type, Array) else tree.type
    if not isinstance(holder, Struct):
        raise ExpressionError(
            "TYPE_MISMATCH", f"{type_text(tree.type)} isn't a struct, so it has no member {name}.", span=span
        )
    found = next((part for part in holder.members if part.name == name), None)
    if found is None:
        names = [part.name for part in holder.members]
        raise ExpressionError(
            "FIELD_UNKNOWN",
            f"Unknown member {name}.",
            suggest(name, names, "Available members: " + ", ".join(names) + "."),
            span,
        )
    if isinstance(tree.type, Array):
        return MemberOf(tree, name, Array(found.type, tree.type.nullable or found.nullable), tree.nullable)
    return MemberOf(tree, name, found.type, tree.nullable or found.nullable)


def _what(node: exp.Expr) -> str:
    return type(node).__name__.upper()


def _settled(result: Tree | Mismatch, node: exp.Expr) -> Tree:
    if isinstance(result, Mismatch):
        raise ExpressionError("TYPE_MISMATCH", result.message, result.hint, span_of(node))
    return result


def _dot(binder: Binder, node: exp.Expr) -> Tree:
    name = node.args.get("expression")
    if not isinstance(name, exp.Identifier) or (
        isinstance(node.this, exp.Identifier) and not binder.is_variable(node.this)
    ):
        raise ExpressionError("EXPRESSION_INVALID", "Function names can't contain a dot.", span=span_of(node))
    return member(binder.bind(node.this), str(name.this), span_of(name))


def _bracket(binder: Binder, node: exp.Expr) -> Tree:
    subscripts = node.args.get("expressions") or []
    if len(subscripts) != 1:
        raise ExpressionError("EXPRESSION_INVALID", "Use one index or key in […].", span=span_of(node))
    holder, subscript = binder.bind(node.this), binder.bind(subscripts[0])
    match holder.type:
        case Array(element):
            index = widen(subscript, INT) if subscript.type == INT else None
            if index is not None:
                return Call("item", (holder, index), element, True, fails=True)
        case Map(value):
            key = widen(subscript, STRING)
            if key is not None:
                return Call("entry", (holder, key), value, True, fails=True)
    raise ExpressionError(
        "TYPE_MISMATCH",
        f"{type_text(holder.type)} can't be indexed with {type_text(subscript.type)}.",
        "Arrays take an int index, maps a string key.",
        span_of(node),
    )


def _call(binder: Binder, node: exp.Expr) -> Tree:
    name = node.this
    if not isinstance(name, str):
        raise ExpressionError(
            "EXPRESSION_INVALID", "Function names can't have backticks.", span=span_of(node)
        )
    span = _call_span(node)
    arguments = [part if isinstance(part, exp.Lambda) else binder.bind(part) for part in _parts(node, name)]
    values = tuple(part for part in arguments if not isinstance(part, exp.Lambda))
    if len(values) == len(arguments):
        return bind_call(name, values, span)
    last = arguments[3] if len(arguments) == 4 else None
    if isinstance(last, exp.Lambda) and name.lower() in ("reduce", "aggregate"):
        gathered = bind_lambda_call(name, tuple(arguments[:3]), binder.lambda_body, span)
        return finished(gathered, binder.lambda_body(last, ((gathered.type, True),)), span)
    return bind_lambda_call(name, tuple(arguments), binder.lambda_body, span)


def _call_span(node: exp.Expr) -> tuple[int, int] | None:
    meta = node.meta
    return (meta["start"], meta["end"] + 1) if "start" in meta else span_of(node)


def _parts(node: exp.Expr, name: str) -> list[exp.Expr]:
    """The arguments of a call, units written as words among them."""
    count = len(node.expressions)
    return [
        _unit(part) if takes_unit(name, index, count) else part for index, part in enumerate(node.expressions)
    ]


def _unit(node: exp.Expr) -> exp.Expr:
    """A unit that is written as a word, as in ``date_diff(day, a, b)``."""
    parts = (
        [node.args.get(key) for key in ("catalog", "db", "table", "this")]
        if isinstance(node, exp.Column)
        else []
    )
    return (
        exp.Literal.string(str(parts[3].this).lower())
        if parts[:3] == [None] * 3 and isinstance(parts[3], exp.Identifier)
        else node
    )


def _extract(binder: Binder, node: exp.Expr) -> Tree:
    part = node.this.name.lower() if isinstance(node.this, exp.Var | exp.Literal | exp.Column) else ""
    return bind_call(
        "date_part", (Literal(part, STRING), binder.bind(node.expression)), span_of(node.expression)
    )


def _bits(name: str) -> Callable[[Binder, exp.Expr], Tree]:
    def handler(binder: Binder, node: exp.Expr) -> Tree:
        require_one_bit_operator(node)
        return bind_call(name, binder.bound_parts(node), span_of(node))

    return handler


def _is(binder: Binder, node: exp.Expr) -> Tree:
    what = node.expression
    if isinstance(what, exp.Null) and not what.args:
        return Call("is_null", (binder.bind(node.this),), BOOLEAN, False)
    if isinstance(what, exp.Boolean):
        return _settled(
            operators.comparison("<=>", (_condition(binder, node.this), plain_literal(what))), node
        )
    raise ExpressionError(
        "EXPRESSION_INVALID", "IS can only be followed by NULL, TRUE or FALSE.", span=span_of(node)
    )


def _condition(binder: Binder, node: exp.Expr) -> Tree:
    bound = binder.bind(node)
    if bound.type not in (BOOLEAN, NULL):
        raise ExpressionError(
            "TYPE_MISMATCH", f"Expected true/false, got {type_text(bound.type)}.", span=span_of(node)
        )
    return bound


def _not(binder: Binder, node: exp.Expr) -> Tree:
    if isinstance(node.this, exp.Is) and isinstance(node.this.expression, exp.Null):
        return Call("is_not_null", (binder.bind(node.this.this),), BOOLEAN, False)
    return _settled(operators.logic("not", binder.bound_parts(node)), node)


def _in(binder: Binder, node: exp.Expr) -> Tree:
    values = node.args.get("expressions") or []
    if not values:
        raise ExpressionError(
            "EXPRESSION_INVALID", "IN needs a list of values in parentheses.", span=span_of(node)
        )
    return _settled(
        operators.comparison("in", (binder.bind(node.this), *(binder.bind(value) for value in values))), node
    )


def _regex(binder: Binder, node: exp.Expr) -> Tree:
    text, pattern = binder.bound_parts(node)
    if (
        isinstance(pattern, Literal)
        and isinstance(pattern.value, str)
        and (wrong := regex_complaint(pattern.value))
    ):
        raise ExpressionError("EXPRESSION_INVALID", wrong, span=span_of(node.expression))
    call = bind_call("regexp_like", (text, pattern), span_of(node))
    return Call("not", (call,), BOOLEAN, call.nullable) if node.args.get("negate") else call


def _matches(sign: str, complaint: Callable[[str], str | None]) -> Callable[[Binder, exp.Expr], Tree]:
    def handler(binder: Binder, node: exp.Expr) -> Tree:
        text, pattern = widen(binder.bind(node.this), STRING), binder.bind(node.expression)
        if text is None or not isinstance(pattern, Literal) or not isinstance(pattern.value, str):
            raise ExpressionError(
                "TYPE_MISMATCH", f"{sign.upper()} needs a string and a literal pattern.", span=span_of(node)
            )
        if wrong := complaint(pattern.value):
            raise ExpressionError("EXPRESSION_INVALID", wrong, span=span_of(node.expression))
        call = Call(sign, (text, pattern), BOOLEAN, text.nullable)
        return Call("not", (call,), BOOLEAN, call.nullable) if node.args.get("negate") else call

    return handler


def _case(binder: Binder, node: exp.Expr) -> Tree:
    branches: list[tuple[Tree, Tree]] = []
    for branch in node.args["ifs"]:
        condition: exp.Expr = branch.this
        if node.this is not None:
            condition = exp.EQ(this=exp.Paren(this=node.this), expression=exp.Paren(this=branch.this))
        branches.append((binder.bind(condition), binder.bind(branch.args["true"])))
    default = node.args.get("default")
    return bind_case(tuple(branches), binder.bind(default) if default is not None else None, span_of(node))


def _comparison(sign: str) -> Callable[[Binder, exp.Expr], Tree]:
    def handler(binder: Binder, node: exp.Expr) -> Tree:
        require_one_kind_of_comparison(node)
        return _settled(operators.comparison(sign, binder.bound_parts(node)), node)

    return handler


def _arithmetic(sign: str) -> Callable[[Binder, exp.Expr], Tree]:
    def handler(binder: Binder, node: exp.Expr) -> Tree:
        left, right = binder.bound_parts(node)
        return _settled(operators.arithmetic(sign, left, right), node)

    return handler


def _negative(binder: Binder, node: exp.Expr) -> Tree:
    signed = signed_literal(node.this)
    return _settled(operators.negative(binder.bind(node.this)), node) if signed is None else signed


def _distinct(binder: Binder, node: exp.Expr) -> Tree:
    same = _comparison("<=>")(binder, node)
    return Call("not", (same,), BOOLEAN, False)


def _between(binder: Binder, node: exp.Expr) -> Tree:
    parts = tuple(binder.bind(node.args[key]) for key in ("this", "low", "high"))
    return _settled(operators.comparison("between", parts), node)


def _joined(binder: Binder, node: exp.Expr) -> Tree:
    left, right = binder.bound_parts(node)
    return _settled(operators.joined(left, right), node)


def _literal(read: Callable[[Any], Tree]) -> Callable[[Binder, exp.Expr], Tree]:
    def handler(_: Binder, node: exp.Expr) -> Tree:
        try:
            return read(node)
        except ExpressionError as refused:
            refused.span = span_of(node)
            raise

    return handler


_HANDLERS: Final[dict[type[exp.Expr], Callable[[Binder, Any], Tree]]] = {
    exp.Literal: _literal(plain_literal),
    exp.Null: _literal(plain_literal),
    exp.Boolean: _literal(plain_literal),
    exp.Column: Binder.column,
    exp.Dot: _dot,
    exp.Bracket: _bracket,
    exp.Paren: lambda binder, node: binder.bind(node.this),
    exp.Neg: _negative,
    exp.Not: _not,
    exp.And: lambda binder, node: _settled(operators.logic("and", binder.bound_parts(node)), node),
    exp.Or: lambda binder, node: _settled(operators.logic("or", binder.bound_parts(node)), node),
    exp.Is: _is,
    exp.Between: _between,
    exp.In: _in,
    exp.Like: _matches("like", like_complaint),
    exp.ILike: _matches("ilike", like_complaint),
    exp.RegexpLike: _regex,
    exp.DPipe: _joined,
    exp.Cast: lambda binder, node: bind_cast(binder.bind(node.this), node, quiet=False),
    exp.TryCast: lambda binder, node: bind_cast(binder.bind(node.this), node, quiet=True),
    exp.Case: _case,
    exp.Interval: _literal(interval_literal),
    exp.Extract: _extract,
    exp.BitwiseNot: lambda binder, node: bind_call("bit_not", binder.bound_parts(node), span_of(node)),
    **{node: _bits(name) for node, name in BIT_NODES.items()},
    exp.Anonymous: _call,
    exp.Identifier: Binder.variable,
    exp.NullSafeEQ: _comparison("<=>"),
    exp.NullSafeNEQ: _distinct,
    **{node: _comparison(sign) for node, sign in COMPARISON_NODES.items()},
    **{node: _arithmetic(sign) for node, sign in ARITHMETIC_NODES.items()},
}


def bind(node: exp.Expr, schema: Schema) -> Tree:
    """The checked tree of a syntax tree over an input schema.

    Raises:
        ExpressionError: something in it is not in the tables, or the types do not fit.
    """
    return Binder(schema).bind(node)


def result_type(tree: Tree) -> DataType:
    """The type of an expression's value.

    Raises:
        ExpressionError: a bare null, which has none.
    """
    if tree.type == NULL:
        raise ExpressionError(
            "TYPE_MISMATCH", "null has no type here.", "Cast it, e.g. cast(null as string)."
        )
    return tree.type
