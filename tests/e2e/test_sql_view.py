"""A job written as SQL: the form and the YAML show the same document, problems are at their place."""

from uuid import uuid4

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import WORKSPACE, SignIn
from tests.support.patience import PATIENCE
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]

SOON = 20_000 * PATIENCE
FIELDS = {"symbol": "string", "price": "double", "at": "timestamp"}


@pytest.fixture
def trades(system: System) -> str:
    """A registered stream of a test."""
    name = f"trades_{uuid4().hex[:6]}"
    system.rest("browser", WORKSPACE).post(
        "streams",
        {
            "name": name,
            "topic": name,
            "create": {"partitions": 1},
            "contract": {
                "format": "json",
                "fields": [
                    {"name": field, "type": type_, "nullable": False} for field, type_ in FIELDS.items()
                ],
                "event_time": {"kind": "field", "field": "at"},
            },
        },
    )
    return name


def test_a_job_is_written_in_sql_and_shown_in_form_and_yaml(sign_in: SignIn, trades: str) -> None:
    page = sign_in()
    page.goto(f"/w/{WORKSPACE}/jobs/new/sql")
    expect(_editor(page, "SQL")).to_contain_text("SET 'name' = 'new-job'", timeout=SOON)
    create = page.get_by_role("button", name="Create job")

    _write(page, f"SELECT symbol, max(prise) AS top FROM {trades} GROUP BY symbol")
    expect(page.locator(".cm-lintRange-error").first).to_have_text("prise", timeout=SOON)
    expect(create).to_be_disabled()
    _editor(page, "SQL").press("Control+Home")
    page.get_by_role("button", name="Line 1 FIELD_UNKNOWN").click()
    page.keyboard.insert_text("1 + ")
    expect(_editor(page, "SQL")).to_contain_text("max(1 + prise)")

    _write(page, f"SELECT symbol, max(price AS top FROM {trades}")
    expect(page.get_by_text("SQL_INVALID").first).to_be_visible(timeout=SOON)
    expect(create).to_be_disabled()

    job = f"tops-{uuid4().hex[:6]}"
    _write(
        page,
        f"-- by hand\nSET 'name' = '{job}';\nSELECT symbol, max(price) AS top FROM {trades}\nGROUP BY symbol",
    )
    expect(page.get_by_text("Comments in SQL aren't saved. Use the description.")).to_be_visible()
    expect(page.get_by_role("heading", name="No problems")).to_be_visible(timeout=SOON)

    _view(page, "Form")
    expect(page.get_by_role("textbox", name="Name", exact=True)).to_have_value(job)
    expect(page.get_by_role("heading", name="1. grouped")).to_be_visible()
    _view(page, "YAML")
    expect(_editor(page, "YAML")).to_contain_text("top: max(price)")
    _view(page, "SQL")
    expect(_editor(page, "SQL")).to_contain_text("-- by hand")

    _view(page, "YAML")
    _editor(page, "YAML").click()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text("# kept\ndescription: Highest prices\n")
    _view(page, "SQL")
    expect(_editor(page, "SQL")).to_contain_text("SET 'description' = 'Highest prices';", timeout=SOON)
    lows = f"SELECT symbol, min(price) AS low FROM {trades} GROUP BY symbol"
    _write(page, f"SET 'name' = '{job}';\nSET 'description' = 'Lows';\n{lows};")
    page.keyboard.press("Tab")
    expect(_editor(page, "SQL")).not_to_be_focused()
    expect(create).to_be_enabled(timeout=SOON)
    _view(page, "YAML")
    expect(_editor(page, "YAML")).to_contain_text("low: min(price)")
    expect(_editor(page, "YAML")).to_contain_text("# kept")

    page.get_by_role("combobox", name="Start").select_option(label="Don't start yet")
    create.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(job, timeout=SOON)


def test_what_sql_cannot_show_is_said(sign_in: SignIn) -> None:
    page = sign_in()
    page.goto(f"/w/{WORKSPACE}/jobs/new/text")
    _editor(page, "YAML").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("format: 1\nname: no-output\nsources:\n  a: {stream: a}\noutputs: {}\n")
    _view(page, "SQL")
    expect(page.get_by_role("heading", name="Fix the problems in YAML first")).to_be_visible(timeout=SOON)
    expect(page.get_by_role("button", name="Create job")).to_be_disabled()


def _editor(page: Page, language: str) -> Locator:
    return page.get_by_role("textbox", name=f"Job document, {language}")


def _view(page: Page, label: str) -> None:
    page.get_by_role("navigation", name="Create from").get_by_role("link", name=label, exact=True).click()


def _write(page: Page, text: str) -> None:
    """Replaces the SQL; what is offered meanwhile is left."""
    _editor(page, "SQL").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)
    page.keyboard.press("Escape")
