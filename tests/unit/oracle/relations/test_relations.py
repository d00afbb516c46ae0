"""Each relation on a case of its own: what it changes, and that the oracle, too, gives what it says."""

import json
from random import Random

import pytest

from tests.oracle.answers import Oracle, scripted
from tests.oracle.cases import Case, Contents, all_differences, load_cases
from tests.oracle.relations import AT_LEAST, RELATIONS, variant_of
from tests.oracle.relations.renamed_text import renamed_expression, renamed_measure
from tests.oracle.values import as_json

pytestmark = pytest.mark.thorough
CASES = load_cases()
NAMES = {"a": "b", "b": "a", "error": "wrong", "k": "select"}
# The oracle knows golden cases' expressions by their text.
KNOWS_TEXTS = {
    "fields reordered",
    "field unused",
    "all selected",
    "renamed and back",
    "written back",
    "united with nothing",
    "steps renamed",
    "written as changes",
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b * 2", "`b` + `a` * 2"),
        ("a.b", "`b`.b"),
        ("concat('a', `b`, \"a\")", "concat('a', `a`, \"a\")"),
        ("transform(a, a -> a + b)", "transform(`b`, a -> a + `a`)"),
        ("cast(k as date)", "cast(`select` as date)"),
        ("_time is not null and other > 1", "_time is not null and other > 1"),
    ],
)
def test_fields_of_an_expression(text: str, expected: str) -> None:
    assert renamed_expression(text, NAMES) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("count()", "count()"),
        ("sum(a) where b > a", "sum(`b`) where `a` > `b`"),
        ("top_rows(3, by a, [k, b])", "top_rows(3, by `b`, [`select`, `a`])"),
        ("approx_distinct(a, error = 0.02)", "approx_distinct(`b`, error = 0.02)"),
        ("distinct(k)", "distinct(`select`)"),
    ],
)
def test_fields_of_a_measure(text: str, expected: str) -> None:
    assert renamed_measure(text, NAMES) == expected


@pytest.mark.parametrize("name", RELATIONS)
def test_a_relation_changes_the_document_and_keeps_the_first_case(name: str) -> None:
    made = 0
    for number, case in enumerate(CASES[::9]):
        before = json.dumps([case.document, case.contracts, case.batches, case.expected_after])
        found = RELATIONS[name](case, Random(number))
        assert json.dumps([case.document, case.contracts, case.batches, case.expected_after]) == before
        if found is not None:
            made += 1
            assert (found.document, found.contracts, found.batches) != (
                case.document,
                case.contracts,
                case.batches,
            )
    assert made


@pytest.mark.parametrize("name", sorted(KNOWS_TEXTS))
def test_the_oracle_gives_what_a_relation_says(name: str) -> None:
    made = [
        found
        for number, case in enumerate(CASES)
        if (found := RELATIONS[name](case, Random(number))) is not None
    ]
    for case in made[::5]:
        if "approx" not in case.document:
            assert _differing(case) == [], case.title


def test_batches_cut_elsewhere_end_alike() -> None:
    made = [
        found
        for number, case in enumerate(CASES)
        if (found := RELATIONS["batches recut"](case, Random(number))) is not None
    ]
    assert {len(case.batches) for case in made}
    for case in made:
        assert case.only_end
        assert _answer(case)[-1] == case.expected_after[-1], case.title
        assert _counted(case) == (case.errors, case.malformed), case.title


def test_every_golden_case_has_enough_relations() -> None:
    assert all(len(variant_of(case, number).relations) == AT_LEAST for number, case in enumerate(CASES))


def _differing(case: Case) -> list[str]:
    """By batch what the oracle gives otherwise; sums of doubles may differ in their last digit."""
    return [
        text
        for expected, answer in zip(case.expected_after, _answer(case), strict=True)
        for text in all_differences(expected, answer, case.approximate)
    ]


def _counted(case: Case) -> tuple[dict[str, int], dict[str, int]]:
    """Errors that became null, and records without a key."""
    oracle = Oracle(case.document, case.contracts)
    for batch in case.batches:
        oracle.batch(batch)
    return oracle.errors, oracle.malformed


def _answer(case: Case) -> list[Contents]:
    contents, _ = scripted(case.document, case.contracts, case.batches)
    return [
        {name: {key: as_json(row) for key, row in content.items()} for name, content in by_output.items()}
        for by_output in contents
    ]
