"""Which row is which expected one, in any order.

An expected row that leaves fields out may be like several rows, so that taking the first that fits could
miss a row that is there: pairs are exchanged until as many as possible fit (a maximum matching).
"""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pairs:
    """Indexes of expected and got rows.

    Attributes:
        same: expected and got row that fit.
        differing: expected and got row that are one row with other values.
        missing: expected rows without one.
        unexpected: rows that nobody expected.
    """

    same: tuple[tuple[int, int], ...]
    differing: tuple[tuple[int, int], ...]
    missing: tuple[int, ...]
    unexpected: tuple[int, ...]


def pair_rows(
    expected: int, got: int, fits: Callable[[int, int], bool], likeness: Callable[[int, int], int]
) -> Pairs:
    """Pair expected rows with rows.

    Args:
        expected: how many there are.
        got: how many rows there are.
        fits: whether a row is the expected one.
        likeness: how much a row that does not fit is like an expected one; 0: they are not the same row.
    """
    options = [[row for row in range(got) if fits(wanted, row)] for wanted in range(expected)]
    taken: dict[int, int] = {}
    for wanted in range(expected):
        _take(wanted, options, taken)
    same = sorted((wanted, row) for row, wanted in taken.items())
    found = {wanted for wanted, _ in same}
    left = [wanted for wanted in range(expected) if wanted not in found]
    rows = [row for row in range(got) if row not in taken]
    differing = _most_alike(left, rows, likeness)
    paired = {wanted for wanted, _ in differing}, {row for _, row in differing}
    return Pairs(
        tuple(same),
        tuple(differing),
        tuple(wanted for wanted in left if wanted not in paired[0]),
        tuple(row for row in rows if row not in paired[1]),
    )


def _take(wanted: int, options: list[list[int]], taken: dict[int, int]) -> None:
    """Give an expected row one of its rows, where others can take another one instead.

    A breadth-first search for a path of exchanges; it changes nothing where there is none.
    """
    came_from: dict[int, int] = {}
    waiting = [wanted]
    while waiting:
        asking = waiting.pop(0)
        for row in options[asking]:
            if row in came_from:
                continue
            came_from[row] = asking
            if row not in taken:
                _exchange(row, wanted, came_from, taken)
                return
            waiting.append(taken[row])


def _exchange(row: int, wanted: int, came_from: dict[int, int], taken: dict[int, int]) -> None:
    while True:
        asking = came_from[row]
        before = next((held for held, owner in taken.items() if owner == asking), None)
        taken[row] = asking
        if asking == wanted or before is None:
            return
        row = before


def _most_alike(
    wanted: list[int], rows: list[int], likeness: Callable[[int, int], int]
) -> list[tuple[int, int]]:
    scores = sorted(((likeness(one, row), -one, -row) for one in wanted for row in rows), reverse=True)
    pairs: list[tuple[int, int]] = []
    used: tuple[set[int], set[int]] = (set(), set())
    for score, one, row in scores:
        if score > 0 and -one not in used[0] and -row not in used[1]:
            pairs.append((-one, -row))
            used[0].add(-one)
            used[1].add(-row)
    return sorted(pairs)
