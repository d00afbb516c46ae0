"""What a person has typed stays: over a colleague's save, a reload, other pages, and other views.

The built frontend against its stand-in server (frontend/dev/mock.mjs), so without Kafka and Spark; what a
colleague saves meanwhile is put into its answers on their way.
"""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.support.sound_page import require_sound

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]
SOON = 20_000
THEIRS = "format: 1\nname: theirs\n"


def _changed(page: Page, path: re.Pattern[str], **change: Any) -> None:
    """From now on answers below this path say what a colleague has saved."""

    def answer(route: Route) -> None:
        if route.request.method != "GET":
            route.continue_()
            return
        response = route.fetch()
        route.fulfill(response=response, json=response.json() | change)

    page.route(path, answer)


def _type_unread_sql(page: Page) -> Locator:
    """The SQL editor of a new job, with a text that can't be read."""
    page.goto("/w/demo/jobs/new/sql")
    editor = page.get_by_label("Job document, SQL")
    editor.click()
    page.keyboard.press("Control+A")
    page.keyboard.type("SELECT nothing")
    expect(page.get_by_text("SQL not applied")).to_be_visible(timeout=SOON)
    return editor


def _discard(page: Page) -> None:
    page.get_by_role("button", name="Discard draft").click()
    question = page.get_by_role("dialog", name="Discard draft?")
    expect(question).to_contain_text("Your unsaved changes are lost")
    question.get_by_role("button", name="Discard draft").click()


def _editor(page: Page) -> Locator:
    return page.get_by_label("Job document, YAML")


