"""A window's form says how many rows would be late at its grace period, and proposes one."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.sound_page import require_sound

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]

SOON = 20_000


def test_a_grace_period_is_proposed_from_how_late_records_were(page: Page) -> None:
    page.goto("/w/demo/jobs/new/form")
    page.get_by_role("combobox", name="Stream").click()
    page.get_by_role("option", name="ticks").click()
    page.get_by_role("button", name="Add step").click()
    page.get_by_role("menuitem", name="Aggregate").click()
    page.get_by_text("How many rows would be late").click()
    late = page.get_by_text("with a delay of 10 s and no grace period")
    expect(late).to_be_visible(timeout=SOON)
    expect(late).to_contain_text("of 5,000 sampled records would be late")
    expect(page.get_by_role("img", name="Share of records that would be late")).to_be_visible()
    page.get_by_role("button", name="Use 20 s").click()
    expect(page.get_by_label("Grace period", exact=True)).to_have_value("20 s")
    expect(page.get_by_text("with a delay of 10 s and a grace period of 20 s")).to_be_visible()
    expect(page.get_by_role("button", name="Use 20 s")).to_have_count(0)
    require_sound(page)
