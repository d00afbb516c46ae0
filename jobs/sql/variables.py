"""The variables of lambdas in an expression, and how far each is known."""

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from jobs.sql.tokens import CLOSING, OPENING, name_of

_MOST: Final = 8
"""Tokens of the variables of a lambda: two names, a comma, parentheses, and some more."""


@dataclass(frozen=True)
class Variables:
    """Attributes:
    bodies: variable → first token and one past the last of each outermost lambda that has it, in order; a
        lambda begins with its variables.
    """

    bodies: dict[str, list[tuple[int, int]]]

    def __contains__(self, name: object) -> bool:
        return name in self.bodies

    def hide(self, name: str, at: int) -> bool:
        """True if the name, at this token, is a variable."""
        bodies = self.bodies.get(name, [])
        before = bisect_right(bodies, at, key=lambda body: body[0])
        return before > 0 and at < bodies[before - 1][1]


def variables_of(tokens: tuple[Token, ...]) -> Variables:
    """The variables of all lambdas in an expression."""
    found = _Bodies()
    for at, token in enumerate(tokens):
        if token.token_type in OPENING:
            found.levels.append([])
        elif token.token_type == TokenType.COMMA:
            found.close(at)
        elif token.token_type in CLOSING:
            found.close(at)
            found.leave()
        elif token.token_type == TokenType.ARROW:
            found.open(*_before_arrow(tokens, at))
    found.close(len(tokens))
    while found.leave():
        found.close(len(tokens))
    return Variables(found.bodies)


@dataclass
class _Bodies:
    """Attributes:
    bodies: as of `Variables`, those that are closed.
    depths: number of open lambdas by variable.
    begins: where the outermost of them begins.
    levels: variables of the open lambdas, by bracket.
    """

    bodies: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    depths: Counter[str] = field(default_factory=Counter)
    begins: dict[str, int] = field(default_factory=dict)
    levels: list[list[str]] = field(default_factory=lambda: [[]])

    def open(self, at: int, names: list[str]) -> None:
        """A lambda begins at this token, with these variables."""
        for name in names:
            if not self.depths[name]:
                self.begins[name] = at
            self.depths[name] += 1
        self.levels[-1] += names

    def close(self, end: int) -> None:
        """The lambdas of this bracket end."""
        for name in self.levels[-1]:
            self.depths[name] -= 1
            if not self.depths[name]:
                self.bodies.setdefault(name, []).append((self.begins[name], end))
        self.levels[-1].clear()

    def leave(self) -> bool:
        """A bracket closes; False if none is open."""
        if len(self.levels) == 1:
            return False
        self.levels.pop()
        return True


def _before_arrow(tokens: tuple[Token, ...], at: int) -> tuple[int, list[str]]:
    """Where the names before ``->`` begin, which stand alone or in parentheses, and these."""
    if at == 0:
        return 0, []
    begin = at - 1
    if tokens[begin].token_type == TokenType.R_PAREN:
        begin -= 1
        while begin > 0 and tokens[begin].token_type != TokenType.L_PAREN and at - begin < _MOST:
            begin -= 1
    return begin, [name for one in tokens[begin:at] if (name := name_of(one)) is not None]
