"""Dead letters in the browser.

Turn contract validation on, read the reasons, edit and redrive one, redrive a group, discard the rest.
"""

import json
from pathlib import Path
from uuid import uuid4

import pytest
from confluent_kafka import Producer
from playwright.sync_api import Page, expect

from tests.e2e.conftest import WORKSPACE, SignIn
from tests.support.bad_records import CONTRACT
from tests.support.patience import PATIENCE
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(600)]

SOON = 20_000 * PATIENCE
STARTED = 240_000 * PATIENCE
GOOD = {"k": "a", "x": 1, "at": 1_750_000_000_000}
BAD = (b'{"k": "cut', b'{"k": "cut again', b"[1]", b'{"x": 5, "at": 1750000000000}')


def test_quarantine_edit_redrive_discard(system: System, sign_in: SignIn, shots: Path) -> None:
    name = f"guarded_{uuid4().hex[:6]}"
    page = sign_in()
    system.rest("browser", WORKSPACE).post(
        "streams",
        {
            "name": name,
            "description": "",
            "topic": name,
            "create": {"partitions": 1, "retention_ms": None},
            "contract": CONTRACT,
        },
    )
    producer = Producer({"bootstrap.servers": system.bootstrap})
    for value in [json.dumps(GOOD).encode()] * 10 + list(BAD):
        producer.produce(name, value)
    assert producer.flush(20) == 0

    page.goto(f"/w/{WORKSPACE}/streams/{name}/dead-letters")
    expect(page.get_by_role("heading", name="No dead letters")).to_be_visible(timeout=SOON)
    page.get_by_role("button", name="Turn on from earliest").click()
    group = page.get_by_role("row").filter(has_text="Not JSON").first
    expect(group).to_be_visible(timeout=STARTED)
    expect(page.get_by_text("14 records").first).to_be_visible(timeout=SOON)

    group.get_by_role("button", name="NOT_JSON").click()
    dead_letter = page.get_by_role("table", name="Dead letters: NOT_JSON").get_by_role(
        "button", name="0 : 11"
    )
    dead_letter.click()
    expect(page.get_by_role("button", name="Edit and redrive")).to_be_visible(timeout=SOON)
    expect(page.get_by_role("definition").get_by_text("Valid", exact=True)).to_have_count(0)
    page.screenshot(path=shots / "dead-letters.png", full_page=True)
    page.get_by_role("button", name="Edit and redrive").click()
    page.get_by_role("textbox", name="Value").fill(json.dumps(GOOD))
    page.screenshot(path=shots / "dead-letters-edit.png")
    page.get_by_role("button", name="Redrive", exact=True).last.click()
    expect(page.get_by_text("1 of 1 record")).to_be_visible(timeout=SOON)
    expect(page.get_by_text("15 records").first).to_be_visible(timeout=SOON)

    _edit_group(page, shots)
    expect(page.get_by_text("16 records").first).to_be_visible(timeout=SOON)

    _send_group(page)
    expect(page.get_by_text("Redriven once before").first).to_be_visible(timeout=60_000 * PATIENCE)
    page.set_viewport_size({"width": 390, "height": 844})
    page.screenshot(path=shots / "dead-letters-narrow.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    page.set_viewport_size({"width": 1440, "height": 900})

    page.get_by_role("row").filter(has_text="NOT_OBJECT").get_by_role("button", name="Discard").click()
    page.get_by_role("textbox", name="Reason").fill("a test")
    page.get_by_role("dialog").get_by_role("button", name="Discard").click()
    expect(
        page.get_by_role("row").filter(has_text="NOT_OBJECT").get_by_role("button", name="Discard")
    ).to_have_count(0, timeout=SOON)
    page.get_by_role("button", name="Turn off").click()
    expect(page.get_by_text("Off: jobs skip malformed records").first).to_be_visible(timeout=SOON)


def _edit_group(page: Page, shots: Path) -> None:
    """All that lack a field get it, previewed on samples before it is sent."""
    page.get_by_role("row").filter(has_text="Missing required field").get_by_role(
        "button", name="Edit all"
    ).click()
    dialog = page.get_by_role("dialog")
    send = dialog.get_by_role("button", name="Edit and redrive 1 dead letter")
    expect(send).to_be_disabled()
    dialog.get_by_role("textbox", name="Field").fill("k")
    dialog.get_by_role("textbox", name="Value").fill("a")
    dialog.get_by_role("button", name="Preview").click()
    expect(dialog.get_by_text("1 of the latest 1 will be sent")).to_be_visible(timeout=SOON)
    expect(dialog.get_by_role("table", name="Samples").get_by_text('"k":"a"')).to_be_visible()
    page.screenshot(path=shots / "dead-letters-edit-all.png")
    dialog.get_by_role("textbox", name="Value").fill("5")
    expect(send).to_be_disabled()  # these edits were not previewed
    dialog.get_by_role("textbox", name="Value").fill("a")
    send.click()
    expect(page.get_by_text('each with k set to "a"')).to_be_visible(timeout=SOON)


def _send_group(page: Page) -> None:
    """The one dead letter of NOT_JSON that is left is redriven as is, and fails again."""
    page.get_by_role("row").filter(has_text="Not JSON").first.get_by_role(
        "button", name="Redrive", exact=True
    ).first.click()
    page.get_by_role("dialog").get_by_role("button", name="Redrive", exact=True).click()
