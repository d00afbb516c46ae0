"""Rows of a preview that was canceled are said to be older than the document."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.support.sound_page import require_sound

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]
SOON = 20_000
PREVIEW = re.compile(r"/documents/preview$")


def test_rows_of_the_document_before_are_not_told_as_present(page: Page) -> None:
    page.goto("/w/demo/jobs/new")
    page.get_by_role("button", name="Edit a copy").first.click()
    page.get_by_role("button", name="Preview rows").click()
    state = page.get_by_role("status").filter(has_text=re.compile("change|Playing"))
    expect(state).to_have_text("Runs again after each change.", timeout=SOON)
    page.route(PREVIEW, lambda _: None)  # an answer that does not come
    page.get_by_label("Job document, YAML").click()
    page.keyboard.press("Control+Home")
    # At once: of slow keys each may ask anew, also after Cancel.
    page.keyboard.insert_text("# changed\n")
    page.get_by_role("button", name="Cancel").click()
    expect(state).to_have_text("These rows are from before the last change.")
    page.mouse.move(0, 0)  # its place has a tooltip now
    require_sound(page)
    page.unroute(PREVIEW)
    page.get_by_role("button", name="Run again").click()
    expect(state).to_have_text("Runs again after each change.", timeout=SOON)
