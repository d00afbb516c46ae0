"""Names of metrics and labels in PromQL expressions, as far as those of deploy/ need it."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_TEXT: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_RANGE: Final = re.compile(r"\[[^\]]*\]")
_GROUPING: Final = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)")
_SELECTOR: Final = re.compile(r"([a-z_:][a-z0-9_:]*)\s*(\{[^}]*\})?(?!\s*\()", re.IGNORECASE)
_LABEL: Final = re.compile(r"([a-z_][a-z0-9_]*)\s*(?:=~|!~|!=|=)", re.IGNORECASE)
_WORDS: Final = frozenset(("and", "or", "unless", "offset", "bool", "m", "s", "h", "d", "inf", "nan"))


class Selector(NamedTuple):
    """A metric in an expression, and the labels by which its series are chosen."""

    metric: str
    labels: frozenset[str]


def selectors(expression: str) -> list[Selector]:
    """The metrics that an expression reads.

    Args:
        expression: PromQL, or a `label_values` query of a Grafana variable.
    """
    plain = _GROUPING.sub(" ", _RANGE.sub(" ", _TEXT.sub('""', expression)))
    label_values = re.fullmatch(r"label_values\((.+),\s*\w+\)", plain)
    return list(_selectors(label_values[1] if label_values else plain))


def grouped_labels(expression: str) -> set[str]:
    """The labels by which an expression groups or matches."""
    found = {name.strip() for names in _GROUPING.findall(expression) for name in names.split(",")}
    asked = re.fullmatch(r"label_values\(.+,\s*(\w+)\)", expression)
    return (found | ({asked[1]} if asked else set())) - {""}


def _selectors(plain: str) -> Iterator[Selector]:
    for match in _SELECTOR.finditer(plain):
        before = plain[match.start() - 1 : match.start()]
        name = match[1]
        if name.lower() in _WORDS or before.isalnum() or before == "_" or _is_call(plain, match.end(1)):
            continue
        yield Selector(name, frozenset(_LABEL.findall(match[2] or "")))


def _is_call(plain: str, end: int) -> bool:
    rest = plain[end:].lstrip()
    return rest.startswith("(") or bool(re.match(r"[a-z0-9_:]", plain[end : end + 1], re.IGNORECASE))
