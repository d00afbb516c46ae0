"""Select lists as select, derive, drop and rename steps."""

from collections.abc import Sequence
from typing import Any, Final

from jobs.base.problems import DocumentPath
from jobs.sql.draft import Expression, SqlDraft
from jobs.sql.scope import Scope
from jobs.sql.statements import Item, Select, Span, Star
from jobs.sql.tokens import Name, SqlError, is_word

Column = tuple[str, Expression]
"""A column's name and its expression."""

_NAMED: Final = "Give the expression a name: … AS total."


def project(draft: SqlDraft, scope: Scope, select: Select, wanted: str) -> str:
    """Add the steps of a select list without measures.

    Args:
        draft: gets the steps.
        scope: the rows that the list reads.
        select: the query; of its items ``*`` comes first.
        wanted: name of the steps.

    Returns:
        The node with the rows.

    Raises:
        SqlError: an expression has no name, or ``*`` stands where it can't.
    """
    entries = [one for item in select.items for one in _entries(item, scope)]
    columns = [entry for entry in entries if not isinstance(entry, Star)]
    if len(columns) == len(entries):
        return add_select(draft, scope.reference, columns, wanted, select.span)
    star = entries[0]
    if not isinstance(star, Star) or len(columns) < len(entries) - 1:
        raise SqlError(
            "* comes first, and once.", "Example: SELECT *, price * quantity AS value", select.span
        )
    reference = _star(draft, scope, star, wanted)
    for name, expression in columns:
        if is_name_of(name, expression):
            raise SqlError(
                f"* already selects {name}.", "Remove it, or give it another name with AS.", expression.span
            )
    return add_derive(draft, reference, columns, wanted, select.span) if columns else reference


def column(item: Item, scope: Scope) -> Column:
    """A column's name and its expression."""
    expression = scope.expression(item.expression)
    if item.alias is not None:
        return item.alias.text, expression
    last = item.expression.tokens[-1]
    name = scope.field_name(item.expression)
    if name is None:
        raise SqlError("This expression has no name.", _NAMED, (last.start, last.end + 1))
    return name, expression


def add_select(draft: SqlDraft, reference: str, columns: Sequence[Column], wanted: str, span: Span) -> str:
    """Add a select step: a list of names, if every column is a field under its own name."""
    _require_unique(columns)
    fields: Any = {name: expression.text for name, expression in columns}
    parts: dict[DocumentPath, Expression] = {}
    if all(is_name_of(name, expression) for name, expression in columns):
        fields = [name for name, _ in columns]
        parts = {("fields", str(at)): expression for at, (_, expression) in enumerate(columns)}
    else:
        parts = {("fields", name): expression for name, expression in columns}
    return draft.add(wanted, {"op": "select", "input": reference, "fields": fields}, parts, span)


def is_name_of(name: str, expression: Expression) -> bool:
    """True if the expression is the field of this name."""
    return expression.text in (name, f"`{name}`")


def add_derive(draft: SqlDraft, reference: str, columns: Sequence[Column], wanted: str, span: Span) -> str:
    """Add a derive step."""
    _require_unique(columns)
    fields = {name: expression.text for name, expression in columns}
    parts: dict[DocumentPath, Expression] = {("fields", name): expression for name, expression in columns}
    return draft.add(wanted, {"op": "derive", "input": reference, "fields": fields}, parts, span)


def _require_unique(columns: Sequence[Column]) -> None:
    names = set[str]()
    for name, expression in columns:
        if name in names:
            raise SqlError(
                f"{name} is selected twice.", "Give one of them another name with AS.", expression.span
            )
        names.add(name)


def _entries(item: Star | Item, scope: Scope) -> list[Star | Column]:
    """The columns of an item; ``t.*`` gives the fields of that relation."""
    if isinstance(item, Star):
        return [item]
    tokens = item.expression.tokens
    if len(tokens) != 3 or not is_word(tokens[1], ".") or not is_word(tokens[2], "*"):
        return [column(item, scope)]
    span = item.expression.span
    side = scope.side(item.expression.part(0, 1).plain_name or "")
    if side is None:
        raise SqlError(f"Unknown relation {tokens[0].text!r}.", "", span)
    if len(scope.sides) == 1:
        return [Star(span)]
    if not side.fields:
        raise SqlError(f"The fields of {side.alias} are unknown here.", "List them.", span)
    names = [side.names.get(name, name) for name in side.fields]
    return [(name, Expression(name, span, verbatim=False)) for name in names]


def _star(draft: SqlDraft, scope: Scope, star: Star, wanted: str) -> str:
    reference = scope.reference
    if star.replaced:
        columns = [column(item, scope) for item in star.replaced]
        reference = add_derive(draft, reference, columns, wanted, star.span)
    if star.excepted:
        fields = [name.text for name in star.excepted]
        step: dict[str, Any] = {"op": "drop", "input": reference, "fields": fields}
        reference = draft.add(wanted, step, _places(star.excepted), star.span)
    if star.renamed:
        renamed = {old.text: new.text for old, new in star.renamed}
        step = {"op": "rename", "input": reference, "fields": renamed}
        reference = draft.add(wanted, step, {}, star.span)
    return reference


def _places(names: Sequence[Name]) -> dict[DocumentPath, Expression]:
    return {
        ("fields", str(at)): Expression(name.text, name.span, verbatim=True) for at, name in enumerate(names)
    }
