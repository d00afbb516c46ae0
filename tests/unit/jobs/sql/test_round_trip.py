"""A document, written as SQL and read back, is planned as before: golden cases, examples, random ones."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from jobs.document import read_document
from jobs.formats.contract import StreamContract
from jobs.operators import OPERATORS
from jobs.plan import plan_job
from jobs.sql import read_sql, write_sql
from jobs.sql.functions import FUNCTIONS
from jobs.sql.write_steps import CLAUSES
from tests.oracle.cases import load_cases
from tests.oracle.drawing import drawn
from tests.oracle.random_cases import jobs
from tests.support.plan_meaning import meaning

EXAMPLES = Path(__file__).parents[4] / "examples"
MANY = int(os.environ.get("WEIR_RANDOM_SQL", "60"))
AT_LEAST = {"golden": 200, "random_ones": MANY, "examples": 10}
SEED = int(os.environ.get("WEIR_RANDOM_SEED", "11"))

Contracts = Mapping[str, StreamContract]
Given = tuple[str, str, Contracts]  # title, document, contracts


def golden() -> Iterator[Given]:
    for case in load_cases():
        yield case.title, case.document, contracts_of(case.contracts)


def random_ones() -> Iterator[Given]:
    for number, job in enumerate(drawn(MANY, SEED, jobs())):
        yield f"random document {number}", job.document(job.topics), contracts_of(job.contracts)


def examples() -> Iterator[Given]:
    for path in sorted(EXAMPLES.glob("*/document.yaml")):
        streams = yaml.safe_load((path.parent / "streams.yaml").read_text(encoding="utf-8"))
        written = {stream["name"]: stream["contract"] for stream in streams}
        yield path.parent.name, path.read_text(encoding="utf-8"), contracts_of(written)


def contracts_of(written: Mapping[str, Any]) -> Contracts:
    return {name: StreamContract.model_validate(contract) for name, contract in written.items()}


@pytest.mark.parametrize("given", [golden, random_ones, examples])
def test_a_document_keeps_its_meaning(given: Any) -> None:
    count = 0
    for title, document, contracts in given():
        before = plan_job(document, contracts)
        reading = read_document(document)
        assert before.ok, (title, before.problems)
        assert reading.document is not None
        count += 1
        written = write_sql(reading.document)
        assert not written.refusals, (title, written.refusals)
        found = read_sql(written.text, contracts)
        assert not found.problems, (title, found.problems, written.text)
        assert found.document is not None
        after = plan_job(found.document, contracts)
        assert meaning(after) == meaning(before), (title, written.text)
        rest = reading.document.as_json()
        for part in ("name", "description", "settings", "sources", "outputs"):
            assert json.loads(json.dumps(found.document)).get(part) == rest.get(part), (title, part)
    assert count >= AT_LEAST[given.__name__]


def test_every_operator_can_be_said() -> None:
    assert set(CLAUSES) | set(FUNCTIONS) == set(OPERATORS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_table_functions_have_every_parameter(name: str) -> None:
    """A new parameter of an operator is missed here, not in a user's document."""
    model = OPERATORS[name].parameters
    known = {field.alias or parameter for parameter, field in model.model_fields.items()}
    assert set(FUNCTIONS[name]) == known - {"op", "input", "inputs", "inputs_"}
