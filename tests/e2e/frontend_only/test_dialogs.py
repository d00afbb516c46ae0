"""The focus in dialogs: it begins inside, stays inside, and returns to what opened the dialog.

The built frontend against its stand-in server (frontend/dev/mock.mjs), so without Kafka and Spark.
"""

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
