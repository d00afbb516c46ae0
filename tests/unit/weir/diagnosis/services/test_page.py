"""The page of causes has exactly those that the rules give, and the cases make each of them."""

import re
from pathlib import Path
from typing import get_args

from jobs.row_origins import Indirect
from tests.support.repository_files import ROOT
from tests.unit.weir.diagnosis.services.test_diagnose import CASES

RULES = ROOT / "platform" / "weir" / "diagnosis" / "services"
ENOUGH = 25
BROWSER = ROOT / "frontend" / "src" / "pages" / "job" / "diagnosis" / "page-findings.ts"
PAGE = ROOT / "docs" / "reference" / "diagnosis.md"


def codes_in(path: Path, pattern: str) -> set[str]:
    return set(re.findall(pattern, path.read_text(encoding="utf-8"), re.MULTILINE))


def causes() -> set[str]:
    """Codes in the rules: words in capitals that are neither an error's code nor a kind of lineage."""
    found = set()
    for path in RULES.glob("*.py"):
        found |= codes_in(path, r'"([A-Z]+(?:_[A-Z]+)*[A-Z])"') - codes_in(path, r'Error\("([A-Z_]+)"')
    return found - set(get_args(Indirect))


def test_every_cause_is_on_the_page_and_has_a_case() -> None:
    assert codes_in(PAGE, r"^\| `([A-Z_]+)` \| (?!page)") == causes() == {code for code, _, _ in CASES}


def test_there_are_enough_causes() -> None:
    assert len(causes()) >= ENOUGH


def test_every_finding_of_the_browser_is_on_the_page() -> None:
    found = codes_in(BROWSER, r'code: "([A-Z_]+)",')
    assert codes_in(PAGE, r"^\| `([A-Z_]+)` \| page") == found
    assert found == {"HIDDEN_BY_PAGE", "VIEWER_SLOW", "CONFLATED"}
