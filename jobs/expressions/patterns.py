"""Literal patterns of LIKE and of regular expressions, kept from stalling an engine.

Java's matcher backtracks: a repeated group that itself repeats or branches takes time exponential in the text. The lint
knows a small part of the syntax and refuses the rest.
"""

import re
from typing import Final

MAX_PATTERN: Final = 300
MAX_WILDCARDS: Final = 6
MAX_UNBOUNDED: Final = 12
MAX_REPEAT: Final = 1_000

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
    return _Lint(pattern).run()


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
