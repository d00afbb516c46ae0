"""Steps as queries: one view for each."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from sqlglot.tokenizer_core import TokenType

from jobs.expressions.spark_types import quoted
from jobs.operators.aggregate import WINDOW_FIELDS
from jobs.sql.functions import FUNCTIONS, LATENESS, WINDOWS, Kind
from jobs.sql.tokens import Slice, is_word
from jobs.sql.write_aliases import alias_sql
from jobs.sql.write_joins import JOINS, Step
from jobs.sql.write_values import (
    UnsayableError,
    duration_sql,
    expression_slice,
    expression_sql,
    is_constant,
    is_field,
    is_read_whole,
    name_sql,
    reference_sql,
    type_sql,
    value_sql,
)

_DISTINCT: Final = re.compile(r"distinct\b", re.IGNORECASE)
LINE: Final = 80  # characters of a select list on one line


def query_sql(step: Step, aliases: tuple[str, str]) -> str:
    """The query that a step is.

    Args:
        step: of the document.
        aliases: of the sides of a join; no field, member or variable has such a name.

    Raises:
        UnsayableError: SQL has no words for it.
    """
    join = JOINS.get(step["op"])
    if join is not None:
        return join(step, aliases)
    writer = CLAUSES.get(step["op"])
    return writer(step) if writer is not None else _function(step)


def _filter(step: Step) -> str:
    where = step["where"]
    return f"SELECT *\nFROM {_relation(step, [where])}\nWHERE {expression_sql(where)}"


def _select(step: Step) -> str:
    fields = _by_name(step["fields"])
    return f"SELECT {_lines(_columns(fields))}\nFROM {_relation(step, fields.values())}"


def _derive(step: Step) -> str:
    columns = [_named(_derived(name, text), name) for name, text in step["fields"].items()]
    return f"SELECT {_lines(['*', *columns])}\nFROM {_relation(step, step['fields'].values())}"


def _relation(step: Step, texts: Iterable[str | None]) -> str:
    """The step's input in FROM, with an alias where an expression needs another than its name."""
    return reference_sql(step["input"]) + alias_sql(step["input"], filter(None, texts))


def _derived(name: str, text: str) -> str:
    """The expression of a derived field. Beside * a field under its own name would be selected twice; in
    parentheses it is derived.
    """
    is_same = is_field(name, text) or text.strip() == quoted(name)
    return f"({name_sql(name)})" if is_same else expression_sql(text)


def _drop(step: Step) -> str:
    return (
        f"SELECT * EXCEPT ({', '.join(map(name_sql, step['fields']))})\nFROM {reference_sql(step['input'])}"
    )


def _rename(step: Step) -> str:
    renamed = ", ".join(f"{name_sql(old)} AS {name_sql(new)}" for old, new in step["fields"].items())
    return f"SELECT * RENAME ({renamed})\nFROM {reference_sql(step['input'])}"


def _union(step: Step) -> str:
    """UNION ALL BY NAME. UNION ALL goes by position, and mode: strict does not."""
    if "source_field" in step or len(step["inputs"]) < 2 or step.get("mode") == "strict":
        return _function(step)
    return "\nUNION ALL BY NAME\n".join(f"SELECT * FROM {reference_sql(one)}" for one in step["inputs"])


def _aggregate(step: Step) -> str:
    keys = _by_name(step.get("by", []))
    constant = next((name for name, text in keys.items() if text is not None and is_constant(text)), None)
    if constant is not None:
        raise UnsayableError(f"{constant!r} groups by a constant")
    measures = {name: measure_sql(text) for name, text in step["measures"].items()}
    window = step.get("window")
    for name, text in keys.items():
        if window and _is_bound(name if text is None else text):
            raise UnsayableError(f"{name!r} groups by a bound of the input's own windows")
    bounds = list(WINDOW_FIELDS) if window else []
    columns = [
        *bounds,
        *_columns(keys),
        *(f"{text} AS {name_sql(name)}" for name, text in measures.items()),
    ]
    texts = [text for text in (*keys.values(), *step["measures"].values()) if text is not None]
    relation = _windowed(step) if window else reference_sql(step["input"])
    lines = [f"SELECT {_lines(columns)}", f"FROM {relation}{alias_sql(step['input'], texts)}"]
    grouped = [
        *bounds,
        *(expression_sql(text) if text is not None else name_sql(name) for name, text in keys.items()),
    ]
    if grouped:
        lines.append(f"GROUP BY {', '.join(grouped)}")
    if "emit" in step:
        lines.append("EMIT FINAL" if step["emit"] == "final" else "EMIT CHANGES")
    if not window and any(name in step for name in LATENESS):
        raise UnsayableError("grace and late need a window")
    return "\n".join(lines)


