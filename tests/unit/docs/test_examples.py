"""Examples that stand in the reference work: documents parse and check, and what is told in Python runs."""

import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from jobs.document_text import read_text
from jobs.formats.contract import StreamContract
from jobs.job_tests.check import check_test
from jobs.job_tests.document import parse_test
from jobs.plan import PlanningContext, plan_job
from tests.support.plan_helpers import contract
from weir.alerts.services.rule_document import parse_rule
from weir.alerts.services.signatures import signature

ROOT = Path(__file__).parents[3]
REFERENCE = ROOT / "docs" / "reference"


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of a page of the reference."""
    text = (REFERENCE / page).read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_the_job_document() -> None:
    job, outputs, named = blocks("operators.md", "yaml")
    catalog = {
        "trades": contract({"symbol": "string", "ask": "double", "price": "double"}),
        "logs": contract({"level": "string", "user_id": "string", "at": "timestamp", "city": "string"}),
    }
    plan = plan_job(job, catalog)
    assert plan.ok
    assert not plan.problems
    document: dict[str, Any] = json.loads(json.dumps(read_text(job).value))
    document["sources"] |= {"logs": {"stream": "logs"}}
    document["steps"]["by_level"] = {"op": "branch", "input": "logs", "branches": {"errors": "level = 'E'"}}
    document |= yaml.safe_load(outputs)
    sums = {**yaml.safe_load(named)["sums"], "input": "by_level.errors"}
    document["outputs"]["sums"] = sums
    context = PlanningContext(topics={"error-log": "error-log", "sums": "sums"})
    assert plan_job(document, catalog, context).problems == ()


def test_the_test_of_a_job_is_one_of_the_example_stock_statistics() -> None:
    (written,) = blocks("job-tests.md", "yaml")
    parsed = parse_test(written)
    assert parsed.problems == ()
    assert parsed.test is not None
    stock = ROOT / "examples" / "stock"
    contracts = {
        stream["name"]: StreamContract.model_validate(stream["contract"])
        for stream in yaml.safe_load((stock / "streams.yaml").read_text("utf-8"))
    }
    plan = plan_job((stock / "document.yaml").read_text("utf-8"), contracts)
    assert check_test(parsed.test, plan).problems == ()


def _rules() -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder()
    (text,) = blocks("alerts.md", "json")
    while text.strip():
        rule, end = decoder.raw_decode(text.lstrip())
        text = text.lstrip()[end:]
        yield rule


@pytest.mark.parametrize("rule", list(_rules()), ids=lambda rule: str(rule["watch"]["kind"]))
def test_rules_of_alerts(rule: dict[str, Any]) -> None:
    document = parse_rule(rule)
    assert document.watch.kind == rule["watch"]["kind"]


def test_a_webhook_is_verified_as_the_page_says() -> None:
    (written,) = blocks("alerts.md", "python")
    names: dict[str, Any] = {"hashlib": hashlib, "hmac": hmac, "time": time}
    exec(written, names)
    header = signature("secret", int(time.time()), b"{}")
    assert names["is_genuine"](header, b"{}", "secret")
    assert not names["is_genuine"](header, b"{ }", "secret")
    assert not names["is_genuine"](signature("secret", int(time.time()) - 600, b"{}"), b"{}", "secret")
