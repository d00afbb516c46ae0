"""A job built in the form alone, started, and changed while it runs; its state, lineage and script."""

import json
import re
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from confluent_kafka import Producer
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import WORKSPACE, SignIn
from tests.support.patience import PATIENCE
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(600)]

SOON = 20_000 * PATIENCE
STARTED = 240_000 * PATIENCE
FIELDS = {
    "searches": {"id": "string!", "term": "string", "labels": "map<string,string>", "at": "timestamp!"},
    "clicks": {"search": "string!", "position": "int", "at": "timestamp!"},
    "latecomers": {"term": "string"},
}


@pytest.fixture
def streams(system: System) -> dict[str, str]:
    """Registered streams of a test, by what they are for."""
    rest = system.rest("browser", WORKSPACE)
    names = {name: f"{name}_{uuid4().hex[:6]}" for name in FIELDS}
    for name, fields in FIELDS.items():
        rest.post(
            "streams",
            {
                "name": names[name],
                "topic": names[name],
                "create": {"partitions": 1},
                "contract": _contract(fields),
            },
        )
    return names


@pytest.mark.long
def test_a_job_is_built_in_the_form_started_and_judged_when_it_changes(
    system: System, sign_in: SignIn, streams: dict[str, str], shots: Path
) -> None:
    page = sign_in()
    page.goto(f"/w/{WORKSPACE}/jobs/new/form")
    _build(page, streams)
    expect(page.get_by_role("heading", name="No problems")).to_be_visible(timeout=SOON)
    kept = _step(page, "per_term").get_by_label("Output of per_term")
    expect(kept).to_contain_text("Bounded: one entry per open window and group")
    expect(kept).to_contain_text("Watermark slack37 s")
    page.screenshot(path=shots / "composed.png", full_page=True)

    page.get_by_role("combobox", name="Start").select_option(label="Don't start yet")
    page.get_by_role("button", name="Create job").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("terms-by-clicks", timeout=SOON)
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("menuitem", name="From the earliest record").click()
    _search_and_click(system, streams)
    expect(
        page.get_by_role("table", name=re.compile("Newest rows")).get_by_text("streams").first
    ).to_be_visible(timeout=STARTED)

    page.get_by_role("link", name="Document", exact=True).click()
    page.get_by_role("button", name="Edit", exact=True).click()
    page.get_by_role("radiogroup", name="View").get_by_text("Form").click()
    expect(page.get_by_text("No changes yet.")).to_be_visible(timeout=SOON)
    _step(page, "per_term").get_by_label("Size", exact=True).fill("20s")
    expect(page.get_by_role("heading", name="State reset required")).to_be_visible(timeout=SOON)
    expect(page.get_by_text(re.compile("10 ?s.*20 ?s")).first).to_be_visible()
    page.screenshot(path=shots / "verdict.png", full_page=True)
    _step(page, "per_term").get_by_label("Size", exact=True).fill("4s")
    expect(_step(page, "per_term").get_by_text("is out of range").first).to_be_visible(timeout=SOON)
    page.get_by_role("button", name=re.compile("steps › per_term › window")).first.click()
    expect(_step(page, "per_term").get_by_role("combobox", name="Window")).to_be_focused()
    page.get_by_role("button", name="Discard draft").click()
    page.get_by_role("dialog").get_by_role("button", name="Discard draft").click()
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_role("link", name="Live", exact=True).click()
    expect(page.get_by_role("listitem").get_by_text("Stopped", exact=True)).to_be_visible(
        timeout=60_000 * PATIENCE
    )


@pytest.mark.long
def test_a_map_is_taken_apart_and_columns_are_named(sign_in: SignIn, streams: dict[str, str]) -> None:
    page = sign_in()
    page.goto(f"/w/{WORKSPACE}/jobs/new/form")
    page.get_by_role("textbox", name="Name").fill("labels")
    _choose(page, page.get_by_role("combobox", name="Stream"), streams["searches"])
    _add(page, "Explode")
    step = _step(page, "explode")
    _choose(page, step.get_by_role("combobox", name="Array or map"), "labels")
    step.get_by_label("Key field").fill("label")
    expect(page.get_by_role("heading", name="No problems")).to_be_visible(timeout=SOON)
    _add(page, "Select fields")
    chosen = _step(page, "select")
    _tag(chosen, "Fields (in order)", "label")
    chosen.get_by_role("button", name="Add expressions").click()
    chosen.get_by_label("Expression of label").fill("upper(label)")
    expect(chosen.get_by_label("Output of select")).to_contain_text("label string", timeout=SOON)
    expect(page.get_by_role("heading", name="No problems")).to_be_visible(timeout=SOON)


