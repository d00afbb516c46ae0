"""Sizes of tables in fixed memory."""

import random

from weir.streams.services.tables.sketch import MAX_KEYS, KeySketch, digest


def sketch_of(entries: list[tuple[str, int, bool]]) -> KeySketch:
    found = KeySketch()
    for key, version, alive in entries:
        number = digest(key)
        if found.wants(number):
            found.note(number, version, alive=alive)
    return found


def test_small_tables_are_counted() -> None:
    found = sketch_of([("a", 0, True), ("b", 0, True), ("a", 0, False), ("c", 0, True), ("c", 0, True)])
    assert (found.rows(), found.full) == (2, False)


def test_of_versions_the_greatest_counts() -> None:
    assert sketch_of([("a", 5, True), ("a", 3, False), ("b", 5, False), ("b", 9, True)]).rows() == 2


def test_exact_up_to_its_bound() -> None:
    found = sketch_of([(str(n), 0, n % 4 > 0) for n in range(MAX_KEYS)])
    assert (found.rows(), found.full) == (MAX_KEYS * 3 // 4, False)


def test_large_tables_are_estimated_in_the_same_memory() -> None:
    chance = random.Random(3)
    entries = [(str(n), 0, True) for n in range(60_000)] + [(str(n), 0, False) for n in range(0, 60_000, 2)]
    chance.shuffle(entries)
    last = {key: alive for key, _, alive in entries}
    found = sketch_of(entries)
    assert found.full
    assert len(found.entries) == MAX_KEYS
    assert abs(found.rows() - sum(last.values())) < 0.07 * sum(last.values())
