"""Literal patterns of LIKE and of regular expressions, kept from stalling an engine.

Java's matcher backtracks: a repeated group that itself repeats or branches takes time exponential in the text. The lint
knows a small part of the syntax and refuses the rest.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

MAX_PATTERN: Final = 300
MAX_WILDCARDS: Final = 6
MAX_UNBOUNDED: Final = 12
MAX_REPEAT: Final = 1_000
FREE_TEXT: Final = 1_000_000
"""The length of the longest record."""

_BOUNDS: Final = (FREE_TEXT, FREE_TEXT, 10_000, 500, 100)
_FEW: Final = 20
_SAMPLE: Final = frozenset(map(chr, range(1, 128))) | {"é", "Ж", "中", "\u2028"}

_TOKEN: Final = re.compile(
    r"""(?P<escape>\\[dDwWsSbBtnr]|\\[pP]\{[A-Za-z]{1,20}\}|\\[^A-Za-z0-9])
    |(?P<set>\[\^?(?:\\[dDwWsStnr]|\\[pP]\{[A-Za-z]{1,20}\}|\\[^A-Za-z0-9]|[^\]\[\\&])+\])
    |(?P<open>\((?:\?:)?(?!\?))
    |(?P<close>\))
    |(?P<repeat>(?:[*+?]|\{\d{1,4}(?:,\d{0,4})?\})[?+]?)
    |(?P<branch>\|)
    |(?P<plain>[^\\\[\]()*+?{}|])""",
    re.VERBOSE,
)


def like_complaint(pattern: str) -> str | None:
    """What is wrong with a LIKE pattern, or None."""
    if len(pattern) > MAX_PATTERN:
        return f"The pattern has {len(pattern)} characters; {MAX_PATTERN} are allowed."
    if not re.fullmatch(r"(?:[^\\]|\\[%_\\])*", pattern, re.DOTALL):
        return "In a LIKE pattern a backslash stands only before %, _ or another backslash."
    if pattern.replace("\\%", "").count("%") > MAX_WILDCARDS:
        return f"A LIKE pattern may hold % {MAX_WILDCARDS} times."
    return None


def regex_complaint(pattern: str) -> str | None:
    """What is wrong with a regular expression, or None."""
    if len(pattern) > MAX_PATTERN:
        return f"The pattern has {len(pattern)} characters; {MAX_PATTERN} are allowed."
    complaint = _Lint(pattern).run()
    if complaint is None and text_bound(pattern) == 0:
        return "The pattern can match the same text in too many ways; put something between its repetitions that they do not match."
    return complaint


def group_count(pattern: str) -> int:
    """Groups of a pattern that hold what they matched."""
    return sum(found.group() == "(" for found in _TOKEN.finditer(pattern) if found.lastgroup == "open")


def text_bound(pattern: str) -> int:
    """How long a text may be for this pattern: the longer, the fewer of its repetitions can match the same characters.

    With c repetitions that overlap each other, a search that fails takes time in the order of (length of the text) to the
    power of c, and once more for every place where a match may begin.
    """
    steps = _ambiguous(pattern) + (not pattern.startswith("^") or "|" in pattern)
    return _BOUNDS[steps] if steps < len(_BOUNDS) else 0


def _ambiguous(pattern: str) -> int:
    """The greatest number of repetitions that can share characters, with nothing between them that tells them apart."""
    parts = _parts(pattern)
    if parts and parts[-1].repeats and not pattern.endswith(("$", "\\b", "\\B", ")")):
        parts.pop()  # at the end it takes what there is and never goes back
    worst = 0
    for at, part in enumerate(parts):
        if not part.repeats:
            continue
        shared, count = part.signs, 1
        for other in parts[at + 1 :]:
            if other.least and not (other.signs & shared) and "|" not in pattern:
                break
            count += other.repeats and bool(other.signs & shared)
        worst = max(worst, count)
    return worst


@dataclass(frozen=True, slots=True)
class _Part:
    """An atom with its repetition; `signs` are those of a sample of characters that it matches."""

    signs: frozenset[str]
    least: int
    repeats: bool


def _parts(pattern: str) -> list[_Part]:
    """Atoms in order, as if groups were not there; a repeated group counts as each of its atoms repeated."""
    parts: list[_Part] = []
    begins: list[int] = []
    closed, before = 0, ""
    for found in _TOKEN.finditer(pattern):
        kind, text = str(found.lastgroup), found.group()
        if kind == "open":
            begins.append(len(parts))
        elif kind == "close":
            closed = begins.pop() if begins else 0
        elif kind == "repeat":
            least, most = _times(text)
            first = closed if before == "close" else len(parts) - 1
            parts[first:] = [_Part(p.signs, min(p.least, least), p.repeats or most > _FEW) for p in parts[first:]]
        elif kind != "branch" and text not in ("^", "$", "\\b", "\\B"):
            parts.append(_Part(_signs(text), 1, False))
        before = kind
    return parts


def _times(text: str) -> tuple[int, int]:
    numbers = re.findall(r"\d+", text)
    if numbers:
        return int(numbers[0]), int(numbers[-1]) if len(numbers) == 2 or "," not in text else MAX_REPEAT
    return int(text[0] == "+"), 1 if text[0] == "?" else MAX_REPEAT


@lru_cache(maxsize=500)
def _signs(atom: str) -> frozenset[str]:
    if "\\p" in atom or "\\P" in atom:
        return _SAMPLE
    return frozenset(sign for sign in _SAMPLE if re.fullmatch(atom, sign, re.DOTALL))


class _Lint:
    """One pass over a pattern. For each open group: has anything inside it repeated or branched?"""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.inside: list[bool] = [False]
        self.closed: bool | None = None  # of the group that has just been closed
        self.atom = False
        self.unbounded = 0

    def run(self) -> str | None:
        at = 0
        while at < len(self.pattern):
            found = _TOKEN.match(self.pattern, at)
            if found is None:
                return f"The pattern uses syntax that is not allowed, at {self.pattern[at : at + 8]!r}."
            if complaint := self._take(str(found.lastgroup), found.group()):
                return complaint
            at = found.end()
        return None if len(self.inside) == 1 else "A group of the pattern is not closed."

    def _take(self, kind: str, text: str) -> str | None:
        if kind == "repeat":
            return self._repeat(text)
        closed = None
        if kind == "open":
            self.inside.append(False)
        elif kind == "close":
            if len(self.inside) == 1:
                return "The pattern closes a group that is not open."
            closed = self.inside.pop()
            self.inside[-1] |= closed
        elif kind == "branch":
            self.inside[-1] = True
        self.closed, self.atom = closed, kind not in ("open", "branch")
        return None

    def _repeat(self, text: str) -> str | None:
        if not self.atom:
            return f"Nothing stands before {text!r} in the pattern."
        optional = text[0] == "?" or text.startswith("{0,1}")
        if any(int(number) > MAX_REPEAT for number in re.findall(r"\d+", text)):
            return f"A pattern may repeat {MAX_REPEAT} times at most."
        if self.closed and not optional:
            return "A repeated group of the pattern must not repeat or branch inside."
        self.unbounded += text[0] in "*+" or text.endswith((",}", ",}?", ",}+"))
        if self.unbounded > MAX_UNBOUNDED:
            return f"A pattern may hold {MAX_UNBOUNDED} open repetitions."
        self.inside[-1] |= not optional
        self.atom, self.closed = False, None
        return None
