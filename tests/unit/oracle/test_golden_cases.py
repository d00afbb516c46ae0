"""The golden cases and the oracle agree: each was written without the other."""

import random
import re

import pytest

from tests.oracle.answers import Batch, Counts, any_order, counts_of, scripted
from tests.oracle.cases import Case, Contents, all_differences, load_cases
from tests.oracle.values import as_json

CASES = load_cases()
ORDER_FREE = [case for case in CASES if case.order_insensitive is not None]


def _json(contents) -> Contents:
    return {name: {key: as_json(row) for key, row in content.items()} for name, content in contents.items()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_scripted_answer(case: Case) -> None:
    contents, _ = scripted(case.document, case.contracts, case.batches)
    assert len(contents) == len(case.expected_after)
    for number, (want, have) in enumerate(zip(case.expected_after, contents, strict=True), 1):
        assert all_differences(want, _json(have), case.approximate) == [], f"after batch {number}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_counts(case: Case) -> None:
    assert counts_of(case.document, case.contracts, case.batches) == Counts(
        case.late, case.errors, case.malformed
    )


@pytest.mark.parametrize("case", ORDER_FREE, ids=lambda case: case.title)
def test_order_insensitive_answer(case: Case) -> None:
    have = any_order(case.document, case.contracts, case.batches)
    assert all_differences(case.order_insensitive or {}, _json(have), case.approximate) == []


@pytest.mark.parametrize("case", ORDER_FREE, ids=lambda case: case.title)
def test_batching_does_not_change_the_order_insensitive_answer(case: Case) -> None:
    rest = {
        name: [row for batch in case.batches for row in batch.get(name, [])]
        for batch in case.batches
        for name in batch
    }
    cuts = random.Random(case.title)
    batches: list[Batch] = []
    while any(rest.values()):
        batches.append(
            {name: [rows.pop(0) for _ in range(cuts.randint(0, len(rows)))] for name, rows in rest.items()}
        )
    have = any_order(case.document, case.contracts, batches)
    assert all_differences(case.order_insensitive or {}, _json(have), case.approximate) == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_an_empty_batch_at_the_end_changes_nothing(case: Case) -> None:
    contents, _ = scripted(case.document, case.contracts, [*case.batches, {}])
    if not case.exact_batches:
        assert all_differences(case.expected_after[-1], _json(contents[-1]), case.approximate) == []


LATER = {
    4: "tables joined with tables",
    9: "aggregates of tables",
    11: "patterns",
    15: "absence and rolling aggregates",
    17: "event times that a device's own clock corrects",
}
"""Worked examples of operators and clocks that are not there yet."""


def test_the_contracts_worked_examples_are_here() -> None:
    written = {int(found[1]) for case in CASES if (found := re.match(r"6\.(\d+) ", case.title))}
    assert written == set(range(1, 18)) - LATER.keys()


def test_titles_are_unique() -> None:
    assert len({case.title for case in CASES}) == len(CASES) >= 40
