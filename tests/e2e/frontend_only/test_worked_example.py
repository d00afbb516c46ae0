"""An operator's worked example is opened from the form of a step, run and changed.

The built frontend against its stand-in server (frontend/dev/mock.mjs), so without Kafka and Spark.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.support.sound_page import require_sound

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]


def test_it_opens_from_the_form_of_a_step_and_runs(page: Page) -> None:
    page.goto("/w/demo/jobs/stock/document?edit=1&view=form")
    page.get_by_role("link", name="See aggregate of step stats run").click()
    expect(page.get_by_role("heading", name="See it run: Aggregate")).to_be_visible()
    page.get_by_label("Example", exact=True).select_option(label="Hopping with late rows")
    expect(page.get_by_role("textbox", name="Job document, YAML")).to_contain_text("hopping")
    expect(page.get_by_label("Late rows at the end")).to_have_value("3")
    page.get_by_role("button", name="Run on Spark").click()
    expect(page.get_by_text("Passed", exact=True)).to_be_visible()
    came = page.get_by_role("region", name="What came in batch 1", exact=True)
    expect(came).to_contain_text("2026-01-01T10:01:40Z")
    require_sound(page)
    cell = page.get_by_label("batch 1, s, record 1, k")
    cell.fill("z")
    cell.press("Enter")
    page.get_by_role("button", name="Back to the original").click()
    page.get_by_role("dialog").get_by_role("button", name="Discard draft").click()
    expect(cell).to_have_value("a")


def test_its_other_views_and_an_unknown_operator_are_sound(page: Page) -> None:
    for path, shown in (
        ("join?view=form", "See it run: Join two streams"),
        ("table_join?view=drawing", "See it run: Join a table"),
        ("nothing", "No examples of"),
    ):
        page.goto(f"/w/demo/jobs/new/example/{path}")
        expect(page.get_by_text(shown)).to_be_visible(timeout=20_000)
        page.wait_for_load_state("networkidle")
        require_sound(page)
