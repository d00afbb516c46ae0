"""Every problem code that the code can give has a line in the reference and a test that triggers it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[4]


def files() -> list[Path]:
    return [
        *(ROOT / "jobs/operators").glob("*.py"),
        *(ROOT / "jobs/plan").glob("*.py"),
        *(ROOT / "jobs/sql").glob("*.py"),
        *(ROOT / "jobs").glob("document*.py"),
        *(ROOT / "jobs/expressions").rglob("*.py"),
        *(ROOT / "jobs/formats").glob("*.py"),
    ]


def given() -> set[str]:
    written = re.compile(
        r"(?:problem|warning|ExpressionError)\(\s*\"([A-Z_]+)\"|code(?:: str)? ?= ?\"([A-Z_]+)\""
    )
    return {a or b for path in files() for a, b in written.findall(path.read_text("utf-8"))}


def listed() -> set[str]:
    return set(
        re.findall(
            r"^\| `([A-Z_]+)` \|", (ROOT / "docs/reference/problems.md").read_text("utf-8"), re.MULTILINE
        )
    )


def test_the_reference_lists_every_code() -> None:
    assert given() <= listed()


def test_every_listed_code_is_given_somewhere() -> None:
    assert listed() <= given()


def test_severities_are_those_of_the_code() -> None:
    written = re.compile(r"warning\(\s*\"([A-Z_]+)\"")
    warnings = {code for file in files() for code in written.findall(file.read_text("utf-8"))}
    page = (ROOT / "docs/reference/problems.md").read_text("utf-8")
    for code, severity in re.findall(r"^\| `([A-Z_]+)` \| ([^|]+) \|", page, re.MULTILINE):
        assert ("warning" in severity) == (code in warnings), code


def test_every_code_has_a_test_that_names_it() -> None:
    tests = "".join(
        path.read_text("utf-8")
        for path in (ROOT / "tests/unit/jobs").rglob("test_*.py")
        if path != Path(__file__)
    )
    assert {code for code in listed() if f'"{code}"' not in tests} == set()