def _is_bound(text: str) -> bool:
    """True for a key that GROUP BY would take for a bound of the window that it makes."""
    return expression_slice(text).enclosed.plain_name in WINDOW_FIELDS


def _windowed(step: Step) -> str:
    ((kind, given),) = step["window"].items()
    function, (_, durations, others) = next((name, row) for name, row in WINDOWS.items() if row[0] == kind)
    named = {name: given[name] for name in others if name in given}
    named |= {name: step[name] for name in LATENESS if name in step}
    arguments = [
        f"TABLE {reference_sql(step['input'])}",
        *(duration_sql(given[name]) for name in durations),
        *_arguments(named, {**others, **LATENESS}),
    ]
    return f"{function}({', '.join(arguments)})"


def measure_sql(text: str) -> str:
    """A measure; its ``where`` as FILTER (WHERE …), ``distinct(x)`` as ``count(DISTINCT x)``."""
    whole = expression_slice(text)
    depth = 0
    for at, token in enumerate(whole.tokens):
        depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
        if depth == 0 and is_word(token, "WHERE") and 0 < at < len(whole.tokens) - 1:
            return f"{_call_sql(whole.part(0, at))} FILTER (WHERE {whole.part(at + 1).text})"
    return _call_sql(whole)


def _call_sql(call: Slice) -> str:
    """A measure's call; ``distinct`` with options has no words of SQL."""
    if is_word(call.tokens[0], "DISTINCT") and len(call.tokens) > 3 and is_read_whole(call.part(2, -1)):
        return f"count(DISTINCT {call.part(2, -1).text})"
    return call.text


def _function(step: Step) -> str:
    parameters = FUNCTIONS[step["op"]]
    inputs = step["inputs"] if step["op"] == "union" else [step["input"]]
    given = {name: step[name] for name in parameters if step.get(name) is not None}
    arguments = [*(f"TABLE {reference_sql(one)}" for one in inputs), *_arguments(given, parameters)]
    texts = [text for name, value in given.items() for text in _expressions(parameters[name], value)]
    return f"SELECT *\nFROM {step['op'].upper()}({', '.join(arguments)}){alias_sql(inputs[0], texts)}"


def _expressions(kind: Kind, value: Any) -> list[str]:
    match kind:
        case Kind.EXPRESSION:
            return [value]
        case Kind.EXPRESSIONS:
            return list(value.values())
        case _:
            return []


def _arguments(given: Mapping[str, Any], parameters: Mapping[str, Kind]) -> list[str]:
    return [f"{name} => {_argument(parameters[name], value)}" for name, value in given.items()]


def _argument(kind: Kind, value: Any) -> str:
    match kind:
        case Kind.NAME:
            return name_sql(value)
        case Kind.NAMES if not value:
            raise UnsayableError("it has no fields")
        case Kind.NAMES:
            return f"({', '.join(map(name_sql, value))})"
        case Kind.DURATION:
            return _duration_or_word(value)
        case Kind.EXPRESSION:
            return expression_sql(value)
        case Kind.EXPRESSIONS:
            return f"({', '.join(_named(expression_sql(text), name) for name, text in value.items())})"
        case Kind.TYPES:
            return f"({', '.join(f'{name_sql(name)} AS {type_sql(text)}' for name, text in value.items())})"
        case _:
            return value_sql(value)


def _named(text: str, name: str) -> str:
    return f"{text} AS {name_sql(name)}"


def _duration_or_word(text: str) -> str:
    """A duration as an interval; a word such as exact, in quotes."""
    return value_sql(text) if text.strip().isalpha() else duration_sql(text)


def _by_name(fields: Any) -> dict[str, str | None]:
    """Fields and their expressions; None for a field as it is."""
    if isinstance(fields, Mapping):
        return {name: None if is_field(name, text) else text for name, text in fields.items()}
    return dict.fromkeys(fields)


def _columns(fields: Mapping[str, str | None]) -> list[str]:
    return [
        name_sql(name) if text is None else _named(expression_sql(text), name)
        for name, text in fields.items()
    ]


def _lines(columns: Sequence[str]) -> str:
    """A select list: on one line if it fits, else a column a line. It begins with ALL where its first word
    would make it SELECT DISTINCT.
    """
    if not columns:
        raise UnsayableError("it has no fields")
    if _DISTINCT.match(columns[0]):
        columns = [f"ALL {columns[0]}", *columns[1:]]
    line = ", ".join(columns)
    return line if len(line) <= LINE else ",\n".join(f"  {column}" for column in columns).lstrip()


CLAUSES: Final[dict[str, Callable[[Step], str]]] = {
    "filter": _filter,
    "select": _select,
    "derive": _derive,
    "drop": _drop,
    "rename": _rename,
    "union": _union,
    "aggregate": _aggregate,
}
"""Operators with clauses of their own; the others are `JOINS` and table functions."""
