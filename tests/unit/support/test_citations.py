"""Every page that is cited is in the repository, with the section that is cited."""

import pytest

from tests.support.citations import ROOT, Broken, anchors, broken_citations, cited_files

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
def test_a_page_or_section_that_is_not_there_is_told(text: str, cited: str) -> None:
    assert list(broken_citations(CODE, f"one line\n{text}")) == [Broken("jobs/operators/example.py", 2, cited)]


@pytest.mark.parametrize(
    "text", ["(`docs/semantics/join.md#rows-without-a-match`)", "docs/architecture.md", 'FOLDER / "join.md"', "{name}.md *.md"]
)
def test_what_is_there_or_no_citation_is_not_told(text: str) -> None:
    assert list(broken_citations(CODE, text)) == []


def test_a_page_cites_beside_itself_sections_of_its_own_and_files() -> None:
    text = "# Here\n[a](join.md#limits) [b](#here) `tests/support/citations.py`"
    assert list(broken_citations(PAGE, text)) == []
    broken = broken_citations(PAGE, "# Here\n[b](#there) `tests/support/nothing.py` [c](../nowhere.md)")
    assert {one.cited for one in broken} == {"#there", "tests/support/nothing.py", "../nowhere.md"}


def test_sections_are_named_as_github_does() -> None:
    assert "rows-malformed-records-skipped-records" in anchors(ROOT / "docs" / "semantics" / "records-and-formats.md")
    assert "a-semi-join-loses-a-pair" in anchors(ROOT / "docs" / "spark.md")


def test_the_repository_cites_only_what_it_holds() -> None:
    """As python -m tests.support.citations."""
    assert [one for path in cited_files() for one in broken_citations(path, path.read_text("utf-8"))] == []
