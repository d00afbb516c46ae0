"""One page per operator, made from what the code says; its example is a golden case, which oracle and Spark
run.
"""

from pathlib import Path

from jobs.operators import OPERATORS
from tests.support.operator_pages import pages

FOLDER = Path(__file__).parents[4] / "docs" / "reference" / "operators"


def test_every_operator_has_its_page_and_no_other_is_there() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == set(OPERATORS)


def test_the_pages_are_up_to_date() -> None:
    """If not: python -m tests.support.operator_pages docs/reference/operators."""
    stale = [
        name for name, text in pages().items() if (FOLDER / f"{name}.md").read_text(encoding="utf-8") != text
    ]
    assert stale == []
