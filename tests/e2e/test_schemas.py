"""Schemas and tables in the browser: a version's impact on jobs, forced versions, rows of a table."""

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from confluent_kafka import Producer
from playwright.sync_api import expect

from tests.e2e.conftest import WORKSPACE, SignIn
from tests.support.patience import PATIENCE
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(600)]

SOON = 60_000 * PATIENCE
ID, NAME = {"name": "id", "type": "long"}, {"name": "name", "type": "string"}
NOTE = {"name": "note", "type": ["null", "string"], "default": None}


def order(*fields: dict[str, Any]) -> str:
    return json.dumps({"type": "record", "name": "Order", "fields": list(fields)}, indent=2)


def test_what_a_version_breaks_is_shown_and_forced(system: System, sign_in: SignIn, shots: Path) -> None:
    name = f"orders_{uuid4().hex[:6]}"
    page, rest = sign_in(), system.rest("browser", WORKSPACE)
    page.goto(f"/w/{WORKSPACE}/new-schema")
    page.get_by_role("textbox", name="Subject").fill(f"{name}-value")
    page.get_by_role("textbox", name="Schema").fill(order(ID, NAME))
    page.get_by_role("button", name="Register", exact=True).click()
    expect(page.get_by_role("heading", level=1, name=f"{name}-value")).to_be_visible(timeout=SOON)

    encoding = {"format": "avro", "subject": f"{name}-value", "framing": "confluent"}
    contract = {
        "encoding": encoding,
        "fields": [{"name": "id", "type": "long"}, {"name": "name", "type": "string"}],
    }
    rest.post("streams", {"name": name, "topic": name, "create": {"partitions": 1}, "contract": contract})
    document = {
        "format": 1, "name": f"{name}-named", "sources": {"s": {"stream": name}},
        "steps": {"named": {"op": "filter", "input": "s", "where": "name = 'a'"}},
        "outputs": {"live": {"input": "named", "to": "result"}},
    }  # fmt: skip
    rest.post("jobs", {"document": json.dumps(document)})

    page.reload()
    text = page.get_by_role("textbox", name="Schema")
    text.fill(order(ID, NAME, NOTE))
    page.get_by_role("button", name="Check impact").click()
    expect(page.get_by_text("Compatible with earlier versions")).to_be_visible(timeout=SOON)
    expect(page.get_by_role("row").filter(has_text=f"{name}-named")).to_contain_text("Sees new fields")

    text.fill(order(ID))
    page.get_by_role("button", name="Check impact").click()
    expect(page.get_by_role("row").filter(has_text=f"{name}-named")).to_contain_text("Breaks", timeout=SOON)
    page.screenshot(path=shots / "schema-impact.png", full_page=True)
    page.get_by_role("button", name="Register", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(f"This breaks {name}-named", timeout=SOON)
    page.screenshot(path=shots / "schema-force.png")
    dialog.get_by_role("button", name="Register anyway").click()
    expect(page.get_by_text("version 2", exact=True)).to_be_visible(timeout=SOON)

    page.goto(f"/w/{WORKSPACE}/streams/{name}/contract")
    page.get_by_role("button", name="Change").click()
    page.get_by_role("button", name="Import fields", exact=True).click()
    page.get_by_role("button", name="Check impact").click()
    expect(page.get_by_role("row").filter(has_text=f"{name}-named")).to_contain_text("Breaks", timeout=SOON)
    page.screenshot(path=shots / "contract-impact.png", full_page=True)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("dialog")).to_contain_text(f"This breaks {name}-named", timeout=SOON)
    page.get_by_role("dialog").get_by_role("button", name="Save anyway").click()
    expect(page.get_by_role("button", name="Change")).to_be_visible(timeout=SOON)
    assert [field["name"] for field in rest.get(f"streams/{name}")["contract"]["fields"]] == ["id"]


