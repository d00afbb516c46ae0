"""How many states an engine can come to hold for a regular expression: what a search costs when a text is
made to meet them all.

RE2 and its Java port search with an automaton that is made while a text is read. A character costs next to
nothing when its step is known, some microseconds when it is new, and where the states do not end, the search
goes on with all positions of the pattern at once, for up to some microseconds a character.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from jobs.base.budget import spend
from jobs.expressions.regex_tree import Assertion, Choice, Group, Regex, Repeat, Row, Sign

_MATCH: Final = -1
_SIGN, _SPLIT, _ASSERTION = "sign", "split", "assertion"


class TooManyStates(Exception):  # noqa: N818  (a limit, not a fault)
    """There are more states, or finding them is more work, than was allowed."""


def states_of(tree: Regex, max_states: int, work: int) -> int:
    """States that a search forwards and one backwards from the end of a match can meet, both together.

    Characters of several bytes are counted as one step; the engines take a step for each byte.

    Args:
        tree: a pattern whose repetitions, written out, have some hundreds of characters at most.
        max_states: states to look for.
        work: steps from a position in the pattern to another to look at.

    Raises:
        TooManyStates: there are more, or they take more work.
        OverBudget: they take more work than is left to the task around (`jobs.base.budget`).
    """
    budget = _Budget(max_states, work)
    _walk(_Machine(tree, backwards=False), budget, again=True)
    _walk(_Machine(tree, backwards=True), budget, again=False)
    return max_states - budget.states


class _Budget:
    def __init__(self, states: int, work: int) -> None:
        self.states = states
        self._work = work
        self._spent = 0

    def spend(self, work: int) -> None:
        self._work -= work
        self._spent += work
        if self._work < 0:
            raise TooManyStates

    def state(self) -> None:
        spend(self._spent)  # of the whole task's budget: a document can hold thousands of patterns
        self._spent = 0
        self.states -= 1
        if self.states < 0:
            raise TooManyStates


class _Machine:
    """Positions in a pattern, with what follows each, the preferred first."""

    def __init__(self, tree: Regex, backwards: bool) -> None:
        self._backwards = backwards
        self._ends = ("$", "^") if backwards else ("^", "$")
        self._nodes: list[tuple[str, object, tuple[int, ...]]] = []
        self.start = self._add(tree, _MATCH)
        self._closures: dict[int, tuple[int, ...]] = {}

    def _node(self, kind: str, what: object, *behind: int) -> int:
        self._nodes.append((kind, what, behind))
        return len(self._nodes) - 1

    def _add(self, node: Regex, behind: int) -> int:
        match node:
            case Sign():
                return self._node(_SIGN, node, behind)
            case Assertion(kind):
                return self._node(_ASSERTION, kind, behind)
            case Group(inside):
                return self._add(inside, behind)
            case Row(parts):
                for part in parts if self._backwards else reversed(parts):
                    behind = self._add(part, behind)
                return behind
            case Choice(branches):
                return self._node(_SPLIT, None, *(self._add(branch, behind) for branch in branches))
            case Repeat(inside, min_count, max_count, lazy):
                return self._repeat(inside, min_count, max_count, lazy, behind)

    def _repeat(self, inside: Regex, min_count: int, max_count: int | None, lazy: bool, behind: int) -> int:
        def split(first: int, second: int) -> int:
            return self._node(_SPLIT, None, *((second, first) if lazy else (first, second)))

        if max_count is None:
            loop = self._node(_SPLIT, None)
            first = self._add(inside, loop)
            self._nodes[loop] = (_SPLIT, None, (behind, first) if lazy else (first, behind))
            behind = loop
        else:
            past = behind
            for _ in range(max_count - min_count):
                behind = split(self._add(inside, behind), past)
        for _ in range(min_count):
            behind = self._add(inside, behind)
        return behind

    def sign(self, at: int) -> Sign:
        """What a position holds."""
        held = self._nodes[at][1]
        assert isinstance(held, Sign)
        return held

    def behind(self, at: int) -> tuple[int, ...]:
        """Positions that follow one, the preferred first;
        `_MATCH` where the pattern ends, and nothing behind it.
        """
        return self.closure(self._nodes[at][2][0])

    def closure(self, at: int, begins: bool = False) -> tuple[int, ...]:
        """Positions that a node leads to without a character; `begins`:
        at the text's beginning, or end when read backwards.
        """
        if not begins and at in self._closures:
            return self._closures[at]
        found: dict[int, None] = {}
        seen: set[int] = set()
        pending = [at]
        while pending:
            node = pending.pop()
            if node in seen:
                continue
            seen.add(node)
            behind = self._passes_on(node, begins)
            if behind is None:
                found[node] = None
            else:
                pending += behind
        if not begins:
            self._closures[at] = tuple(found)
        return tuple(found)

    def _passes_on(self, node: int, begins: bool) -> tuple[int, ...] | None:
        """Nodes that one leads to without a character, the preferred last; None: it is a position itself."""
        if node == _MATCH:
            return None
        kind, what, behind = self._nodes[node]
        if kind == _SPLIT:
            return behind[::-1]
        if kind == _SIGN or what == self._ends[1]:  # the latter waits for the end: no character leads on
            return None
        return behind if what != self._ends[0] or begins else ()

    def is_sign(self, at: int) -> bool:
        """Whether a character leads on from a position."""
        return at != _MATCH and self._nodes[at][0] == _SIGN

    def kinds(self) -> list[frozenset[int]]:
        """Of each kind of character that the pattern tells apart, the positions that it leads on from."""
        signs = [at for at, (kind, _, _) in enumerate(self._nodes) if kind == _SIGN]
        return list(
            {
                frozenset(at for at in signs if _holds(self.sign(at), code))
                for code in _samples({self.sign(at) for at in signs})
            }
        )


def _walk(machine: _Machine, budget: _Budget, again: bool) -> None:
    """Meet every state.

    `again`: a match may begin at each character, and the first one in the pattern's order counts; else the
    longest.
    """
    kinds = machine.kinds()
    later = machine.closure(machine.start) if again else ()
    pending = [_state(machine.closure(machine.start, begins=True), again), _state(later, again)]
    seen = set(pending)
    while pending:
        state = pending.pop()
        budget.state()
        live = [at for at in state if machine.is_sign(at)]
        for kind in kinds:
            budget.spend(1 + len(live))
            found = _behind(machine, live, kind, budget)
            if _MATCH not in state:
                found += later
            step = _state(tuple(dict.fromkeys(found)), again)
            if step and step not in seen:
                seen.add(step)
                pending.append(step)


def _behind(machine: _Machine, live: list[int], kind: frozenset[int], budget: _Budget) -> list[int]:
    """Positions that follow those of this kind, in the pattern's order; some of them more than once."""
    found: list[int] = []
    for at in live:
        if at in kind:
            behind = machine.behind(at)
            budget.spend(len(behind))
            found += behind
    return found


def _state(positions: Sequence[int], first: bool) -> tuple[int, ...]:
    """Positions up to a match, behind which nothing counts;
    for the longest match all of them, in any order.
    """
    if not first:
        return tuple(sorted(positions))
    return tuple(positions[: positions.index(_MATCH) + 1]) if _MATCH in positions else tuple(positions)


def _holds(sign: Sign, code: int) -> bool:
    category = unicodedata.category(chr(code))
    held = any(first <= code <= last for first, last in sign.ranges) or any(
        category.startswith(name[3:-1]) != name.startswith("\\P") for name in sign.named
    )
    return held != sign.negated


def _samples(signs: set[Sign]) -> Iterator[int]:
    """A character of each range of Unicode that the sets tell apart."""
    yield from {
        0,
        *(
            edge
            for sign in signs
            for first, last in sign.ranges
            for edge in (first, last + 1)
            if edge <= 0x10FFFF
        ),
    }
    if any(sign.named for sign in signs):
        yield from _one_of_each_category()


@lru_cache(maxsize=1)
def _one_of_each_category() -> tuple[int, ...]:
    return tuple({unicodedata.category(chr(code)): code for code in range(0x3000)}.values())
