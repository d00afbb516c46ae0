"""Checking one expression: text and input schema in, a checked expression or located problems out."""

from dataclasses import dataclass

from sqlglot import exp

from jobs.base.problems import DocumentPath, Problem, problem
from jobs.base.schemas import Schema
from jobs.base.types import BOOLEAN, DataType, type_text
from jobs.expressions.bind import bind, result_type
from jobs.expressions.errors import ExpressionError
from jobs.expressions.failing_depth import check_failing_depth
from jobs.expressions.nodes import Literal, Tree, fields_of
from jobs.expressions.parse import parse_tokens, tokens_of
from jobs.expressions.size_bound import MAX_VALUE_BYTES, NO_SIZE, Size, is_sized, size_bound
from jobs.expressions.spark_types import quoted
from jobs.expressions.write_spark import write_spark
from jobs.expressions.write_text import write_text


@dataclass(frozen=True)
class Expression:
    """A checked expression.

    Attributes:
        text: as written.
        type: of its value; may be duration, which no output field can have.
        nullable: False is a promise.
        fields: input fields it reads.
        sql: Spark SQL, written from the checked tree; never throws; null on error; needs the session time
            zone UTC, case-sensitive names.
        failures: Spark SQL conditions, never null, each true when one part turned an error into null; empty
            when nothing can fail.
        constant: reads no field.
        literal: Python value of a bare literal, else None.
        canonical: the same meaning as text without the accidents of writing; equal for equal trees.
        size: how large its value can be; of a value of fixed size none.
    """

    text: str
    type: DataType
    nullable: bool
    fields: frozenset[str]
    sql: str
    failures: tuple[str, ...]
    constant: bool
    literal: object | None
    canonical: str
    size: Size = NO_SIZE


def check_expression(
    text: str, schema: Schema, path: DocumentPath
) -> tuple[Expression | None, list[Problem]]:
    """Check a text against an input schema (`docs/semantics/expressions.md`).

    Args:
        text: the expression as written.
        schema: fields it may read, system fields included where there are any.
        path: where the text stands in the document.

    Returns:
        The expression, or None with the problems that stop it.
    """
    tokens, problems = tokens_of(text, path)
    if problems:
        return None, problems
    parsed, problems = parse_tokens(tokens, text, path)
    if parsed is None:
        return None, problems
    return check_tree(parsed.tree, text, schema, path)


def check_tree(
    node: exp.Expr, text: str, schema: Schema, path: DocumentPath
) -> tuple[Expression | None, list[Problem]]:
    """Check a syntax tree that is all of a text, or a part of it."""
    try:
        return expression_of(bind(node, schema), text), []
    except ExpressionError as refused:
        return None, [problem(refused.code, path, refused.message, refused.hint, span=refused.span)]
    except RecursionError:
        return None, [
            problem(
                "EXPRESSION_INVALID",
                path,
                "The expression is nested too deeply.",
                "Split it into several derive steps.",
            )
        ]


def expression_of(tree: Tree, text: str) -> Expression:
    """The expression of a checked tree.

    Raises:
        ExpressionError: a bare null, too complicated to write, or more than a row should make.
    """
    data_type = result_type(tree)
    check_failing_depth(tree)
    bound = size_bound(tree)
    written = write_spark(tree)
    sql, failures = written.sql, written.failures
    if bound.looked_at:
        sizes = (f"{often} * weir_size({quoted(name)})" for name, often in sorted(bound.looked_at.items()))
        fits = f"({' + '.join(sizes)} <= {MAX_VALUE_BYTES})"
        sql, failures = f"CASE WHEN {fits} THEN {sql} END", (*written.guarded(fits), f"NOT {fits}")
    fields = fields_of(tree)
    literal = tree.value if isinstance(tree, Literal) else None
    return Expression(
        text,
        data_type,
        tree.nullable or bool(bound.looked_at),
        fields,
        sql,
        failures,
        not fields,
        literal,
        write_text(tree),
        bound.value if is_sized(data_type) else NO_SIZE,
    )


def check_condition(text: str, schema: Schema, path: DocumentPath) -> tuple[Expression | None, list[Problem]]:
    """As `check_expression`; the value must also be boolean."""
    expression, problems = check_expression(text, schema, path)
    if expression is None or expression.type == BOOLEAN:
        return expression, problems
    message = f"Expected true/false, got {type_text(expression.type)}."
    return None, [
        *problems,
        problem("TYPE_MISMATCH", path, message, "Add a comparison.", span=(0, len(text))),
    ]
