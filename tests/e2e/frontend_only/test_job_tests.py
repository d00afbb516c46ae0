"""A test of a job is written in the browser: its table and its YAML are one document.

The built frontend against its stand-in server (frontend/dev/mock.mjs), so without Kafka and Spark.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.support.sound_page import require_sound

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]


def test_table_and_yaml_are_one_document(page: Page) -> None:
    page.goto("/w/demo/jobs/stock/tests")
    page.get_by_role("button", name="Edit late ticks change nothing").click()
    cell = page.get_by_label("batch 1, ticks, record 1, symbol")
    expect(cell).to_have_value("A")
    cell.fill("Z")
    cell.press("Enter")
    page.get_by_role("button", name="Add a batch").click()
    expect(page.get_by_role("heading", name="Batch 4")).to_be_visible()
    page.get_by_text("YAML", exact=True).click()
    text = page.get_by_label("Test as YAML")
    expect(text).to_contain_text("symbol: Z")
    expect(text).to_contain_text("# the first")  # comments stay
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("Table", exact=True).click()
    expect(page.get_by_role("heading", name="Batch 4")).to_have_count(0)
    require_sound(page)


def test_a_captured_test_that_was_edited_outlives_a_reload(page: Page) -> None:
    page.goto("/w/demo/jobs/stock/tests?edit=capture")
    page.get_by_role("button", name="Read records").click()
    cell = page.get_by_label("batch 1, ticks, record 1, value as it is in Kafka")
    cell.fill("edited")
    cell.press("Enter")
    page.reload()
    expect(page.get_by_text("Draft restored")).to_be_visible(timeout=20_000)
    expect(cell).to_have_value("edited")
    require_sound(page)
    page.get_by_role("button", name="Discard draft").click()
    page.get_by_role("dialog").get_by_role("button", name="Discard draft").click()
    page.get_by_role("button", name="Capture from live records").click()
    expect(page.get_by_role("button", name="Read records")).to_be_visible()


def test_a_draft_is_run_and_what_came_is_accepted(page: Page) -> None:
    page.goto("/w/demo/jobs/stock/tests?edit=t1")
    page.get_by_role("button", name="Run without saving").click()
    expect(page.get_by_text("Not as expected")).to_be_visible()
    page.get_by_role("button", name="Accept rows as expected").click()
    expect(page.get_by_label("live at the end, row 1, min_ask")).to_have_value("1")
    require_sound(page)


def test_every_state_is_sound(page: Page) -> None:
    for path, shown in (
        ("/w/demo/jobs/stock/tests", "1 of 3 tests failed"),
        ("/w/demo/jobs/flights/tests", "No tests yet"),
        ("/w/demo/jobs/stock/tests?edit=capture", "Capture a test from live records"),
    ):
        page.goto(path)
        expect(page.get_by_text(shown)).to_be_visible(timeout=20_000)
        require_sound(page)
