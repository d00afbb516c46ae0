"""Cited pages and sections are in the repository."""

import pytest

from tests.support.citations import Broken, anchors, broken_citations, cited_files
from tests.support.repository_files import ROOT

CODE = ROOT / "jobs" / "operators" / "example.py"
PAGE = ROOT / "docs" / "semantics" / "example.md"


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("`semantics.md` 4.13", "semantics.md"),
        ("see docs/nowhere.md", "docs/nowhere.md"),
        ("(`docs/semantics/join.md#nothing-of-that-name`)", "docs/semantics/join.md#nothing-of-that-name"),
    ],
)
def test_a_missing_page_or_section_is_reported(text: str, cited: str) -> None:
    assert list(broken_citations(CODE, f"one line\n{text}")) == [
        Broken("jobs/operators/example.py", 2, cited)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "(`docs/semantics/join.md#rows-without-a-match`)",
        "docs/architecture.md",
        'FOLDER / "join.md"',
        "{name}.md *.md",
    ],
)
def test_existing_pages_and_other_text_are_not_reported(text: str) -> None:
    assert list(broken_citations(CODE, text)) == []


def test_a_page_cites_beside_itself_sections_of_its_own_and_files() -> None:
    text = "# Here\n[a](join.md#limits) [b](#here) `tests/support/citations.py` `citations.py`"
    assert list(broken_citations(PAGE, text)) == []
    broken = broken_citations(
        PAGE, "# Here\n[b](#there) `tests/support/nothing.py` `no_such.py` [c](../nowhere.md)"
    )
    assert {one.cited for one in broken} == {
        "#there",
        "tests/support/nothing.py",
        "no_such.py",
        "../nowhere.md",
    }


def test_sections_are_named_as_github_does() -> None:
    assert "rows-malformed-records-skipped-records" in anchors(
        ROOT / "docs" / "semantics" / "records-and-formats.md"
    )
    assert "a-semi-join-loses-a-pair" in anchors(ROOT / "docs" / "spark.md")


def test_the_repository_has_no_broken_citations() -> None:
    assert [one for path in cited_files() for one in broken_citations(path, path.read_text("utf-8"))] == []
