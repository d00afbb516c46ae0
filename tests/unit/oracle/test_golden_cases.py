"""The golden cases and the oracle agree: each was written without the other."""

import random

import pytest

from tests.oracle.cases import Case, differences, load_cases
from tests.oracle.script import any_order, scripted
from tests.oracle.values import as_json

CASES = load_cases()


def _json(content):
    return {key: {name: as_json(value) for name, value in row.items()} for key, row in content.items()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_scripted_answer(case: Case) -> None:
    contents, late = scripted(case.document, case.contracts, case.batches)
    assert len(contents) == len(case.expected_after)
    for number, (want, have) in enumerate(zip(case.expected_after, contents, strict=True), 1):
        assert differences(want, _json(have), case.approximate) == [], f"after batch {number}"
    assert late == case.late


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_order_insensitive_answer(case: Case) -> None:
    have = any_order(case.document, case.contracts, case.batches)
    assert differences(case.order_insensitive, _json(have), case.approximate) == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_batching_does_not_change_the_order_insensitive_answer(case: Case) -> None:
    rows = [row for batch in case.batches for row in batch.get("s", [])]
    cuts = random.Random(case.title)
    batches = []
    while rows:
        size = cuts.randint(1, len(rows))
        batches.append({"s": rows[:size]})
        rows = rows[size:]
    have = any_order(case.document, case.contracts, batches)
    assert differences(case.order_insensitive, _json(have), case.approximate) == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_an_empty_batch_at_the_end_changes_nothing(case: Case) -> None:
    contents, _ = scripted(case.document, case.contracts, [*case.batches, {}])
    if not case.exact_batches:
        assert differences(case.expected_after[-1], _json(contents[-1]), case.approximate) == []


def test_titles_are_unique() -> None:
    assert len({case.title for case in CASES}) == len(CASES) >= 40
