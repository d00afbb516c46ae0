"""The live tail of a stream: after a loss, opened paused, and while its filter is typed.

The built frontend against its stand-in server (frontend/dev/mock.mjs), so without Kafka and Spark.
"""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.frontend_only.live_connection import LiveConnection

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]

SOON = 20_000
TAIL = "/w/demo/streams/ticks?from=live"
MISSING = re.compile(r"Records may be missing before \d\d:\d\d:\d\d")


def _rows(page: Page) -> Locator:
    return page.get_by_role("region", name="Records").locator("tbody tr")


def _filter(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Filter, e.g. price > 100")


def test_records_that_were_missed_during_a_loss_are_said(page: Page) -> None:
    connection = LiveConnection(page)
    page.goto(TAIL)
    expect(_rows(page).first).to_be_visible(timeout=SOON)
    expect(page.get_by_text(MISSING)).to_have_count(0)
    connection.cut()
    expect(page.get_by_text(MISSING)).to_be_visible(timeout=SOON)
    expect(_rows(page).first).to_be_visible()


def test_a_tail_that_is_opened_paused_holds_the_first_records(page: Page) -> None:
    page.goto(f"{TAIL}&pause=1")
    expect(_rows(page).first).to_be_visible(timeout=SOON)
    shown = _rows(page).all_inner_texts()
    resume = page.get_by_role("button", name=re.compile(r"Resume \([1-9]\d* buffered\)"))
    expect(resume).to_be_visible(timeout=SOON)
    assert _rows(page).all_inner_texts() == shown


def test_the_filter_keeps_the_focus_when_it_is_applied(page: Page) -> None:
    page.goto(TAIL)
    expect(_rows(page).first).to_be_visible(timeout=SOON)
    _filter(page).fill("ask > 100")
    _filter(page).press("Enter")
    expect(page).to_have_url(re.compile("where="))
    expect(page.get_by_text(re.compile(r"\d+ match(es)? in"))).to_be_visible(timeout=SOON)
    expect(_filter(page)).to_be_focused()


def test_a_click_on_pause_right_after_typing_pauses(page: Page) -> None:
    page.goto(TAIL)
    expect(_rows(page).first).to_be_visible(timeout=SOON)
    _filter(page).fill("ask > 100")
    page.get_by_role("button", name="Pause").click()
    expect(page).to_have_url(re.compile("where=.*pause=1"))
    expect(page.get_by_role("button", name=re.compile("Resume"))).to_be_visible(timeout=SOON)
    expect(_rows(page).first).to_be_visible(timeout=SOON)
