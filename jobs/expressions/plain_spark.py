"""Spark SQL that was written for an engine, for a Spark without Weir's classes: pattern functions become
Spark's own.

They give the same answers, but search with Java's engine, which can take long for some patterns.
"""

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final

_SPARK: Final = {
    "weir_like": "({0} LIKE {1})",
    "weir_regexp_like": "({0} RLIKE {1})",
    "weir_regexp_substr": "regexp_substr({0}, {1})",
    "weir_regexp_instr": "regexp_instr({0}, {1})",
    "weir_regexp_count": "regexp_count({0}, {1})",
    "weir_regexp_extract": "regexp_extract({0}, {1}, {2})",
    "weir_regexp_extract_all": "regexp_extract_all({0}, {1}, {2})",
    "weir_regexp_replace": "regexp_replace({0}, {1}, {2})",
    # A script has its Spark for itself: sizes are not looked at.
    "weir_replace": "replace({0}, {1}, {2})",
    "weir_size": "0L",
}
_CALL: Final = re.compile(r"(weir_[a-z_]+)\(|'(?:[^'\\]|\\.)*'|`(?:[^`]|``)*`|[(),]", re.DOTALL)
_WORD: Final = "[0-9A-Z_a-z]"
# In a literal of Spark SQL a backslash stands twice. Java's own edge of a word is one of Unicode.
_EDGES: Final = {
    r"\\b": f"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))",
    r"\\B": f"(?:(?<={_WORD})(?={_WORD})|(?<!{_WORD})(?!{_WORD}))",
}


def with_plain_sql(value: Any) -> Any:
    """A value (a dataclass, a collection, a text) with every Spark SQL inside it as `plain_sql`."""
    match value:
        case str():
            return plain_sql(value)
        case Mapping():
            return {key: with_plain_sql(part) for key, part in value.items()}
        case tuple() if type(value) is tuple:
            return tuple(map(with_plain_sql, value))
        case list():
            return list(map(with_plain_sql, value))
        case _:
            return _with_plain_fields(value)


def _with_plain_fields(value: Any) -> Any:
    """A dataclass with plain SQL in its fields; anything else as it is."""
    if not is_dataclass(value) or isinstance(value, type):
        return value
    parts = {one.name: getattr(value, one.name) for one in fields(value) if one.init}
    changed = {name: new for name, part in parts.items() if (new := with_plain_sql(part)) != part}
    return replace(value, **changed) if changed else value


def uses_patterns(sql: str) -> bool:
    """Whether a text of Spark SQL calls a function that `plain_sql` would write in another way."""
    return any(found.group(1) in _SPARK for found in _CALL.finditer(sql))


def plain_sql(sql: str) -> str:
    """The same in functions of Spark alone."""
    if "weir_" not in sql:
        return sql
    return _Rewriting(sql).rewrite()


class _Rewriting:
    """One pass over a text; `_open` holds, for each open parenthesis,
    the call that it belongs to and its arguments so far.
    """

    def __init__(self, sql: str) -> None:
        self._sql = sql
        self._open: list[tuple[str, list[str]]] = [("", [""])]

    def rewrite(self) -> str:
        at = 0
        for found in _CALL.finditer(self._sql):
            self._add(self._sql[at : found.start()])
            self._take(found.group(), found.group(1))
            at = found.end()
        self._add(self._sql[at:])
        return self._open[0][1][0]

    def _add(self, text: str) -> None:
        self._open[-1][1][-1] += text

    def _take(self, text: str, name: str | None) -> None:
        if name is not None:
            self._open.append((name, [""]))
        elif text == "(":
            self._open.append(("", [""]))
        elif text == ")" and len(self._open) > 1:
            called, arguments = self._open.pop()
            self._add(_written(called, arguments))
        elif text == "," and self._open[-1][0]:
            self._open[-1][1].append("")
        else:
            self._add(text)


def _written(called: str, arguments: list[str]) -> str:
    template = _SPARK.get(called)
    if template is None:
        return f"{called}({','.join(arguments)})"
    given = [argument.strip() for argument in arguments]
    if called.startswith("weir_regexp_"):
        given[1] = re.sub(r"\\\\[bB]", lambda edge: _EDGES[edge.group()], given[1])
    if called == "weir_regexp_replace":
        # Java reads on while more digits make a group: $01 would be the first one.
        given[2] = re.sub(r"\$0(?=[0-9])", lambda _: "$0" + "\\\\", given[2])
    return template.format(*given)
