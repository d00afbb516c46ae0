"""The glossary has one line per term, in alphabetical order."""

from pathlib import Path

TEXT = (Path(__file__).parents[2] / "docs" / "glossary.md").read_text("utf-8")
TERMS = [line.split("|")[1].strip() for line in TEXT.splitlines() if line.startswith("| ")][1:]


def test_terms_are_in_alphabetical_order_and_different() -> None:
    lower = [term.lower() for term in TERMS]
    assert lower == sorted(set(lower))
    assert len(TERMS) > 80
