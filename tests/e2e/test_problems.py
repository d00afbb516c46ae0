"""Problems of a document are shown at their position while it is edited."""

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import WORKSPACE, SignIn
from tests.support.patience import PATIENCE
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.thorough, pytest.mark.timeout(300)]

FAULTY = """format: 1
name: faulty
sources:
  ticks: {stream: no_such_stream}
steps:
  some: {op: filter, input: tikcs, where: price >}
outputs:
  live: {input: some, to: result}
"""


def test_every_problem_is_shown_at_its_position(system: System, sign_in: SignIn) -> None:
    page = sign_in()
    page.goto(f"/w/{WORKSPACE}/jobs/new/text")
    editor = page.locator(".cm-content")
    expect(editor).to_be_visible(timeout=20_000 * PATIENCE)
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(FAULTY)
    expect(page.locator(".cm-lintRange-error").first).to_be_visible(timeout=20_000 * PATIENCE)
    expect(page.get_by_text("no_such_stream").last).to_be_visible()
    expect(page.get_by_role("button", name="Create job")).to_be_disabled()
