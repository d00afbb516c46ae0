"""Verdicts of the formats' own specifications, and where the `avro` library's checker says otherwise."""

import json
from pathlib import Path
from typing import Any

import pytest
from avro.compatibility import ReaderWriterCompatibilityChecker, SchemaCompatibilityType
from avro.schema import parse

from weir.schemas.services.levels import differences
from weir.schemas.services.parsing import parse_schema

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[4] / "golden" / "schema_compatibility.json").read_text("utf-8")
)
EXPLAINED = {
    "another scale": "the library does not look at logical types; "
    "the specification lets decimals match only when scale and precision do",
    "another precision": "the same",
    **dict.fromkeys(
        (
            "a field added with a text that is no uuid as its default",
            "a field added with a date after 9999 as its default",
            "a field added with a date in a list after 9999 as its default",
        ),
        "the library does not make the default, with which no record could be read",
    ),
}


def found(case: dict[str, Any]) -> list[tuple[str, str]]:
    reader, writer = (parse_schema(case["kind"], json.dumps(case[side]), {}) for side in ("reader", "writer"))
    gaps = differences(reader, writer)
    assert all(gap.message and gap.allowed for gap in gaps)
    return [(gap.rule, gap.path) for gap in gaps]


@pytest.mark.parametrize("case", CASES, ids=[f"{case['kind']}: {case['title']}" for case in CASES])
def test_verdicts(case: dict[str, Any]) -> None:
    wanted = [(case["rule"], case["path"])] if "rule" in case else []
    assert found(case)[:1] == wanted


def test_there_are_enough() -> None:
    assert len(CASES) >= 120


def test_the_avro_library_agrees_but_for_what_is_explained() -> None:
    others = set()
    for case in CASES:
        if case["kind"] == "AVRO":
            reader, writer = (parse(json.dumps(case[side])) for side in ("reader", "writer"))
            theirs = ReaderWriterCompatibilityChecker().get_compatibility(reader, writer).compatibility
            if (theirs is SchemaCompatibilityType.compatible) != ("rule" not in case):
                others.add(case["title"])
    assert others == set(EXPLAINED)
