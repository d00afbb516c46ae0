"""The map of a workspace: searched, walked by keyboard, and as a list."""

import re

import pytest
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]


def test_a_job_is_found_and_opened_by_keyboard(page: Page) -> None:
    page.goto("/w/demo/map")
    search = page.get_by_label("Find on the map")
    search.fill("stock")
    expect(page.get_by_role("status").filter(has_text="1 place found")).to_be_visible(timeout=20_000)
    search.press("Enter")
    found = page.get_by_role("link", name=re.compile("^Job stock-statistics"))
    expect(found).to_be_focused()
    found.press("Enter")
    expect(page).to_have_url(re.compile("/jobs/stock"))


def test_arrows_go_from_place_to_place(page: Page) -> None:
    page.goto("/w/demo/map?find=ticks")
    page.get_by_label("Find on the map").press("Enter")
    stream = page.get_by_role("link", name=re.compile("^Stream ticks"))
    expect(stream).to_be_focused(timeout=20_000)
    wide = (page.viewport_size or {"width": 0})["width"] > 620
    page.keyboard.press("ArrowRight" if wide else "ArrowDown")
    expect(page.locator(".react-flow__node:focus")).to_have_count(1)
    expect(stream).not_to_be_focused()


def test_the_list_says_what_the_drawing_shows(page: Page) -> None:
    page.goto("/w/demo/map")
    page.get_by_text("List", exact=True).click()
    flows = page.get_by_role("region", name="Flows")
    expect(flows.get_by_role("row").filter(has_text="ticks").first).to_be_visible(timeout=20_000)
    expect(page.get_by_role("region", name="Not connected")).to_contain_text("unused")


def test_from_afar_a_place_is_its_name(page: Page) -> None:
    page.goto("/w/demo/map?find=stock")
    job = page.get_by_role("link", name=re.compile("^Job stock-statistics"))
    job.wait_for(timeout=20_000)
    page.get_by_label("Find on the map").press("Enter")  # shows it at a size that can be read
    state = job.get_by_text("Running", exact=True)
    expect(state).to_be_visible()
    page.locator(".react-flow__pane").hover()
    page.keyboard.down("Control")
    for _ in range(6):
        page.mouse.wheel(0, 300)
    page.keyboard.up("Control")
    expect(state).to_be_hidden()
    expect(job.get_by_text("stock-statistics")).to_be_visible()