def test_rows_of_a_table(system: System, sign_in: SignIn, shots: Path) -> None:
    name = f"rates_{uuid4().hex[:6]}"
    page, rest = sign_in(), system.rest("browser", WORKSPACE)
    fields = [{"name": "symbol", "type": "string"}, {"name": "rate", "type": "double"}]
    contract = {"kind": "table", "key": ["symbol"], "key_encoding": {"format": "text"}, "fields": fields}
    rest.post("streams", {"name": name, "topic": name, "create": {"partitions": 2}, "contract": contract})
    producer = Producer({"bootstrap.servers": system.bootstrap})
    for n in range(240):
        producer.produce(name, json.dumps({"rate": n / 4}), key=f"S{n % 80:02}", partition=n % 2)
    producer.produce(name, None, key="S07", partition=1)
    assert producer.flush(20) == 0

    page.goto(f"/w/{WORKSPACE}/streams/{name}/rows")
    expect(page.get_by_text("79", exact=True)).to_be_visible(timeout=SOON)
    expect(page.get_by_role("cell", name="S00", exact=True)).to_be_visible()
    page.get_by_role("button", name="Load more").click()
    expect(page.get_by_role("cell", name="S79", exact=True)).to_be_visible(timeout=SOON)
    expect(page.get_by_role("cell", name="S07", exact=True)).to_have_count(0)
    page.screenshot(path=shots / "table-rows.png")
    asked = page.get_by_role("textbox", name="Find row by symbol")
    asked.fill("S41")
    asked.press("Enter")
    expect(page.get_by_role("cell", name=f"{(160 + 41) / 4}", exact=True)).to_be_visible(timeout=SOON)
    page.screenshot(path=shots / "table-row.png")
    for key, words in (("S07", "Row deleted"), ("nothing", "No row with key nothing")):
        asked.fill(key)
        asked.press("Enter")
        expect(page.get_by_role("heading", name=words)).to_be_visible(timeout=SOON)


def test_rules_references_and_deletion(system: System, sign_in: SignIn, shots: Path) -> None:
    """Compatibility levels and modes of a subject, schema references, and deleted versions."""
    name = f"lines_{uuid4().hex[:6]}"
    page, rest = sign_in(), system.rest("browser", WORKSPACE)
    inner = json.dumps({"type": "record", "name": "Inner", "fields": [ID]})
    rest.post(f"schemas/{name}-inner/versions", {"schema": inner, "schema_type": "AVRO", "references": []})
    page.goto(f"/w/{WORKSPACE}/new-schema")
    page.get_by_role("textbox", name="Subject", exact=True).fill(f"{name}-value")
    outer = {"type": "record", "name": "Outer", "fields": [{"name": "inner", "type": "Inner"}]}
    page.get_by_role("textbox", name="Schema", exact=True).fill(json.dumps(outer))
    page.get_by_role("button", name="Add reference").click()
    page.get_by_role("textbox", name="Reference name").fill("Inner")
    page.get_by_role("combobox", name="Referenced subject").click()
    page.get_by_role("option", name=f"{name}-inner").click()
    page.get_by_role("checkbox", name="Normalize schema").check()
    page.get_by_role("button", name="Register", exact=True).click()
    expect(page.get_by_role("heading", level=1, name=f"{name}-value")).to_be_visible(timeout=SOON)

    page.get_by_role("combobox", name="Compatibility").click()
    page.get_by_role("option", name="(FULL_TRANSITIVE)").click()
    expect(page.get_by_text("Saved", exact=True)).to_be_visible(timeout=SOON)
    page.get_by_role("combobox", name="Mode").click()
    page.get_by_role("option", name="(READONLY)").click()
    expect(page.get_by_text("READONLY", exact=True)).to_be_visible(timeout=SOON)
    subject = rest.get(f"schemas/{name}-value")
    assert (subject["own_level"], subject["own_mode"]) == ("FULL_TRANSITIVE", "READONLY")
    page.get_by_role("combobox", name="Mode").click()
    page.get_by_role("option", name="Inherit default").click()
    expect(page.get_by_text("READWRITE, default")).to_be_visible(timeout=SOON)

    page.get_by_text("Version 1", exact=True).click()
    page.get_by_role("link", name=f"{name}-inner").click()
    page.get_by_text("Version 1", exact=True).click()
    expect(page.get_by_text("Referenced by")).to_contain_text(f"{name}-value version 1", timeout=SOON)
    page.screenshot(path=shots / "subject.png", full_page=True)
    page.get_by_role("link", name=f"{name}-value").click()

    for verb in ("Delete", "Delete permanently"):
        page.goto(f"/w/{WORKSPACE}/schemas/{name}-value?deleted=1")
        page.get_by_text("Version 1", exact=True).click()
        page.get_by_role("group").get_by_role("button", name=verb, exact=True).click()
        page.get_by_role("dialog").get_by_role("button", name=verb, exact=True).click()
        expect(page.get_by_role("dialog")).to_have_count(0, timeout=SOON)
    page.goto(f"/w/{WORKSPACE}/schemas?deleted=1")
    expect(page.get_by_role("link", name=f"{name}-inner")).to_be_visible(timeout=SOON)
    expect(page.get_by_role("link", name=f"{name}-value")).to_have_count(0)
