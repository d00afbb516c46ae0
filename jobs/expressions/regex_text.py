"""A regular expression written anew from its tree, in words that RE2, its Java port and Java's own engine
read alike.

Nothing is left to what an engine takes a class or an end to be: ``.``, ``\\d``, ``\\w``, ``\\s`` and sets
become code points.
"""

from typing import Final

from jobs.expressions.regex_tree import Assertion, Choice, Group, Regex, Repeat, Row, Sign

_PLACES: Final = {"^": r"\A", "$": r"\z", "b": r"\b", "B": r"\B"}


def regex_text(node: Regex) -> str:
    """The pattern of a tree."""
    match node:
        case Sign():
            return _sign(node)
        case Assertion(kind):
            return _PLACES[kind]
        case Group(inside, holds):
            return f"({'' if holds else '?:'}{regex_text(inside)})"
        case Row(parts):
            return "".join(map(regex_text, parts))
        case Choice(branches):
            return "|".join(map(regex_text, branches))
        case Repeat(inside, min_count, max_count, lazy):
            return f"{regex_text(inside)}{_times(min_count, max_count)}{'?' if lazy else ''}"


def _times(min_count: int, max_count: int | None) -> str:
    if max_count is None:
        return {0: "*", 1: "+"}.get(min_count, f"{{{min_count},}}")
    if (min_count, max_count) == (0, 1):
        return "?"
    return f"{{{min_count}}}" if min_count == max_count else f"{{{min_count},{max_count}}}"


def _sign(sign: Sign) -> str:
    single = len(sign.ranges) == 1 and sign.ranges[0][0] == sign.ranges[0][1]
    if single and not sign.named and not sign.negated:
        return _code(sign.ranges[0][0])
    ranges = [
        _code(first) if first == last else f"{_code(first)}-{_code(last)}" for first, last in sign.ranges
    ]
    return f"[{'^' if sign.negated else ''}{''.join(ranges)}{''.join(sign.named)}]"


def _code(code: int) -> str:
    letter = chr(code)
    return letter if letter.isascii() and letter.isalnum() else f"\\x{{{code:x}}}"
