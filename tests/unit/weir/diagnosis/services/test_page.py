"""The page of causes has exactly those that the rules give, and the cases make each of them."""

import re
from pathlib import Path

from tests.support.repository_files import ROOT
from tests.unit.weir.diagnosis.services.test_diagnose import CASES

RULES = ROOT / "platform" / "weir" / "diagnosis" / "services"
PAGE = ROOT / "docs" / "reference" / "diagnosis.md"


def codes_in(path: Path, pattern: str) -> set[str]:
    return set(re.findall(pattern, path.read_text(encoding="utf-8"), re.MULTILINE))


def test_every_cause_is_on_the_page_and_has_a_case() -> None:
    given = {code for path in RULES.glob("*.py") for code in codes_in(path, r'"([A-Z]+(?:_[A-Z]+)*[A-Z])"')}
    assert codes_in(PAGE, r"^\| `([A-Z_]+)` \|") == given == {code for code, _, _ in CASES}
