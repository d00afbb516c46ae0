"""A regular expression as a tree: the part of the syntax that RE2 and Java read alike, and nothing else."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

Ranges = tuple[tuple[int, int], ...]
"""Code points, as first and last of each range, in order."""

LAST: Final = 0x10FFFF
_TOKEN: Final = re.compile(
    r"""(?P<escape>\\(?:[dDwWsSbBtnr]|[pP]\{[A-Za-z]{1,20}\}|[^A-Za-z0-9]))
    |(?P<set>\[\^?(?:\\[dDwWsStnr]|\\[pP]\{[A-Za-z]{1,20}\}|\\[^A-Za-z0-9]|[^\]\[\\])+\])
    |(?P<open>\((?:\?:)?(?!\?))
    |(?P<close>\))
    |(?P<repeat>(?:[*+?]|\{\d{1,4}(?:,\d{0,4})?\})\??(?![*+?{]))
    |(?P<branch>\|)
    |(?P<plain>[^\\\[\]()*+?{}|])""",
    re.VERBOSE | re.DOTALL,
)
_MEMBER: Final = re.compile(r"\\[pP]\{[A-Za-z]+\}|\\.|.", re.DOTALL)
_ANY: Final[Ranges] = ((0, 9), (11, 12), (14, 0x84), (0x86, 0x2027), (0x202A, LAST))
_WORD: Final[Ranges] = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_CLASSES: Final[dict[str, Ranges]] = {"d": ((0x30, 0x39),), "w": _WORD, "s": ((9, 13), (32, 32))}
_CONTROLS: Final = {"t": 9, "n": 10, "r": 13}
_CATEGORIES: Final = frozenset(
    (
        "L",
        "Lu",
        "Ll",
        "Lt",
        "Lm",
        "Lo",
        "M",
        "Mn",
        "Mc",
        "Me",
        "N",
        "Nd",
        "Nl",
        "No",
        "P",
        "Pc",
        "Pd",
        "Ps",
        "Pe",
        "Pi",
        "Pf",
        "Po",
        "S",
        "Sm",
        "Sc",
        "Sk",
        "So",
        "Z",
        "Zs",
        "Zl",
        "Zp",
    )
)


class RegexError(ValueError):
    """The text is no regular expression of this syntax; the message says why."""


@dataclass(frozen=True, slots=True)
class Sign:
    """One character out of `ranges` or of the Unicode categories `named`, such as ``\\p{L}``; `negated`:
    out of all others.
    """

    ranges: Ranges
    named: tuple[str, ...] = ()
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Assertion:
    """A condition on a position: ``^`` and ``$`` are the text's ends,
    ``b`` and ``B`` the edge of a word of ASCII, and none.
    """

    kind: str


@dataclass(frozen=True, slots=True)
class Group:
    """A part in parentheses; `holds`: what it matched can be asked for."""

    inside: "Regex"
    holds: bool


@dataclass(frozen=True, slots=True)
class Row:
    """Parts that follow each other; of none, the empty text."""

    parts: tuple["Regex", ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """The first of these that leads to a match."""

    branches: tuple["Regex", ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part several times, as often as can be, or with `lazy` as seldom. `max_count` None: any number."""

    inside: "Regex"
    min_count: int
    max_count: int | None
    lazy: bool


Regex = Sign | Assertion | Group | Row | Choice | Repeat


def parse_regex(pattern: str) -> Regex:
    """The tree of a pattern.

    Raises:
        RegexError: it holds what is not part of this syntax, or what can be empty is repeated.
    """
    return _Parser(list(_tokens(pattern))).parse()


def children(node: Regex) -> tuple[Regex, ...]:
    """The direct parts of a node."""
    match node:
        case Row(parts):
            return parts
        case Choice(branches):
            return branches
        case Group(inside) | Repeat(inside):
            return (inside,)
        case _:
            return ()


def can_be_empty(node: Regex) -> bool:
    """Whether it can match the empty text, at some position."""
    match node:
        case Sign():
            return False
        case Assertion():
            return True
        case Row(parts):
            return all(map(can_be_empty, parts))
        case Choice(branches):
            return any(map(can_be_empty, branches))
        case Group(inside):
            return can_be_empty(inside)
        case Repeat(inside, min_count):
            return min_count == 0 or can_be_empty(inside)


def _tokens(pattern: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(pattern):
        found = _TOKEN.match(pattern, at)
        if found is None:
            raise RegexError(f"Unsupported pattern syntax at {pattern[at : at + 8]!r}.")
        yield str(found.lastgroup), found.group()
        at = found.end()


class _Parser:
    """Rows and choices of the open groups, the innermost last."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens = tokens
        self._open: list[tuple[bool, list[list[Regex]]]] = [(False, [[]])]

    def parse(self) -> Regex:
        for kind, text in self._tokens:
            self._take(kind, text)
        if len(self._open) > 1:
            raise RegexError("The pattern has an unclosed group.")
        return _choice(self._open[0][1])

    def _take(self, kind: str, text: str) -> None:
        rows = self._open[-1][1]
        match kind:
            case "open":
                self._open.append((text == "(", [[]]))
            case "close":
                if len(self._open) == 1:
                    raise RegexError("The pattern has an unmatched closing parenthesis.")
                holds, inside = self._open.pop()
                self._open[-1][1][-1].append(Group(_choice(inside), holds))
            case "branch":
                rows.append([])
            case "repeat":
                rows[-1].append(_repeated(rows[-1].pop() if rows[-1] else None, text))
            case _:
                rows[-1].append(_atom(kind, text))


def _choice(rows: list[list[Regex]]) -> Regex:
    parts: list[Regex] = [row[0] if len(row) == 1 else Row(tuple(row)) for row in rows]
    return parts[0] if len(parts) == 1 else Choice(tuple(parts))


def _repeated(inside: Regex | None, text: str) -> Repeat:
    if inside is None or isinstance(inside, Repeat):
        raise RegexError(f"{text!r} in the pattern has nothing to repeat.")
    if can_be_empty(inside):
        raise RegexError(f"The part of the pattern before {text!r} can be empty, so it can't be repeated.")
    min_count, max_count = _bounds(text)
    return Repeat(inside, min_count, max_count, len(text) > 1 and text.endswith("?"))


def _bounds(text: str) -> tuple[int, int | None]:
    """How often at least and at most, by a sign of repetition such as ``+`` or ``{2,5}?``."""
    if text[0] in "*+?":
        return int(text[0] == "+"), 1 if text[0] == "?" else None
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    most = None if text.rstrip("?").endswith(",}") else numbers[-1]
    if most is not None and (most < numbers[0] or most == 0):
        raise RegexError(f"{text!r} isn't a valid repetition in the pattern.")
    return numbers[0], most


def _atom(kind: str, text: str) -> Regex:
    if kind == "set":
        return _set(text)
    if kind == "escape":
        return Assertion(text[1]) if text in ("\\b", "\\B") else _member(text)
    if text in ("^", "$"):
        return Assertion(text)
    return Sign(_ANY) if text == "." else _member(text)


def _member(text: str) -> Sign:
    if len(text) == 1:
        return Sign(((ord(text), ord(text)),))
    letter = text[1]
    if letter in "pP":
        name = text[3:-1]
        if name not in _CATEGORIES:
            raise RegexError(
                f"{text} isn't supported in patterns. General categories are, such as \\p{{L}} and \\p{{Nd}}."
            )
        return Sign((), (f"\\{letter}{{{name}}}",))
    if letter.lower() in _CLASSES:
        ranges = _CLASSES[letter.lower()]
        return Sign(ranges if letter.islower() else _others(ranges))
    code = _CONTROLS.get(letter, ord(letter))
    return Sign(((code, code),))


def _set(text: str) -> Sign:
    negated = text[1] == "^"
    inside = text[2 if negated else 1 : -1]
    if any(twice in inside for twice in ("&&", "[:", "--", "~~", "||")):
        raise RegexError(
            "A character set in the pattern is ambiguous across regex engines: put a backslash before "
            "each special character."
        )
    members = [found.group() for found in _MEMBER.finditer(inside)]
    ranges: list[tuple[int, int]] = []
    named: list[str] = []
    at = 0
    while at < len(members):
        first = _member(members[at])
        if at + 2 < len(members) and members[at + 1] == "-":
            ranges.append(_code_range(first, _member(members[at + 2]), "".join(members[at : at + 3])))
            at += 3
            continue
        ranges += first.ranges
        named += first.named
        at += 1
    return Sign(_joined(ranges), tuple(dict.fromkeys(named)), negated)


def _code_range(first: Sign, last: Sign, text: str) -> tuple[int, int]:
    single = all(len(one.ranges) == 1 and one.ranges[0][0] == one.ranges[0][1] for one in (first, last))
    if not single or first.ranges[0][0] > last.ranges[0][0]:
        raise RegexError(f"{text!r} isn't a valid range of characters in the pattern.")
    return first.ranges[0][0], last.ranges[0][0]


def _joined(ranges: list[tuple[int, int]]) -> Ranges:
    """In order, those that touch as one."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], last)
        else:
            found.append((first, last))
    return tuple(found)


def _others(ranges: Ranges) -> Ranges:
    edges = [(-1, -1), *ranges, (LAST + 1, LAST + 1)]
    return tuple(
        (before[1] + 1, after[0] - 1) for before, after in pairwise(edges) if before[1] + 1 < after[0]
    )