def test_a_version_saved_meanwhile_is_neither_overwritten_nor_hidden(page: Page) -> None:
    page.goto("/w/demo/jobs/stock/document?edit=1")
    _editor(page).click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("# mine\n")
    expect(page.get_by_role("button", name="Save version 3")).to_be_visible()
    saved = {"number": 3, "created_by": "bob", "document_text": THEIRS}
    _changed(page, re.compile(r"/jobs/stock/versions/3$"), **saved)
    _changed(page, re.compile(r"/jobs/stock$"), version=3)
    expect(page.get_by_text("Version 3 was saved meanwhile by bob")).to_be_visible(timeout=SOON)
    expect(_editor(page)).to_contain_text("# mine")
    expect(page.get_by_role("button", name="Save version 4")).to_be_disabled()
    page.reload()
    expect(page.get_by_text("Version 3 was saved meanwhile by bob")).to_be_visible(timeout=SOON)
    expect(_editor(page)).to_contain_text("# mine")
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_label("What was saved")).to_contain_text("+ name: theirs")
    expect(page.get_by_label("What your draft changes")).to_contain_text("+ # mine")
    require_sound(page)
    page.get_by_role("button", name="Use saved version 3").click()
    expect(_editor(page)).to_contain_text("name: theirs")
    expect(page.get_by_text("was saved meanwhile")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(_editor(page)).to_contain_text("# mine")
    _discard(page)
    expect(page.get_by_label("Job document", exact=True)).to_contain_text("name: theirs")


def test_a_dashboard_that_is_edited_is_not_replaced_by_what_a_colleague_saved(page: Page) -> None:
    page.goto("/w/demo/dashboards/floor?edit=1")
    name = page.get_by_label("Name", exact=True)
    name.fill("My floor")
    page.goto("/w/demo/jobs")
    page.goto("/w/demo/dashboards/floor")
    expect(page.get_by_text("You have unsaved changes to this dashboard.")).to_be_visible(timeout=SOON)
    require_sound(page)
    _changed(page, re.compile(r"/dashboards/floor$"), revision=2, name="Their floor", changed_by="bob")
    page.get_by_role("button", name="Continue editing").click()
    expect(page.get_by_text("Draft restored")).to_be_visible(timeout=SOON)
    page.reload()
    expect(page.get_by_text("Dashboard was saved meanwhile by bob")).to_be_visible(timeout=SOON)
    expect(name).to_have_value("My floor")
    page.get_by_role("button", name="Keep my draft").click()
    expect(page.get_by_text("was saved meanwhile")).to_have_count(0)
    expect(name).to_have_value("My floor")
    expect(page.get_by_role("button", name="Save dashboard")).to_be_enabled()
    _discard(page)
    expect(page.get_by_role("heading", name="Their floor")).to_be_visible()
    expect(page.get_by_text("You have unsaved changes")).to_have_count(0)


def test_sql_that_cannot_be_read_stays_and_is_said(page: Page) -> None:
    editor = _type_unread_sql(page)
    page.reload()
    expect(editor).to_contain_text("SELECT nothing", timeout=SOON)
    page.get_by_role("link", name="Form", exact=True).click()
    expect(page.get_by_text("The SQL view has text with problems")).to_be_visible(timeout=SOON)
    page.get_by_role("textbox", name="Name", exact=True).first.fill("renamed")
    page.get_by_role("link", name="SQL", exact=True).click()
    expect(editor).to_contain_text("SELECT nothing")
    expect(page.get_by_text("changed in another view since")).to_be_visible()
    require_sound(page)
    _discard(page)
    expect(page.get_by_text("SQL not applied")).to_have_count(0)
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    expect(editor).not_to_contain_text("SELECT nothing")


def test_the_copy_of_an_example_replaces_a_draft_only_when_told_to(page: Page) -> None:
    editor = _type_unread_sql(page)
    page.evaluate(
        'localStorage.setItem(\'weir.drawing.demo.new-job.right\', \'{"trades": {"x": 1, "y": 2}}\')'
    )
    page.goto("/w/demo/jobs/new")
    page.get_by_role("button", name="Edit a copy").first.click()
    question = page.get_by_role("dialog", name="Replace your draft?")
    require_sound(page)
    question.get_by_role("button", name="Cancel").click()
    page.get_by_role("link", name="SQL", exact=True).click()
    expect(editor).to_contain_text("SELECT nothing", timeout=SOON)
    page.get_by_role("link", name="Example", exact=True).click()
    page.get_by_role("button", name="Edit a copy").first.click()
    question.get_by_role("button", name="Replace draft").click()
    expect(_editor(page)).to_contain_text("format: 1", timeout=SOON)
    expect(page.get_by_role("button", name="Create job")).to_be_enabled(timeout=SOON)
    kept = (
        "['weir.sql.demo.new-job', 'weir.drawing.demo.new-job.right'].map((key) => localStorage.getItem(key))"
    )
    assert page.evaluate(kept) == [None, None]
    page.get_by_role("link", name="Example", exact=True).click()
    page.get_by_role("button", name="Edit a copy").first.click()
    question.get_by_role("button", name="Replace draft").click()
    expect(_editor(page)).to_contain_text("format: 1", timeout=SOON)


def test_undo_of_sql_goes_through_all_views_and_back(page: Page) -> None:
    """By key and by button: each takes back one edit, and neither is taken back by the editor itself."""
    page.goto("/w/demo/jobs/new/sql")
    editor = page.get_by_label("Job document, SQL")
    editor.click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text("SELECT one")
    expect(editor).to_contain_text("SELECT one")
    page.keyboard.press("Control+End")
    page.keyboard.insert_text(" and more")
    expect(editor).to_contain_text("SELECT one and more")
    page.get_by_role("button", name="Undo").click()
    expect(editor).not_to_contain_text("and more")
    expect(editor).to_contain_text("SELECT one")
    editor.click()
    page.keyboard.press("Control+z")
    expect(editor).not_to_contain_text("SELECT one")
    page.keyboard.press("Control+y")
    page.keyboard.press("Control+y")
    expect(editor).to_contain_text("SELECT one and more")


def test_a_draft_that_is_open_in_two_tabs_is_replaced_in_neither_without_a_word(page: Page) -> None:
    page.goto("/w/demo/jobs/new/text")
    _editor(page).click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("# here\n")
    other = page.context.new_page()
    other.goto("/w/demo/jobs/new/text")
    expect(_editor(other)).to_contain_text("# here", timeout=SOON)
    _editor(other).click()
    other.keyboard.press("Control+Home")
    other.keyboard.type("# there\n")
    notice = page.get_by_text("Changed in another tab")
    expect(notice).to_be_visible(timeout=SOON)
    expect(_editor(page)).not_to_contain_text("# there")
    page.get_by_role("button", name="Keep this draft").click()
    expect(notice).to_have_count(0)
    expect(other.get_by_text("Changed in another tab")).to_be_visible(timeout=SOON)
    other.get_by_role("button", name="Reload", exact=True).click()
    expect(_editor(other)).to_contain_text("# here", timeout=SOON)
    expect(_editor(other)).not_to_contain_text("# there")
    other.close()
