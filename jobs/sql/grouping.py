"""GROUP BY, measures, HAVING and EMIT as an aggregate step, and what is computed from its results."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, zip_longest
from typing import Any, Final

from sqlglot.tokenizer_core import TokenType

from jobs.base.problems import DocumentPath
from jobs.expressions.spark_types import quoted
from jobs.operators.aggregate import WINDOW_FIELDS
from jobs.sql.draft import Expression, SqlDraft, within
from jobs.sql.measures import measure_calls, measure_text
from jobs.sql.projecting import Column, add_select, is_name_of
from jobs.sql.repeated_keys import repeated_keys
from jobs.sql.scope import Field, Scope
from jobs.sql.statements import Item, Select
from jobs.sql.tokens import Slice, SqlError, name_in_expression, name_of
from jobs.sql.variables import variables_of

_SHOWN: Final = 60  # characters of a key in a hint
_WINDOW_KEYS: Final = "Add it to the keys: GROUP BY window_start, window_end, …"
_NONE: Final[Mapping[str, Expression]] = {}


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
        written: names that the query has; names that nobody wrote are others.
        bounds: fields of the window; none without one.
        keys: name → expression.
        key_words: names of the keys by the words of their expression.
        key_lengths: numbers of words of those keys.
        key_fields: field of the rows → name of the key that it is.
        key_parts: field of the rows → name and text of a key that is computed from it.
        measures: name → text of the measure.
        named: name of the measure by the words of its call, so that one that is used twice is computed once.
        counts: measures without a name of their own, by function.
    """

    scope: Scope
    written: frozenset[str]
    bounds: tuple[str, ...]
    keys: dict[str, Expression] = field(default_factory=dict)
    key_words: dict[tuple[str, ...], list[str]] = field(default_factory=dict)
    key_lengths: set[int] = field(default_factory=set)
    key_fields: dict[str, str] = field(default_factory=dict)
    key_parts: dict[str, tuple[str, str]] = field(default_factory=dict)
    measures: dict[str, Expression] = field(default_factory=dict)
    named: dict[tuple[str, ...], str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)


