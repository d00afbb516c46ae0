"""Inviting, joining and losing a role, as both persons see it; signing out ends the other tab too."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import WORKSPACE, SignIn
from tests.support.patience import PATIENCE
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]
# 5 s are promised, and tested by `test_protocol.py`; a browser on a busy machine renders later.
SOON_MS = 15_000 * PATIENCE

Open = Callable[..., Page]


@pytest.fixture
def open_as(system: System, browser: Browser) -> Iterator[Open]:
    """A page of another person, whose requests may be refused."""
    contexts = []

    def open_page(username: str, workspace: str, **options: object) -> Page:
        context = browser.new_context(base_url=system.base_url, **options)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.goto(system.sign_in_path(username, workspace))
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.thorough
def test_somebody_is_invited_joins_and_loses_the_role(sign_in: SignIn, open_as: Open, shots: Path) -> None:
    owner = sign_in()
    owner.goto(f"/w/{WORKSPACE}/admin")
    owner.get_by_label("User name").fill("grace")
    owner.get_by_role("button", name="Invite", exact=True).click()
    expect(owner.get_by_role("region", name="Open invitations").last).to_contain_text("grace")
    owner.screenshot(path=shots / "invited.png")

    grace = open_as("grace", "graces", viewport={"width": 390, "height": 844}, color_scheme="dark")
    invitation = grace.get_by_role("region", name=re.compile("Invitation to"))
    expect(invitation).to_contain_text("as viewer")
    grace.screenshot(path=shots / "invitation-narrow.png")
    invitation.get_by_role("button", name="Accept").click()
    expect(invitation).to_have_count(0)
    grace.goto(f"/w/{WORKSPACE}/jobs")
    expect(grace.get_by_role("heading", level=1)).to_be_visible()

    owner.reload()
    members = owner.get_by_role("region", name="Members").last
    expect(members).to_contain_text("grace")
    row = members.get_by_role("row").filter(has_text="grace")
    row.get_by_role("combobox").click()
    owner.get_by_role("option", name="editor").click()
    expect(row.get_by_role("combobox")).to_have_value("editor")
    row.get_by_role("button", name="Remove").click()
    owner.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(members).not_to_contain_text("grace")
    lost = grace.get_by_role("alert").filter(has_text="Your role in this workspace changed")
    expect(lost).to_be_visible(timeout=SOON_MS)
    grace.screenshot(path=shots / "role-lost-narrow.png")
    expect(grace.get_by_role("button", name="Reload")).to_be_visible()  # beside what is read out


def test_signing_out_in_one_tab_ends_the_other(open_as: Open) -> None:
    page = open_as("heidi", "heidis")
    page.goto("/w/heidis/jobs")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    other = page.context.new_page()
    other.goto("/w/heidis/jobs")
    other.get_by_role("button", name=re.compile("sign out", re.IGNORECASE)).click()
    other.get_by_role("menuitem", name="Sign out").click()
    told = page.get_by_role("alert").filter(has_text="You're signed out")
    # Its next look at the list of jobs may come before the server has closed the socket.
    expect(told.or_(page.get_by_role("heading", name="Sign in to Weir"))).to_be_visible(timeout=SOON_MS)
