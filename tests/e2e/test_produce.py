"""Producing in the browser: forms in the stream's format, deletions, files, and re-import of an export."""

import base64
import json
import re
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import WORKSPACE, SignIn
from tests.support.patience import PATIENCE
from tests.support.rest import Rest
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(600)]

SOON = 60_000 * PATIENCE
BIG = 2**60 + 1
FIELDS = [{"name": "id", "type": "long", "nullable": False}, {"name": "note", "type": "string"}]


def made(rest: Rest, name: str, contract: dict[str, Any]) -> None:
    rest.post(
        "streams",
        {
            "name": name,
            "topic": name,
            "create": {"partitions": 1},
            "contract": {"fields": FIELDS, **contract},
        },
    )


def records(rest: Rest, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = rest.get(f"streams/{name}/records?from=earliest")["records"]
    return found


def test_a_framed_record_with_headers_by_hand(system: System, sign_in: SignIn, shots: Path) -> None:
    name = f"framed_{uuid4().hex[:6]}"
    page, rest = sign_in(), system.rest("browser", WORKSPACE)
    rest.post(
        f"schemas/{name}-value/versions",
        {"schema": '{"type": "object"}', "schema_type": "JSON", "references": []},
    )
    number = rest.get(f"schemas/{name}-value")["versions"][0]["id"]
    made(rest, name, {"encoding": {"format": "json", "framing": "confluent"}})
    page.goto(f"/w/{WORKSPACE}/streams/{name}/produce")
    page.get_by_role("textbox", name="Value", exact=True).fill(json.dumps({"id": BIG, "note": "a"}))
    page.get_by_role("button", name="Add header").click()
    page.get_by_role("textbox", name="Name of header 1").fill("trace")
    page.get_by_role("textbox", name="Value of header 1").fill("t-1")
    page.screenshot(path=shots / "writing.png", full_page=True)
    page.get_by_role("button", name="Produce record").click()
    expect(page.get_by_text("1 record written")).to_be_visible(timeout=SOON)
    complete = rest.get(f"streams/{name}/records/0/0")
    assert bytes.fromhex("00") + number.to_bytes(4, "big") == base64.b64decode(complete["value_base64"])[:5]
    assert str(BIG) in complete["row_json"]
    assert complete["headers"] == [{"name": "trace", "value": "t-1", "value_is_text": True}]


def test_a_row_is_deleted_by_its_key(system: System, sign_in: SignIn) -> None:
    name = f"rows_{uuid4().hex[:6]}"
    page, rest = sign_in(), system.rest("browser", WORKSPACE)
    made(rest, name, {"kind": "table", "key": ["id"]})
    page.goto(f"/w/{WORKSPACE}/streams/{name}/produce")
    page.get_by_role("textbox", name="Key", exact=True).fill("5")
    page.get_by_role("button", name="Produce record").click()
    expect(page.get_by_text("1 record written")).to_be_visible(timeout=SOON)
    page.get_by_role("combobox", name="Value format").click()
    page.get_by_role("option", name="Null (tombstone)").click()
    page.get_by_role("button", name="Produce record").click()
    expect(page.get_by_text("up to offset 1 of partition 0")).to_be_visible(timeout=SOON)
    assert rest.get(f"streams/{name}/table/row?key=5")["state"] == "deleted"


def test_a_file_is_checked_whole_and_an_export_goes_back(
    system: System, sign_in: SignIn, shots: Path, tmp_path: Path
) -> None:
    name, copy = f"filed_{uuid4().hex[:6]}", f"copied_{uuid4().hex[:6]}"
    page, rest = sign_in(), system.rest("browser", WORKSPACE)
    for one in (name, copy):
        made(rest, one, {})
    lines = [json.dumps({"id": n, "note": str(n)}) for n in range(1_200)]
    lines[1_100] = "{"
    lines[700] = '{"note": "no id"}'
    file = tmp_path / "records.jsonl"
    file.write_text("\n".join(lines))
    page.goto(f"/w/{WORKSPACE}/streams/{name}/produce")
    _choose(page, file)
    expect(page.get_by_text("2 lines of 1,200 are invalid")).to_be_visible(timeout=SOON)
    expect(page.get_by_text("Line 701: Record 701 is malformed (FIELD_MISSING)")).to_be_visible()
    assert records(rest, name) == []
    page.screenshot(path=shots / "writing-file.png", full_page=True)
    page.get_by_role("button", name="Produce 1,198 valid records").click()
    expect(page.get_by_text(re.compile("^1,198 records written"))).to_be_visible(timeout=SOON)

    page.goto(f"/w/{WORKSPACE}/streams/{name}?from=earliest")
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    exported = tmp_path / "exported.jsonl"
    download.value.save_as(exported)
    assert len(exported.read_text().splitlines()) == 1_198
    page.goto(f"/w/{WORKSPACE}/streams/{copy}/produce")
    _choose(page, exported)
    expect(page.get_by_text(re.compile("^1,198 records written"))).to_be_visible(timeout=SOON)
    assert [one["value"] for one in records(rest, copy)] == [one["value"] for one in records(rest, name)]


def _choose(page: Page, file: Path) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Select file").click()
    chooser.value.set_files(file)
