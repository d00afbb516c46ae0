"""The table of operators, and everything that must exist once per operator."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
import yaml

from jobs.document import document_json_schema, parse_document
from jobs.document_text import read_text
from jobs.operators import OPERATORS, PLANNED, operators_as_json
from jobs.operators.operator import Operator
from tests.oracle.cases import load_cases
from tests.support.plan_helpers import document

ROOT = Path(__file__).parents[4]


def test_every_operator_has_its_files_and_cases() -> None:
    reference = (ROOT / "docs/reference/operators.md").read_text("utf-8")
    cases = [yaml.safe_load(case.document)["steps"].values() for case in load_cases()]
    used = {step["op"] for steps in cases for step in steps}
    for name in OPERATORS:
        assert (ROOT / f"jobs/operators/{name}.py").is_file()
        assert (ROOT / f"tests/unit/jobs/operators/test_{name}.py").is_file()
        assert f"| [{name}](operators/{name}.md) | {OPERATORS[name].summary} |" in reference
    assert used == set(OPERATORS)


def test_examples_are_valid_steps() -> None:
    for row in operators_as_json():
        parsed, problems = parse_document(document({"step": read_text(str(row["example"])).value}))
        assert parsed is not None, problems


def test_planned_operators_are_not_there_yet() -> None:
    assert not PLANNED & OPERATORS.keys()


def test_the_documents_schema_knows_every_operator() -> None:
    step = document_json_schema()["properties"]["steps"]["additionalProperties"]
    assert set(step["discriminator"]["mapping"]) == set(OPERATORS)


def test_the_plan_asks_the_table_and_never_one_operator() -> None:
    for file in (ROOT / "jobs/plan").rglob("*.py"):
        imported = re.findall(r"^from jobs\.operators\.(\w+) import", file.read_text("utf-8"), re.MULTILINE)
        assert not OPERATORS.keys() & set(imported), file
        assert "Bound)" not in file.read_text("utf-8").replace("SourceBound)", ""), file


def test_an_operator_without_an_answer_fails() -> None:
    answers = {field.name: getattr(OPERATORS["latest"], field.name) for field in fields(Operator)}
    for missing in answers:
        with pytest.raises(TypeError):
            Operator(**{name: answer for name, answer in answers.items() if name != missing})
