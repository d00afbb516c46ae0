"""The examples in docs/semantics are golden cases, and no operator is without one."""

import json
import re
from pathlib import Path

import pytest

from jobs.operators import OPERATORS
from tests.support.semantics_examples import cases, chapters, example, golden_cases, rewritten, titles

PLANNED = {4, 9, 11, 15}
"""Numbered examples of operators that are defined and refused."""

RECORDS = {17}
"""Numbered examples that are golden cases of records, not of operators."""


def _shown() -> list[str]:
    return [title for path in chapters() for title in titles(path.read_text("utf-8"))]


@pytest.mark.parametrize("path", chapters(), ids=lambda path: path.stem)
def test_examples_are_what_the_golden_files_say(path: Path) -> None:
    """If not: python -m tests.support.semantics_examples."""
    text = path.read_text("utf-8")
    assert rewritten(text) == text


def test_every_operator_has_an_example() -> None:
    shown = {
        step["op"] for title in _shown() for step in json.loads(cases()[title].document)["steps"].values()
    }
    assert shown == OPERATORS.keys()


@pytest.mark.parametrize("number", range(1, 18))
def test_every_numbered_example_is_in_a_chapter(number: int) -> None:
    if number in PLANNED | RECORDS:
        assert any(f"Example 6.{number}," in path.read_text("utf-8") for path in chapters())
    else:
        assert any(title.startswith(f"6.{number} ") for title in _shown())


def test_an_example_shows_what_changed_and_what_was_removed() -> None:
    title = "6.14 filter over an upsert"
    lines = example(golden_cases()[title], cases()[title]).splitlines()
    assert "| 1 | `0, k`<br>`1, k` | `k, 2` |" in lines
    assert "| 2 | `2, k` | removed: `k` |" in lines


def test_a_changed_golden_case_changes_its_example() -> None:
    title = "6.1 word count"
    written = golden_cases()[title]
    changed = {**written, "after": [[["the", 3]], *written["after"][1:]]}
    assert example(changed, cases()[title]) != example(written, cases()[title])


def test_the_cases_that_watch_spark_exist() -> None:
    text = (chapters()[0].parents[1] / "spark.md").read_text("utf-8")
    named = {" ".join(title.split()) for title in re.findall(r"(?<![*\w/])\*([^*/]+)\*(?![*\w])", text)} - {
        "in italics"
    }
    assert len(named) >= 15
    assert named <= golden_cases().keys()