def is_grouped(select: Select, window: Window | None) -> bool:
    """True if the query needs an aggregate."""
    return (
        select.group_by is not None
        or window is not None
        or any(measure_calls(item.expression) for item in select.items if isinstance(item, Item))
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
        SqlError: a column is neither grouped nor a measure, or has no name, or nothing names the window.
    """
    items = _items(select)
    found = _Aggregate(scope, _written_names(select, items), WINDOW_FIELDS if window is not None else ())
    _read_keys(found, select, items)
    if found.bounds and not _reads_window(found, select, items):
        span = select.group_by[0].span if select.group_by else select.span
        raise SqlError("The window is neither grouped nor selected.", _WINDOW_KEYS, span)
    columns = [_column(found, item) for item in items]
    having = _over_results(found, select.having, dict(columns)) if select.having is not None else None
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
    if [name for name, _ in columns] == _results(found) and all(is_name_of(*column) for column in columns):
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


def _read_keys(found: _Aggregate, select: Select, items: Sequence[Item]) -> None:
    """GROUP BY: a field, an expression, or the alias of an item, where no field has its name."""
    is_known = bool(found.scope.fields)
    aliased = {
        item.alias.text: item
        for item in items
        if item.alias and (is_known or len(item.expression.tokens) > 1)
    }
    by_words: dict[tuple[str, ...], list[Item]] = {}
    for one in items:
        by_words.setdefault(_words(found, one.expression), []).append(one)
    for written in select.group_by or ():
        name = written.plain_name
        is_field = name in found.scope.known
        if found.bounds and name == "window" and not is_field:
            continue
        if len(written.tokens) == 1 and name is None:
            raise SqlError(
                f"{written.text} is no field.", "Name the field instead of its position.", written.span
            )
        item = aliased.get(name) if name is not None and not is_field else None
        key = (item.expression if item is not None else written).enclosed
        if found.scope.field_name(key) in found.bounds:
            continue
        words = _words(found, key)
        _add_key(found, key, words, by_words.get(words, ()))


def _reads_window(found: _Aggregate, select: Select, items: Sequence[Item]) -> bool:
    """True if the query names a field of its window, or the window: other dialects gather the rows of all
    windows into one result where it doesn't.
    """
    keys = select.group_by or ()
    if any(key.plain_name == "window" and "window" not in found.scope.known for key in keys):
        return True
    written = [*keys, *(item.expression for item in items), *([select.having] if select.having else [])]
    return any(
        one.name in found.bounds
        for part in written
        for one in found.scope.references(part, also=found.bounds)
    )


def _words(found: _Aggregate, written: Slice) -> tuple[str, ...]:
    """What is equal for keys and items that mean the same: a field's name in the rows, otherwise the words
    without outer parentheses.
    """
    key = written.enclosed
    name = _field_of(found, key)
    return key.words if name is None else (quoted(name),)  # `true` is a field, true a word


def _field_of(found: _Aggregate, key: Slice) -> str | None:
    """The name that a field has in the rows; None for anything else."""
    own = found.scope.field_name(key)
    return own and next((one.name for one in found.scope.references(key)), own)


def _add_key(found: _Aggregate, key: Slice, words: tuple[str, ...], items: Sequence[Item]) -> None:
    """Add a key under its alias, its field's name, or one of its own.

    Args:
        found: gets the key.
        key: its expression.
        words: of the expression.
        items: those of the select list that have these words: a key that is repeated is another one as long
            as an item is left to name it.
    """
    names = found.key_words.setdefault(words, [])
    found.key_lengths.add(len(words))
    aliases = list(dict.fromkeys(item.alias.text if item.alias else None for item in items)) or [None]
    if len(names) >= len(aliases):
        return
    alias = aliases[len(names)]
    expression = found.scope.expression(key)
    own = found.scope.column_name(key)
    if alias is not None and alias in found.keys:
        raise SqlError(f"{alias} is selected twice.", "Give one of them another name with AS.", key.span)
    known = alias or own
    if known is None or known in found.keys:
        base = own or "key"
        free = (f"{base}_{at}" if own else f"{base}{at}" for at in count(len(found.keys) + 1))
        known = next(name for name in free if _is_free(found, name))
    found.keys[known] = expression
    names.append(known)
    name = _field_of(found, key)
    if name is not None:
        found.key_fields.setdefault(name, known)
        return
    for part in found.scope.references(key):
        found.key_parts.setdefault(part.name, (known, key.text))


def _is_free(found: _Aggregate, name: str) -> bool:
    return name not in found.keys and name not in found.scope.known and name not in found.written


def _written_names(select: Select, items: Sequence[Item]) -> frozenset[str]:
    """The names in the select list and HAVING, without those of functions."""
    slices = [item.expression for item in items] + ([select.having] if select.having is not None else [])
    names = {item.alias.text for item in items if item.alias is not None}
    for written in slices:
        for token, after in zip_longest(written.tokens, written.tokens[1:]):
            name = name_of(token)
            if name is not None and (after is None or after.token_type != TokenType.L_PAREN):
                names.add(name)
    return frozenset(names)


def _column(found: _Aggregate, item: Item) -> Column:
    written = item.expression
    name = found.scope.field_name(written.enclosed)
    if name in found.bounds:
        return (item.alias.text if item.alias else name), Expression(name, written.span, verbatim=False)
    keys = found.key_words.get(_words(found, written))
    if keys:
        own = found.scope.column_name(written.enclosed)
        known = item.alias.text if item.alias is not None else own or keys[0]
        key = known if known in keys else keys[0]
        return known, Expression(name_in_expression(key), written.span, verbatim=False)
    calls = measure_calls(written)
    if calls == [(0, len(written.tokens))]:
        alias = item.alias.text if item.alias is not None else None
        measure = _measure(found, written, alias)
        return alias or measure, Expression(name_in_expression(measure), written.span, verbatim=False)
    if item.alias is not None:
        return item.alias.text, _over_results(found, written)
    if written.plain_name is None:
        _over_results(found, written)  # tells a field that isn't grouped
        raise SqlError("This expression has no name.", "Give it one: … AS ratio.", written.span)
    hint = _grouping_hint(found, written.plain_name)
    raise SqlError(f"{written.text} is neither grouped nor a measure.", hint, written.span)


def _over_results(found: _Aggregate, written: Slice, columns: Mapping[str, Expression] = _NONE) -> Expression:
    """An expression over the results: the aggregate computes its measures; what repeats a key is that key;
    names outside them are keys, or, in HAVING, columns of the select list.
    """
    calls, tokens = measure_calls(written), written.tokens
    changes = repeated_keys(written, found.key_words, found.key_lengths, calls)
    changes += [(begin, end, _measure(found, written.part(begin, end), None)) for begin, end in calls]
    inside = {at for begin, end, _ in changes for at in range(begin, end)}
    for one in found.scope.references(written, also=columns):
        if one.first in inside:
            continue
        span = tokens[one.first].start, tokens[one.end - 1].end + 1
        name = _result_of(found, one, columns, span)
        if one.qualified or name != one.name:
            changes.append((one.first, one.end, name))
    variables = variables_of(tokens)
    text, at = "", written.span[0]
    for begin, end, name in sorted(changes):
        span = tokens[begin].start, tokens[end - 1].end + 1
        if variables.hide(name, begin):
            message = f"{name} is a column and a variable of a lambda around it."
            raise SqlError(message, "Give the variable another name.", span)
        text += written.source[at : span[0]] + name_in_expression(name)
        at = span[1]
    return Expression(text + written.source[at : written.span[1]], written.span, verbatim=not changes)


def _result_of(
    found: _Aggregate, one: Field, columns: Mapping[str, Expression], span: tuple[int, int]
) -> str:
    """The name that the results have for a field or column."""
    if one.name in found.bounds:
        return one.name
    key = found.key_fields.get(one.name)
    if key is not None:
        return key
    is_field = one.qualified or one.name in found.scope.known
    column = columns.get(one.name)
    if is_field and not one.qualified and column is not None and one.name not in found.key_parts:
        message = f"{one.name} is a field that isn't grouped, and a column of the select list."
        raise SqlError(message, "Repeat the column's expression, or give it another name.", span)
    if is_field or column is None:
        raise SqlError(f"{one.name} is neither grouped nor a measure.", _grouping_hint(found, one.name), span)
    given = next((name for name in _results(found) if is_name_of(name, column)), None)
    if given is None:
        message = f"{one.name} is computed after HAVING."
        raise SqlError(message, "Repeat its expression, or filter in a query over this one.", span)
    return given


def _grouping_hint(found: _Aggregate, name: str) -> str:
    """What to write for a field that isn't grouped. Grouping by a field that is a part of a key would make
    other groups.
    """
    if name not in found.key_parts:
        return "Add it to GROUP BY, or use a measure such as last(…)."
    key, text = found.key_parts[name]
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    if key in found.written and key not in found.scope.known:
        return f"Use the name of its key: {key} instead of {shown}."
    names = (f"key{at}" for at in count(1))
    free = key if key not in found.scope.known else next(one for one in names if _is_free(found, one))
    return f"Select its key under a name that no field has, and use that: {shown} AS {free}."


def _results(found: _Aggregate) -> list[str]:
    return [*found.bounds, *found.keys, *found.measures]


def _measure(found: _Aggregate, written: Slice, alias: str | None) -> str:
    """The name of a measure, which is added unless it is computed already."""
    known = found.named.get(written.words)
    if known is not None and alias in (None, known):
        return known
    function = written.tokens[0].text.lower()
    name = alias or function
    if name in found.measures and alias is not None:
        raise SqlError(f"{name} is selected twice.", "Give one of them another name with AS.", written.span)
    while name in found.measures or (alias is None and not _is_free(found, name)):
        found.counts[function] += 1
        name = f"{function}_{found.counts[function] + 1}"
    found.measures[name] = measure_text(found.scope, written)
    found.named.setdefault(written.words, name)
    return name
