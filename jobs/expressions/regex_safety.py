"""Literal patterns of LIKE and of regular expressions: which are taken, and why none of them takes more than
linear time.

A regular expression is run by RE2 here and by a Java port of it in jobs: an automaton is made while a text is
read, and a character costs some nanoseconds when its step is known. `states_of` counts the steps that there
are to know, and a pattern with too many is refused. Finding every match is many searches; `walks_back` says
for which patterns these could add up to more than the text's length.
"""

import re
from functools import lru_cache
from typing import Final

from jobs.expressions.regex_states import TooManyStates, states_of
from jobs.expressions.regex_text import regex_text
from jobs.expressions.regex_tree import (
    Assertion,
    Choice,
    Group,
    Regex,
    RegexError,
    Repeat,
    Row,
    Sign,
    can_be_empty,
    children,
    parse_regex,
)

MAX_PATTERN: Final = 300  # characters
MAX_SIZE: Final = 200  # single characters of a pattern, each as often as it is repeated
MAX_GROUPS: Final = 9  # $1 to $9 in a replacement
MAX_STATES: Final = 2_000  # of the automaton that a text can make of a pattern
_MAX_STEPS: Final = 500_000  # to look at in order to count them: a tenth of a second or two

_LIKE: Final = re.compile(r"(?:[^\\]|\\[%_\\])*", re.DOTALL)


def like_complaint(pattern: str) -> str | None:
    """What is wrong with a LIKE pattern, or None."""
    if len(pattern) > MAX_PATTERN:
        return f"The pattern has {len(pattern)} characters; the limit is {MAX_PATTERN}."
    if not _LIKE.fullmatch(pattern):
        return "In a LIKE pattern, a backslash must be followed by %, _ or another backslash."
    return None


def regex_complaint(pattern: str) -> str | None:
    """What is wrong with a regular expression, or None."""
    if len(pattern) > MAX_PATTERN:
        return f"The pattern has {len(pattern)} characters; the limit is {MAX_PATTERN}."
    try:
        tree = _tree(pattern)
    except RegexError as error:
        return str(error)
    except RecursionError:
        return "The groups of the pattern are nested too deeply."
    if (size := _size(tree)) > MAX_SIZE:
        return f"With its repetitions expanded, the pattern has {size} characters; the limit is {MAX_SIZE}."
    if (groups := group_count(pattern)) > MAX_GROUPS:
        return (
            f"The pattern has {groups} groups; the limit is {MAX_GROUPS}. Use (?: for groups that you "
            "don't extract."
        )
    if _has_many_states(pattern):
        return (
            "A counted repetition can start at too many positions, which could make the search slow. "
            "Start the pattern with ^, use smaller counts, or repeat without a count, as in .* or [a-z]+."
        )
    return None


def every_match_complaint(pattern: str) -> str | None:
    """The same of one whose every match is looked for."""
    if (complaint := regex_complaint(pattern)) is not None:
        return complaint
    if walks_back(_tree(pattern)):
        return (
            "An unbounded repetition in an optional part could make the search slow. Limit how often it "
            "repeats, as in {0,20}."
        )
    return None


@lru_cache(maxsize=500)
def canonical_regex(pattern: str) -> str:
    """The pattern as the engines are given it; of one without complaint."""
    return regex_text(_tree(pattern))


@lru_cache(maxsize=500)
def group_count(pattern: str) -> int:
    """Groups of a pattern that hold what they matched."""
    return _groups(_tree(pattern))


@lru_cache(maxsize=500)
def has_category(pattern: str) -> bool:
    """Whether the pattern names Unicode categories, of which each engine has the tables of its own version of
    Unicode.
    """
    return _names(_tree(pattern))


def can_match_nothing(pattern: str) -> bool:
    """True if a pattern without complaint can match the empty text."""
    return can_be_empty(_tree(pattern))


@lru_cache(maxsize=500)
def _tree(pattern: str) -> Regex:
    return parse_regex(pattern)


@lru_cache(maxsize=500)
def _has_many_states(pattern: str) -> bool:
    try:
        states_of(_tree(pattern), MAX_STATES, _MAX_STEPS)
    except TooManyStates:
        return True
    return False


def _groups(node: Regex) -> int:
    return int(isinstance(node, Group) and node.holds) + sum(map(_groups, children(node)))


def _names(node: Regex) -> bool:
    return bool(node.named) if isinstance(node, Sign) else any(map(_names, children(node)))


def _size(node: Regex) -> int:
    """Single characters, conditions and branches of the pattern with bounded repetitions written out."""
    inside = sum(map(_size, children(node)))
    match node:
        case Sign() | Assertion():
            return 1
        case Choice(branches):
            return inside + len(branches)
        case Repeat(_, min_count, max_count):
            return inside * max(1, min_count + 1 if max_count is None else max_count)
        case _:
            return inside


def walks_back(node: Regex, *, ends: bool = True, always: bool = True) -> bool:
    """Whether looking for every match could take time in the order of the text's length squared.

    A search reads on behind a match while an alternative that it prefers may still match more. What it has
    read in vain is read again by the next search. That is no more than a pattern's size when each open
    repetition either

    - can end the match after each of its rounds (`ends`), so that reading on makes the match longer; or
    - repeats one character and lies on the way of every match (`always`): the next match passes through the
      repetition too, and where the search that read on was inside it then, it would have found that match's
      end itself.

    Args:
        node: a part of the pattern.
        ends: nothing that must match follows the part.
        always: every match passes through the part.
    """
    match node:
        case Sign() | Assertion():
            return False
        case Group(inside):
            return walks_back(inside, ends=ends, always=always)
        case Choice(branches):
            return any(walks_back(branch, ends=ends, always=False) for branch in branches)
        case Row(parts):
            return _row_walks_back(parts, ends=ends, always=always)
        case Repeat():
            return _repeat_walks_back(node, ends=ends, always=always)


def _row_walks_back(parts: tuple[Regex, ...], *, ends: bool, always: bool) -> bool:
    behind = [ends and all(map(_free, parts[index + 1 :])) for index in range(len(parts))]
    return any(walks_back(part, ends=at, always=always) for part, at in zip(parts, behind, strict=True))


def _repeat_walks_back(node: Repeat, *, ends: bool, always: bool) -> bool:
    if node.max_count is None and not ends and not (always and _single(node.inside)):
        return True
    return walks_back(node.inside, ends=ends and node.min_count <= 1, always=False)


def _free(node: Regex) -> bool:
    """Whether it can match the empty text at any position."""
    return can_be_empty(node) and not _has_assertion(node)


def _has_assertion(node: Regex) -> bool:
    return isinstance(node, Assertion) or any(map(_has_assertion, children(node)))


def _single(node: Regex) -> bool:
    return isinstance(node, Sign) or (isinstance(node, Group) and _single(node.inside))
