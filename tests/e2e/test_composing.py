"""What a document keeps, what its columns come from and what it is as a script stand beside it."""

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import WORKSPACE, SignIn
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(600)]

SOON = 20_000
FIELDS = {"searches": {"id": "string!", "term": "string", "labels": "map<string,string>", "at": "timestamp!"}}


@pytest.fixture
def streams(system: System) -> dict[str, str]:
    """Registered streams of a test, by what they are for."""
    rest = system.rest("browser", WORKSPACE)
    names = {name: f"{name}_{uuid4().hex[:6]}" for name in FIELDS}
    for name, fields in FIELDS.items():
        rest.post("streams", {"name": names[name], "topic": names[name], "create": {"partitions": 1}, "contract": _contract(fields)})
    return names


def test_a_document_says_what_it_keeps_comes_from_and_is_as_a_script(
    system: System, sign_in: SignIn, streams: dict[str, str], shots: Path
) -> None:
    text = f"""format: 1
name: terms
sources: {{found: {{stream: {streams["searches"]}}}}}
steps:
  terms: {{op: aggregate, input: found, window: {{tumbling: {{size: 1m}}}}, by: [term], measures: {{n: count(), newest: max(at)}}}}
outputs: {{live: {{input: terms, to: result}}}}
"""
    job = system.rest("browser", WORKSPACE).post("jobs", {"document": text, "start": False})
    page = sign_in(accept_downloads=True)
    page.goto(f"/w/{WORKSPACE}/jobs/{job['id']}/document")
    expect(page.get_by_role("heading", name="Where each column comes from")).to_be_visible(timeout=SOON)
    expect(page.get_by_text("found.term")).to_be_visible()
    table = page.get_by_role("table", name="State by step")
    expect(table.get_by_role("row").nth(1)).to_contain_text("7,000", timeout=SOON)
    page.get_by_label("terms: different keys").fill("50")
    expect(table.get_by_role("row").nth(1)).to_contain_text("100", timeout=SOON)
    page.screenshot(path=shots / "document.png", full_page=True)

    page.get_by_role("button", name="Show the script").click()
    code = page.get_by_label("PySpark script", exact=True)
    expect(code).to_contain_text("from pyspark.sql", timeout=SOON)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "terms.py"
    script = download.value.path().read_text(encoding="utf-8")
    assert script == code.text_content()
    compile(script, "terms.py", "exec")


def _contract(fields: dict[str, str]) -> dict[str, Any]:
    rows = [{"name": name, "type": type_.rstrip("!"), "nullable": not type_.endswith("!")} for name, type_ in fields.items()]
    event_time = {"event_time": {"kind": "field", "field": "at"}} if "at" in fields else {}
    return {"format": "json", "fields": rows, **event_time}
