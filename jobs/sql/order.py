"""The order of statements in which each finds the fields of the views that it reads."""

from collections.abc import Iterator, Sequence

from jobs.sql.statements import (
    Call,
    CreateOutput,
    CreateSource,
    CreateView,
    FromItem,
    Named,
    Nested,
    Query,
    Statement,
)


def in_order(statements: Sequence[Statement]) -> list[Statement]:
    """Sources first, and each view before the statements that read it; otherwise in the order of the text.
    Views that read each other stay as they are: the check of the document refuses them.
    """
    views = {one.name.text: one for one in reversed(statements) if isinstance(one, CreateView)}
    found: dict[int, Statement] = {}
    entered = set[int]()
    for statement in sorted(statements, key=lambda one: not isinstance(one, CreateSource)):
        waiting: list[Statement] = [statement]
        while waiting:
            last = waiting[-1]
            above = [] if id(last) in entered else [views[name] for name in _names(last) if name in views]
            entered.add(id(last))
            missing = [one for one in above if id(one) not in entered]
            if missing:
                waiting += reversed(missing)
            else:
                found.setdefault(id(waiting.pop()), last)
    return list(found.values())


def _names(statement: Statement) -> list[str]:
    """The relations that a statement names in FROM."""
    if isinstance(statement, CreateView | CreateOutput):
        return list(dict.fromkeys(_names_of(statement.query)))
    return []


def _names_of(query: Query) -> Iterator[str]:
    for _, inner in query.views:
        yield from _names_of(inner)
    for select in query.selects:
        yield from _names_in(select.source)
        for join in select.joins:
            yield from _names_in(join.relation)


def _names_in(item: FromItem) -> Iterator[str]:
    match item:
        case Named(reference):
            yield reference.partition(".")[0]
        case Nested(query):
            yield from _names_of(query)
        case Call():
            for one in item.inputs:
                yield from _names_in(one)
