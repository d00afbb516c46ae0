"""The focus in dialogs: it begins inside, stays inside, and returns to what opened the dialog.

The built frontend against its stand-in server (frontend/dev/mock.mjs), so without Kafka and Spark.
"""

import re
from typing import Final

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]

_DIALOGS: Final = (
    ("/alerts/rules", "New rule", "Name"),
    ("/alerts/rules", "Edit", "Name"),
    ("/alerts/rules", "Delete", "Cancel"),
    ("/alerts/channels", "New channel", "Name"),
    ("/alerts/silences", "New silence", "For"),
    ("/alerts/objectives", "New objective", "Job"),
    ("/dashboards", "New dashboard", "Name"),
    ("/dashboards/floor", "Share", "Close"),
    ("/dashboards/floor?edit=1", "Add panel", "Close"),
    ("/consumers/home/invoice-writer", "Delete group", "Cancel"),
    ("/admin/openlineage", "Change", "URL"),
    ("/admin/clusters", "Remove", "Cancel"),
    ("/jobs/stock", "Delete", "Cancel"),
)
_IN_DIALOG: Final = "document.activeElement.closest('[role=dialog]') !== null"


@pytest.mark.parametrize(("address", "opener", "first"), _DIALOGS)
def test_the_focus_of_a_dialog(page: Page, address: str, opener: str, first: str) -> None:
    page.goto(f"/w/demo{address}")
    button = page.get_by_role("button", name=opener, exact=True).first
    button.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    expect(_first(dialog, first)).to_be_focused()
    for key in ["Tab"] * 25 + ["Shift+Tab"] * 3:
        page.keyboard.press(key)
        assert page.evaluate(_IN_DIALOG), f"{key} left the dialog"
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(button).to_be_focused()


def _first(dialog: Locator, name: str) -> Locator:
    if name in ("Cancel", "Close"):
        return dialog.get_by_role("button", name=name, exact=True)
    return dialog.get_by_role("textbox", name=name).or_(dialog.get_by_role("combobox", name=name))


def test_an_edited_panel_is_left_after_one_question(page: Page) -> None:
    page.goto("/w/demo/dashboards/floor?edit=1")
    opener = page.get_by_role("button", name="Add panel", exact=True).first
    opener.click()
    drawer = page.get_by_role("dialog", name="Add panel")
    title = drawer.get_by_role("textbox", name="Title")
    title.fill("Loss by hour")
    question = page.get_by_role("dialog", name="Discard draft?")
    page.keyboard.press("Escape")
    expect(question).to_be_visible()
    page.keyboard.press("Escape")
    expect(question).to_have_count(0)
    expect(title).to_have_value("Loss by hour")
    drawer.get_by_role("button", name="Cancel", exact=True).click()
    question.get_by_role("button", name="Discard draft").click()
    expect(drawer).to_have_count(0)
    expect(opener).to_be_focused()


def test_a_secret_that_is_shown_once_outlives_a_stray_key(page: Page) -> None:
    page.route(
        re.compile(r"/alert-channels$"),
        lambda route: (
            route.fulfill(status=201, json={"id": "c9", "secret": "whsec-1"})
            if route.request.method == "POST"
            else route.continue_()
        ),
    )
    page.goto("/w/demo/alerts/channels")
    page.get_by_role("button", name="New channel", exact=True).first.click()
    dialog = page.get_by_role("dialog", name="New channel")
    dialog.get_by_role("textbox", name="Name").fill("hook")
    dialog.get_by_role("textbox", name="Webhook URL").fill("https://hooks.example.com/1")
    dialog.get_by_role("button", name="Create channel").click()
    expect(dialog).to_contain_text("whsec-1")
    page.keyboard.press("Escape")
    expect(dialog.get_by_role("button", name="Close", exact=True)).to_have_count(0)
    expect(dialog).to_contain_text("whsec-1")
    dialog.get_by_role("button", name="Done").click()
    expect(dialog).to_have_count(0)


def test_a_slash_that_needs_shift_opens_the_search(page: Page) -> None:
    page.goto("/w/demo/jobs")
    expect(page.get_by_role("heading", level=1, name="Jobs")).to_be_visible()
    page.evaluate(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '/', shiftKey: true, bubbles: true}))"
    )
    expect(page.get_by_role("dialog", name="Search")).to_be_visible()