def test_a_document_says_what_it_keeps_comes_from_and_is_as_a_script(
    system: System, sign_in: SignIn, streams: dict[str, str], shots: Path
) -> None:
    text = f"""format: 1
name: terms
sources: {{found: {{stream: {streams["searches"]}}}}}
steps:
  terms:
    op: aggregate
    input: found
    window: {{tumbling: {{size: 1m}}}}
    by: [term]
    measures: {{n: count(), newest: max(at)}}
outputs: {{live: {{input: terms, to: result}}}}
"""
    job = system.rest("browser", WORKSPACE).post("jobs", {"document": text})
    page = sign_in(accept_downloads=True)
    page.goto(f"/w/{WORKSPACE}/jobs/{job['id']}/document")
    expect(page.get_by_role("heading", name="Column lineage")).to_be_visible(timeout=SOON)
    expect(page.get_by_text("found.term")).to_be_visible()
    table = page.get_by_role("table", name="State by step")
    expect(table.get_by_role("row").nth(1)).to_contain_text("7,000", timeout=SOON)
    page.get_by_label("terms: distinct keys").fill("50")
    expect(table.get_by_role("row").nth(1)).to_contain_text("100", timeout=SOON)
    page.screenshot(path=shots / "document.png", full_page=True)

    page.get_by_role("button", name="Show script").click()
    code = page.get_by_label("PySpark script", exact=True)
    expect(code).to_contain_text("from pyspark.sql", timeout=SOON)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "terms.py"
    script = download.value.path().read_text(encoding="utf-8")
    assert script == code.text_content()
    compile(script, "terms.py", "exec")


def _build(page: Page, streams: dict[str, str]) -> None:
    page.get_by_role("textbox", name="Name").fill("terms-by-clicks")
    _choose(page, page.get_by_role("combobox", name="Stream"), streams["searches"])
    _choose(page, page.get_by_role("combobox", name="Add source"), streams["clicks"])
    page.get_by_label("Watermark delay").first.fill("1s")
    page.get_by_label("Watermark delay").nth(1).fill("1s")

    _add(page, "Filter")
    _step(page, "filter").get_by_role("textbox", name="Condition").fill("term is not null")

    _add(page, "Join two streams")
    join = _step(page, "join")
    join.get_by_role("button", name="Add pair").click()
    join.get_by_label("Name of pair 1").fill("id")
    join.get_by_label("Value of id").fill("search")
    page.keyboard.press("Escape")
    join.get_by_label("Right row later by at most").fill("30s")
    join.get_by_label("Right field prefix").fill("click_")

    _add(page, "Aggregate")
    group = _step(page, "aggregate")
    _choose(page, group.get_by_role("combobox", name="Window"), "Hopping (overlapping)")
    group.get_by_label("Size", exact=True).fill("10s")
    group.get_by_label("Advance").fill("5s")
    group.get_by_label("Grace period").fill("7s")
    _tag(group, "Group by", "term")
    _choose(page, group.get_by_role("combobox", name="Emit"), "When the window closes")
    group.get_by_role("button", name="Add measure").click()
    group.get_by_label("Name of measure 2").fill("best")
    group.get_by_label("Expression of best").fill("min(position) where position > 0")
    page.keyboard.press("Escape")
    _choose(page, group.get_by_role("combobox", name="Late rows"), "Send to late output")
    group.get_by_label("Step name").fill("per_term")
    page.keyboard.press("Enter")
    outputs = page.locator("section").filter(has=page.get_by_role("heading", name="Outputs", exact=True))
    expect(outputs.get_by_role("combobox", name="Input")).to_have_value("per_term.late")
    outputs.get_by_role("combobox", name="Topic").fill(streams["latecomers"])
    page.keyboard.press("Escape")


def _search_and_click(system: System, streams: dict[str, str]) -> None:
    """A search that is clicked 2 s later, and later rows that close its windows."""
    producer = Producer({"bootstrap.servers": system.bootstrap})
    begin = int(time.time()) - 600
    for at, term in ((0, "streams"), (300, "other"), (500, "another")):
        producer.produce(
            streams["searches"],
            json.dumps({"id": f"s{at}", "term": term, "labels": {}, "at": _text(begin + at)}).encode(),
        )
        producer.produce(
            streams["clicks"],
            json.dumps({"search": f"s{at}", "position": 1, "at": _text(begin + at + 2)}).encode(),
        )
        assert producer.flush(20) == 0


def _text(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _contract(fields: dict[str, str]) -> dict[str, Any]:
    rows = [
        {"name": name, "type": type_.rstrip("!"), "nullable": not type_.endswith("!")}
        for name, type_ in fields.items()
    ]
    event_time = {"event_time": {"kind": "field", "field": "at"}} if "at" in fields else {}
    return {"format": "json", "fields": rows, **event_time}


def _step(page: Page, name: str) -> Locator:
    return page.locator("section").filter(
        has=page.get_by_role("heading", name=re.compile(rf"^\d+\. {name}\b"))
    )


def _add(page: Page, title: str) -> None:
    page.get_by_role("button", name="Add step").click()
    page.get_by_role("menuitem", name=re.compile(f"^{title}")).click()


def _tag(step: Locator, label: str, text: str) -> None:
    field = step.locator("input").and_(step.get_by_label(label))
    field.fill(text)
    field.press("Enter")
    field.press("Escape")


def _choose(page: Page, select: Locator, option: str) -> None:
    select.click()
    page.get_by_role("option", name=option).click()
