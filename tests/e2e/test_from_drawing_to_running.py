"""A join of two streams with a window: drawn from nothing or written in SQL, previewed, tested, started and
watched on the drawing; with the keyboard alone.
"""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import WORKSPACE, SignIn
from tests.support.patience import PATIENCE
from tests.support.shopping import shopping
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(900), pytest.mark.long]

SOON = 20_000 * PATIENCE
PLAYED = 240_000 * PATIENCE  # the engine may still be starting


@pytest.fixture
def streams(system: System) -> Iterator[dict[str, str]]:
    """Two registered streams with records as they happen, by what they are for."""
    with shopping(system, "browser", WORKSPACE) as names:
        yield names


def test_drawn_with_the_keyboard_alone(
    system: System, sign_in: SignIn, streams: dict[str, str], shots: Path
) -> None:
    page = sign_in()
    page.goto(f"/w/{WORKSPACE}/jobs/new/drawing")
    expect(page.get_by_role("application", name="Drawing of the job")).to_be_visible(timeout=SOON)
    _draw(page, streams)
    expect(page.get_by_role("button", name="Create job")).to_be_enabled(timeout=SOON)
    _preview(page, system, "aggregate")
    page.screenshot(path=shots / "drawn.png", full_page=True)
    page.get_by_role("link", name="Form", exact=True).press("Enter")
    name = f"drawn-{uuid4().hex[:6]}"
    page.get_by_role("textbox", name="Name", exact=True).press("Control+a")
    page.keyboard.type(name)
    _create(page, name)
    _capture_and_accept(page)
    _start_and_watch(page, name, "aggregate", shots / "drawn-running.png")


def test_written_in_sql(system: System, sign_in: SignIn, streams: dict[str, str], shots: Path) -> None:
    page = sign_in()
    page.goto(f"/w/{WORKSPACE}/jobs/new/sql")
    editor = page.get_by_role("textbox", name="Job document, SQL")
    expect(editor).to_contain_text("SET 'name' = 'new-job'", timeout=SOON)
    name = f"written-{uuid4().hex[:6]}"
    editor.press("Control+a")
    page.keyboard.insert_text(
        f"SET 'name' = '{name}';\n"
        "SELECT window_start, window_end, user, sum(amount) AS spent\n"
        "FROM TUMBLE(TABLE (\n"
        f"  SELECT v.user AS user, b.amount AS amount FROM {streams['views']} AS v\n"
        f"  JOIN {streams['buys']} AS b\n"
        "  ON v.user = b.user AND b._time BETWEEN v._time AND v._time + INTERVAL '1' SECOND\n"
        "), INTERVAL '1' SECOND)\n"
        "GROUP BY user"
    )
    expect(page.get_by_role("heading", name="No problems")).to_be_visible(timeout=SOON)
    _preview(page, system, None)
    _create(page, name)
    _capture_and_accept(page)
    _start_and_watch(page, name, None, shots / "written-running.png")


def _draw(page: Page, streams: dict[str, str]) -> None:
    """The two streams joined by user within a second, then aggregated per second."""
    offers = page.get_by_role("listbox", name="Add to the job")
    for name in streams.values():
        expect(offers.get_by_role("option", name=name)).to_be_visible(timeout=SOON)
    page.get_by_role("combobox", name="Add to the job").focus()
    _choose(page, streams["views"])
    expect(_node(page, streams["views"])).to_be_focused()
    page.keyboard.press("a")
    _choose(page, streams["buys"])
    expect(_node(page, streams["buys"])).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(_node(page, streams["views"])).to_be_focused()
    page.keyboard.press("a")
    _choose(page, "join two")
    expect(_node(page, "join")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Step name")).to_be_focused()
    page.get_by_role("button", name="Match user").press("Enter")
    page.get_by_role("button", name=f"Use {streams['buys']}_").press("Enter")
    page.get_by_role("textbox", name="Right row later by at most").press("Control+a")
    page.keyboard.type("1s")
    page.keyboard.press("Escape")
    expect(_node(page, "join")).to_be_focused()
    page.keyboard.press("a")
    _choose(page, "aggregate")
    expect(_node(page, "aggregate")).to_be_focused()
    page.keyboard.press("Enter")
    size = page.get_by_role("textbox", name="Size", exact=True)
    size.press("Control+a")
    page.keyboard.type("1s")
    page.keyboard.press("Escape")


def _preview(page: Page, system: System, step: str | None) -> None:
    """Until rows of the step are there; of the only output where no step is named."""
    deadline = time.monotonic() + PLAYED / 1_000
    while not any(engine["ready"] for engine in system.rest("browser", WORKSPACE).get("engines")["results"]):
        assert time.monotonic() < deadline, "no engine is ready"
        time.sleep(1)
    page.get_by_role("button", name="Preview rows").press("Enter")
    last = page.get_by_role("list", name="Steps").get_by_role("listitem").last
    rows = last.get_by_text(re.compile(r"[1-9]\d* rows?$"))
    again = page.get_by_role("button", name="Run again")
    for _ in range(6):
        expect(again).to_be_enabled(timeout=PLAYED)
        if rows.count():
            break
        again.press("Enter")
        expect(page.get_by_role("button", name="Cancel", exact=True)).to_be_visible(timeout=SOON)
    expect(rows.first).to_be_visible()
    if step is not None:
        expect(last).to_contain_text(step)


def _create(page: Page, name: str) -> None:
    page.get_by_role("combobox", name="Start").select_option(label="Don't start yet")
    create = page.get_by_role("button", name="Create job")
    expect(create).to_be_enabled(timeout=SOON)
    create.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(name, timeout=SOON)


def _capture_and_accept(page: Page) -> None:
    """A test of live records, run, and what it gave accepted and saved."""
    page.get_by_role("link", name=re.compile("^Tests")).press("Enter")
    page.get_by_role("button", name="Capture from live records").press("Enter")
    page.get_by_role("button", name="Read records").press("Enter")
    run = page.get_by_role("button", name="Run without saving")
    expect(run).to_be_enabled(timeout=SOON)
    run.press("Enter")
    accept = page.get_by_role("button", name="Accept rows as expected")
    expect(accept).to_be_visible(timeout=PLAYED)
    accept.press("Enter")
    save = page.get_by_role("button", name="Save test")
    expect(save).to_be_enabled(timeout=SOON)
    save.press("Enter")
    play = page.get_by_role("button", name="Run captured records")
    expect(play).to_be_enabled(timeout=SOON)
    play.press("Enter")
    expect(page.get_by_text("Passed", exact=True).first).to_be_visible(timeout=PLAYED)


def _start_and_watch(page: Page, name: str, step: str | None, shot: Path) -> None:
    """From the start to rows that flow through the drawing."""
    page.get_by_role("button", name="Start", exact=True).press("Enter")
    page.get_by_role("menuitem", name="From the earliest record").press("Enter")
    page.get_by_role("link", name="Graph", exact=True).press("Enter")
    moving = page.locator(".react-flow__node").get_by_text(re.compile(r"^[1-9][\d.,]* rows?/s"))
    expect(moving.first).to_be_visible(timeout=PLAYED)
    if step is not None:
        expect(_node(page, step)).to_be_visible()
    page.screenshot(path=shot)
    page.get_by_role("button", name="Stop", exact=True).press("Enter")


def _choose(page: Page, words: str) -> None:
    """Searches the list that has the focus and takes its first choice."""
    page.keyboard.type(words)
    page.keyboard.press("Enter")


def _node(page: Page, name: str) -> Locator:
    return page.locator(f'.react-flow__node[data-id="{name}"]')
