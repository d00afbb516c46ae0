"""Pairs of expected rows and rows: as many as possible, in any order."""

import itertools
import random

from jobs.job_tests.row_matching import Pairs, pair_rows


def paired(expected: list[set[int]], rows: int) -> Pairs:
    """Pairs, where each expected row is said by the rows that it fits."""
    return pair_rows(len(expected), rows, lambda one, row: row in expected[one], lambda one, row: 0)


def test_a_row_that_fits_several_is_left_to_the_one_that_needs_it() -> None:
    found = paired([{0, 1}, {0}], 2)
    assert found == Pairs(same=((0, 1), (1, 0)), differing=(), missing=(), unexpected=())


def test_a_chain_of_exchanges() -> None:
    found = paired([{0, 1}, {1, 2}, {0}, {0, 3}], 4)
    assert len(found.same) == 4


def test_as_many_pairs_as_any_assignment_has() -> None:
    chance = random.Random(7)
    for _ in range(300):
        rows = chance.randint(0, 5)
        expected = [
            {row for row in range(rows) if chance.random() < 0.5} for _ in range(chance.randint(0, 5))
        ]
        best = max(
            sum(row in fits for fits, row in zip(expected, order, strict=False))
            for order in itertools.permutations([*range(rows), *[None] * len(expected)], len(expected))
        )
        found = paired(expected, rows)
        assert len(found.same) == best
        assert all(row in expected[one] for one, row in found.same)
        assert len({row for _, row in found.same}) == best
        assert sorted([one for one, _ in found.same] + list(found.missing)) == list(range(len(expected)))


def test_the_most_alike_rows_differ() -> None:
    alike = {(0, 0): 1, (0, 1): 2, (1, 1): 3}
    found = pair_rows(3, 3, lambda one, row: False, lambda one, row: alike.get((one, row), 0))
    assert found == Pairs(same=(), differing=((0, 0), (1, 1)), missing=(2,), unexpected=(2,))
