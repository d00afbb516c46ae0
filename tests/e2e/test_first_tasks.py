"""Three first tasks of a person who has read nothing: each begins at the overview, uses nothing but what the
screen says, and takes so few clicks and typed fields that a person is done within two minutes. The time in
which the system starts a job isn't the person's, and isn't counted.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import WORKSPACE, SignIn
from tests.support.counted_hands import CountedHands
from tests.support.patience import PATIENCE
from tests.support.shopping import shopping
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(600)]

SOON = 20_000 * PATIENCE
STARTED = 240_000 * PATIENCE  # the engine may still be starting


@pytest.fixture(scope="module")
def streams(system: System) -> Iterator[dict[str, str]]:
    with shopping(system, "browser", WORKSPACE) as names:
        yield names


@pytest.fixture
def page(sign_in: SignIn) -> Page:
    """The overview."""
    page = sign_in()
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview", timeout=SOON)
    return page


def test_rows_are_counted_with_a_filter_and_a_window(
    page: Page, streams: dict[str, str], shots: Path
) -> None:
    hands = CountedHands()
    _count_a_page(page, hands, streams["views"], "first-count")
    page.screenshot(path=shots / "first-count.png")
    hands.require_within(clicks=8, fields=4)


def test_a_running_job_is_changed_and_changed_back(page: Page, streams: dict[str, str], shots: Path) -> None:
    name = _count_a_page(page, CountedHands(), streams["views"], "changed-count")
    page.get_by_role("link", name="Overview").click()
    hands = CountedHands()
    hands.click(page.get_by_role("region", name="Jobs", exact=True).get_by_role("link", name=name))
    hands.click(page.get_by_role("link", name="Edit", exact=True))
    drawing = page.get_by_role("application", name="Drawing of the job")
    hands.click(drawing.get_by_text("filter", exact=True))
    hands.type(page.get_by_role("textbox", name="Condition"), "page = '/2'")
    hands.click(page.get_by_role("button", name="Save version 2"))
    _restart(page, hands, 2)
    hands.click(page.get_by_role("link", name="Versions"))
    hands.click(page.get_by_role("button", name="Restore as new version"))
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("page = '/2' → page = '/1'", timeout=SOON)
    hands.click(dialog.get_by_role("button", name="Save version 3"))
    _restart(page, hands, 3)
    page.screenshot(path=shots / "changed-back.png")
    hands.require_within(clicks=11, fields=2)
    page.get_by_role("link", name="Live", exact=True).click()
    _see_rows(page)
    page.get_by_role("button", name="Stop", exact=True).click()


def test_two_streams_are_joined_and_a_typo_is_mended(
    page: Page, streams: dict[str, str], shots: Path
) -> None:
    hands = CountedHands()
    _begin(page, hands)
    for name in ("views", "buys"):
        hands.click(_offer(page, streams[name]))
    hands.click(_offer(page, "Join two streams"))
    hands.click(page.get_by_role("button", name="Match user"))
    condition = page.get_by_role("textbox", name="Extra condition")
    hands.type(condition, "amonut > 10")
    expect(condition).to_have_accessible_description(re.compile("Did you mean amount"), timeout=SOON)
    page.screenshot(path=shots / "typo.png")
    hands.type(condition, "amount > 10")
    hands.click(page.get_by_role("button", name=f"Use {streams['buys']}_"))
    _create(page, hands, "first-join")
    page.screenshot(path=shots / "first-join.png")
    hands.require_within(clicks=10, fields=4)
    page.get_by_role("button", name="Stop", exact=True).click()


def _count_a_page(page: Page, hands: CountedHands, stream: str, name: str) -> str:
    """A job that counts the views of one page in windows of 10 s, started; its name."""
    _begin(page, hands)
    hands.click(_offer(page, stream))
    hands.click(_offer(page, "Filter"))
    hands.type(page.get_by_role("textbox", name="Condition"), "page = '/1'")
    hands.click(_offer(page, "Aggregate"))
    hands.type(page.get_by_role("textbox", name="Size", exact=True), "10s")
    return _create(page, hands, name)


def _begin(page: Page, hands: CountedHands) -> None:
    hands.click(page.get_by_role("main").get_by_role("link", name="New job").first)
    hands.click(page.get_by_role("link", name="Drawing"))


def _offer(page: Page, name: str) -> Locator:
    return page.get_by_role("listbox", name="Add to the job").get_by_role("option", name=name)


def _create(page: Page, hands: CountedHands, name: str) -> str:
    """The job is named, created and started, and its rows are seen; its name."""
    unique = f"{name}-{uuid4().hex[:6]}"
    hands.type(page.get_by_role("textbox", name="Job name"), unique)
    create = page.get_by_role("button", name="Create job")
    expect(create).to_be_enabled(timeout=SOON)
    hands.click(create)
    expect(page.get_by_role("heading", level=1)).to_have_text(unique, timeout=SOON)
    _see_rows(page)
    return unique


def _see_rows(page: Page) -> None:
    rows = page.get_by_role("table", name=re.compile("^Newest rows")).get_by_role("row")
    expect(rows.nth(1)).to_be_visible(timeout=STARTED)


def _restart(page: Page, hands: CountedHands, version: int) -> None:
    hands.click(page.get_by_role("status").get_by_role("button", name=f"Restart with version {version}"))
    expect(page.get_by_text(f"v{version} running ·")).to_be_visible(timeout=STARTED)
    expect(page.get_by_role("main").get_by_text("Running", exact=True).first).to_be_visible(timeout=STARTED)
