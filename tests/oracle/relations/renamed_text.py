"""Expressions and measures with renamed fields, by the parse tree: literals and functions stay."""

from collections.abc import Iterator, Mapping

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from jobs.expressions.measure_calls import _as_name, _named, _split_where, _without_by
from jobs.expressions.parse import parse_tokens, tokens_of


def renamed_expression(text: str | float, names: Mapping[str, str]) -> str:
    """The expression over fields with these new names."""
    tokens, problems = tokens_of(str(text), ())
    assert not problems, problems
    return _written(str(text), _tree(tokens, str(text)), names)


def renamed_measure(text: str, names: Mapping[str, str]) -> str:
    """The measure over fields with these new names; its options keep theirs."""
    tokens, problems = tokens_of(text, ())
    assert not problems, problems
    call, where = _split_where(tokens)
    call, _ = _without_by(call)
    tree = _tree([_as_name(call[0]), *call[1:]], text)
    arguments = (
        [tree.expressions[0], *(_named(node)[1] for node in tree.expressions[1:])] if tree.expressions else []
    )
    return _written(
        text, exp.Tuple(expressions=[*arguments, *([_tree(where, text)] if where else [])]), names
    )


def _tree(tokens: list[Token], text: str) -> exp.Expr:
    parsed, problems = parse_tokens(tokens, text, ())
    assert parsed is not None, problems
    return parsed.tree


def _written(text: str, tree: exp.Expr, names: Mapping[str, str]) -> str:
    for first in sorted(_fields(tree), key=lambda found: -found.meta["start"]):
        if first.name in names:
            start, end = first.meta["start"], first.meta["end"] + 1
            text = f"{text[:start]}`{names[first.name]}`{text[end:]}"
    return text


def _fields(tree: exp.Expr) -> Iterator[exp.Expr]:
    """What names a field: the first part of each column that is no variable of a lambda around it."""
    for column in tree.find_all(exp.Column):
        first = column.parts[0]
        around, variables = column.parent, set()
        while around is not None:
            if isinstance(around, exp.Lambda):
                variables |= {variable.name for variable in around.expressions}
            around = around.parent
        if "start" in first.meta and first.name not in variables:
            yield first
