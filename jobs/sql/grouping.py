"""GROUP BY, measures, HAVING and EMIT as an aggregate step, and what is computed from its results."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlglot.tokenizer_core import Token, TokenType

from jobs.base.problems import DocumentPath
from jobs.operators.aggregate import WINDOW_FIELDS
from jobs.operators.measures import MEASURES
from jobs.sql.draft import Expression, SqlDraft, within
from jobs.sql.projecting import Column, add_select, is_name_of
from jobs.sql.scope import Scope
from jobs.sql.statements import Item, Select
from jobs.sql.tokens import Slice, SqlError, closing, is_word, name_of

_WINDOW_WORDS: Final = (*WINDOW_FIELDS, "window")


@dataclass(frozen=True)
class Window:
    """The window of a query: what its table function says.

    Attributes:
        window: as in a document.
        lateness: grace and late, as in a document.
    """

    window: dict[str, Any]
    lateness: dict[str, Any]


@dataclass
class _Aggregate:
    """What the aggregate computes so far.

    Attributes:
        keys: name → expression.
        measures: name → text of the measure.
        named: name of the measure by the words of its call, so that one that is used twice is computed once.
        counts: measures without a name of their own, by function.
    """

    scope: Scope
    keys: dict[str, Expression] = field(default_factory=dict)
    key_words: dict[tuple[str, ...], str] = field(default_factory=dict)
    measures: dict[str, Expression] = field(default_factory=dict)
    named: dict[tuple[str, ...], str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)


def is_grouped(select: Select, window: Window | None) -> bool:
    """True if the query needs an aggregate."""
    return (
        select.group_by is not None
        or window is not None
        or any(_calls(item.expression) for item in select.items if isinstance(item, Item))
    )


def group(draft: SqlDraft, scope: Scope, select: Select, window: Window | None, wanted: str) -> str:
    """Add the steps of a query with measures: aggregate, then filter for HAVING, then select if the list is
    not just what the aggregate gives.

    Args:
        draft: gets the steps.
        scope: the rows that are grouped.
        select: the query.
        window: of FROM.
        wanted: name of the view or output, "" for none.

    Returns:
        The node with the rows.

    Raises:
        SqlError: a column is neither grouped nor a measure, or has no name.
    """
    found = _Aggregate(scope)
    items = _items(select)
    _read_keys(found, select, items, window)
    columns = [_column(found, item, window) for item in items]
    having = _with_measures(found, select.having) if select.having is not None else None
    step: dict[str, Any] = {"op": "aggregate", "input": scope.reference}
    if window is not None:
        step |= {"window": window.window, **window.lateness}
    parts: dict[DocumentPath, Expression] = {}
    if select.group_by:
        span = select.group_by[0].span[0], select.group_by[-1].span[1]
        parts["by",] = Expression("", span, verbatim=False)
    if found.keys:
        is_plain = all(is_name_of(name, key) for name, key in found.keys.items())
        step["by"] = list(found.keys) if is_plain else {name: key.text for name, key in found.keys.items()}
        for at, (name, key) in enumerate(found.keys.items()):
            parts["by", str(at) if is_plain else name] = key
    step["measures"] = {name: measure.text for name, measure in found.measures.items()}
    parts |= {("measures", name): measure for name, measure in found.measures.items()}
    if select.emit is not None:
        step["emit"] = select.emit
    reference = draft.add(within(wanted, "grouped"), step, parts, select.span)
    if having is not None:
        step = {"op": "filter", "input": reference, "where": having.text}
        reference = draft.add(within(wanted, "having"), step, {("where",): having}, having.span)
    given = [*(WINDOW_FIELDS if window is not None else ()), *found.keys, *found.measures]
    if [name for name, _ in columns] == given and all(is_name_of(*column) for column in columns):
        return reference
    return add_select(draft, reference, columns, within(wanted, "columns"), select.span)


def _items(select: Select) -> list[Item]:
    found: list[Item] = []
    for item in select.items:
        if not isinstance(item, Item):
            hint = "List the grouped fields and the measures, e.g. SELECT symbol, count() AS n."
            raise SqlError("* doesn't go with measures.", hint, item.span)
        found.append(item)
    return found


def _read_keys(found: _Aggregate, select: Select, items: Sequence[Item], window: Window | None) -> None:
    """GROUP BY: a field, an expression, or the alias of an item that is no field."""
    aliased = {item.alias.text: item for item in items if item.alias and len(item.expression.tokens) > 1}
    aliases = {item.expression.words: item.alias.text for item in reversed(items) if item.alias}
    for written in select.group_by or ():
        name = written.plain_name
        if window is not None and name in _WINDOW_WORDS:
            continue
        if len(written.tokens) == 1 and name is None:
            raise SqlError(
                f"{written.text} is no field.", "Name the field instead of its position.", written.span
            )
        item = aliased.get(name) if name is not None and name not in found.scope.known else None
        key = item.expression if item is not None else written
        own = found.scope.field_name(key)
        known = aliases.get(key.words) or own or f"key{len(found.keys) + 1}"
        found.keys[known] = found.scope.expression(key)
        found.key_words[key.words] = known
        if own is not None:
            found.key_words[found.keys[known].text,] = known


def _column(found: _Aggregate, item: Item, window: Window | None) -> Column:
    written = item.expression
    name = written.plain_name
    if window is not None and name in WINDOW_FIELDS:
        return (item.alias.text if item.alias else name), Expression(name, written.span, verbatim=True)
    key = found.key_words.get(written.words) or found.key_words.get((found.scope.text(written)[0],))
    if key is not None:
        known = item.alias.text if item.alias is not None else found.scope.field_name(written) or key
        return known, Expression(key, written.span, verbatim=False)
    calls = _calls(written)
    if calls == [(0, len(written.tokens))]:
        alias = item.alias.text if item.alias is not None else None
        measure = _measure(found, written, alias)
        return alias or measure, Expression(measure, written.span, verbatim=False)
    if item.alias is None:
        if calls:
            raise SqlError("This expression has no name.", "Give it one: … AS ratio.", written.span)
        hint = "Add it to GROUP BY, or use a measure such as last(…)."
        raise SqlError(f"{written.text} is neither grouped nor a measure.", hint, written.span)
    _require_grouped(found, written)
    return item.alias.text, _with_measures(found, written)


def _require_grouped(found: _Aggregate, written: Slice) -> None:
    """Fields outside measures are keys: a measure of the same name is not what `price` means there."""
    inside = {at for begin, end in _calls(written) for at in range(begin, end)}
    for at, token in enumerate(written.tokens):
        name = name_of(token)
        if name is None or at in inside or name not in found.scope.known:
            continue
        after, before = written.tokens[at + 1 : at + 2], written.tokens[max(at - 1, 0) : at]
        is_part = any(one.token_type == TokenType.DOT for one in before)
        is_call = any(one.token_type == TokenType.L_PAREN for one in after)
        key = found.keys.get(name)
        if not (is_part or is_call or (key is not None and is_name_of(name, key))):
            hint = "Add it to GROUP BY, or use a measure such as last(…)."
            raise SqlError(f"{name} is neither grouped nor a measure.", hint, (token.start, token.end + 1))


def _with_measures(found: _Aggregate, written: Slice) -> Expression:
    """An expression over the results: its measures are computed by the aggregate and read by name."""
    pieces: list[str] = []
    at = 0
    for begin, end in _calls(written):
        if begin > at:
            pieces.append(found.scope.text(written.part(at, begin))[0])
        pieces.append(_measure(found, written.part(begin, end), None))
        at = end
    if at < len(written.tokens):
        pieces.append(found.scope.text(written.part(at))[0])
    return Expression(" ".join(pieces), written.span, verbatim=at == 0 and len(pieces) == 1)


def _measure(found: _Aggregate, written: Slice, alias: str | None) -> str:
    """The name of a measure, which is added unless it is computed already."""
    known = found.named.get(written.words)
    if known is not None and alias in (None, known):
        return known
    function = written.tokens[0].text.lower()
    name = alias or function
    if name in found.measures and alias is not None:
        raise SqlError(f"{name} is selected twice.", "Give one of them another name with AS.", written.span)
    while name in found.measures or (alias is None and (name in found.keys or name in found.scope.known)):
        found.counts[function] += 1
        name = f"{function}_{found.counts[function] + 1}"
    found.measures[name] = _measure_text(found.scope, written)
    found.named.setdefault(written.words, name)
    return name


def _measure_text(scope: Scope, written: Slice) -> Expression:
    """A measure as documents write it: ``count(*)`` as ``count()``, ``count(DISTINCT x)`` as ``distinct(x)``,
    FILTER (WHERE …) as where.
    """
    close = closing(written.tokens, 1)
    call, rest = written.part(0, close + 1), written.tokens[close + 1 :]
    name, arguments = call.tokens[0].text, call.tokens[2:-1]
    if len(arguments) == 1 and is_word(arguments[0], "*"):
        text, verbatim = f"{name}()", False
    elif len(arguments) > 1 and name.lower() == "count" and is_word(arguments[0], "DISTINCT"):
        text, verbatim = f"distinct({scope.text(call.part(3, -1))[0]})", False
    else:
        text, verbatim = scope.text(call)
    if not rest:
        return Expression(text, written.span, verbatim)
    condition = scope.text(Slice(written.source, rest[3:-1]))[0]
    return Expression(f"{text} where {condition}", written.span, verbatim=False)


def _calls(written: Slice) -> list[tuple[int, int]]:
    """The measures in an expression: first token and one past the last, with FILTER (WHERE …)."""
    found: list[tuple[int, int]] = []
    at = 0
    tokens = written.tokens
    while at + 1 < len(tokens):
        if not _begins_measure(tokens, at):
            at += 1
            continue
        end = closing(tokens, at + 1) + 1
        rest = tokens[end : end + 3]
        if len(rest) == 3 and is_word(rest[0], "FILTER") and is_word(rest[2], "WHERE"):
            end = closing(tokens, end + 1) + 1
        found.append((at, end))
        at = end
    return found


def _begins_measure(tokens: tuple[Token, ...], at: int) -> bool:
    name = name_of(tokens[at])
    return (
        name is not None
        and tokens[at].token_type != TokenType.IDENTIFIER
        and name.lower() in MEASURES
        and tokens[at + 1].token_type == TokenType.L_PAREN
        and not (at and tokens[at - 1].token_type == TokenType.DOT)
    )
