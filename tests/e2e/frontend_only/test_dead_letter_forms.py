"""A form about dead letters stays, with what was typed, while rows leave the list below it.

The built frontend against its stand-in server (frontend/dev/mock.mjs), so without Kafka and Spark; what is
said of dead letters is the test's own.
"""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]

SOON = 20_000
AT = "2026-01-01T10:00:00.000000Z"
PAGE = 50
REASON = "NOT_JSON"


class DeadLetters:
    """The dead letters of the stream ticks; a page of the list has the newest fifty."""

    def __init__(self, page: Page) -> None:
        self.newest = PAGE
        self.max_waiting = 200_000
        self.sent: list[tuple[str, Any]] = []
        page.route(re.compile(r"/api/.*/streams/ticks/(validation|redrives|dead-letters)"), self._answer)

    def come(self, count: int) -> None:
        self.newest += count

    def _answer(self, route: Route) -> None:
        path = route.request.url.split("/streams/ticks/")[1].split("?")[0]
        if route.request.method == "POST":
            self.sent.append((path, route.request.post_data_json))
            route.fulfill(status=200, json={"discarded": 1})
            return
        route.fulfill(json=self._found(path))

    def _found(self, path: str) -> dict[str, Any]:
        ids = range(self.newest, self.newest - PAGE, -1)
        if path == "validation":
            at_once = {"max_waiting": self.max_waiting, "index_pending": self.newest >= self.max_waiting}
            return _validation(self.newest) | at_once
        if path == "redrives":
            return {"results": []}
        if path == "dead-letters/groups":
            return {"results": [_group(self.newest)]}
        if path == "dead-letters":
            return {"results": [_dead_letter(number) for number in ids], "next": ids[-1]}
        return _dead_letter(int(path.split("/")[1])) | _DETAIL


def _dead_letter(number: int) -> dict[str, Any]:
    return {
        "id": number,
        "partition": 0,
        "offset": number,
        "timestamp": AT,
        "reason": REASON,
        "size": 9,
        "preview": "not json",
        "preview_is_text": True,
        "redrive_count": 0,
        "state": "waiting",
        "note": "",
        "resolved_at": None,
        "redrive": None,
    }


_DETAIL = {
    "topic": "demo.ticks",
    "rejected_by": "decode",
    "value": "not json",
    "value_is_text": True,
    "key": "AAPL",
    "key_is_text": True,
    "value_json": None,
    "key_json": None,
    "truncated": False,
    "headers": [],
    "current_error": {"reason": REASON, "detail": "The value is not JSON."},
}


def _group(waiting: int) -> dict[str, Any]:
    counts = {"kept": waiting, "waiting": waiting, "redriven": 0, "discarded": 0, "failed_again": 0}
    return {"reason": REASON, "newest": AT, "samples": [], **counts}


def _validation(malformed: int) -> dict[str, Any]:
    return {
        "on": True,
        "enabled": True,
        "required_by": [],
        "last_error": "",
        "observed": "running",
        "observed_since": AT,
        "last_seen_at": AT,
        "failure": None,
        "retry_at": None,
        "engine": "shared-1",
        "lag_records": 0,
        "records_per_second": 38.0,
        "dead_letter_topic": "weir.dead.1",
        "index_pending": False,
        "max_waiting": 200_000,
        "counts": {
            "records": 900,
            "valid": 900 - malformed,
            "malformed": malformed,
            "skipped": 0,
            "by_reason": [],
        },
        "history": [],
        "dead_letters": {
            "kept": malformed,
            "waiting": malformed,
            "in_flight": 0,
            "redriven": 0,
            "discarded": 0,
        },
    }


@pytest.fixture
def dead_letters(page: Page) -> DeadLetters:
    """Fifty, and the list of them is open."""
    found = DeadLetters(page)
    page.goto("/w/demo/streams/ticks/dead-letters")
    page.get_by_role("button", name=REASON).click()
    expect(_row(page, PAGE)).to_be_visible(timeout=SOON)
    return found


def _row(page: Page, number: int) -> Locator:
    rows = page.get_by_role("table", name=f"Dead letters: {REASON}")
    return rows.get_by_role("button", name=f"0 : {number}", exact=True)


def test_it_is_said_that_not_all_are_listed(page: Page, dead_letters: DeadLetters) -> None:
    note = page.get_by_text("Not all are listed")
    expect(note).to_have_count(0)
    dead_letters.max_waiting = PAGE + 1
    dead_letters.come(1)
    page.reload()
    expect(note).to_be_visible(timeout=SOON)
    expect(page.get_by_text("51 are waiting, the most at once.")).to_be_visible()


def _leave(page: Page, dead_letters: DeadLetters, number: int) -> None:
    """So many come that this one is no longer on the page."""
    dead_letters.come(PAGE)
    expect(_row(page, number + PAGE)).to_be_visible(timeout=SOON)
    expect(_row(page, number)).to_have_count(0)


def test_an_edit_stays_when_its_row_leaves(page: Page, dead_letters: DeadLetters) -> None:
    _row(page, PAGE).click()
    page.get_by_role("button", name="Edit and redrive").click()
    form = page.get_by_role("dialog", name="Edit and redrive")
    value = form.get_by_role("textbox", name="Value")
    value.fill('{"symbol": "AAPL"}')
    _leave(page, dead_letters, PAGE)
    expect(value).to_have_value('{"symbol": "AAPL"}')
    form.get_by_role("button", name="Redrive", exact=True).click()
    expect(form).to_have_count(0)
    [(path, sent)] = dead_letters.sent
    assert path == "redrives"
    assert sent["ids"] == [PAGE]
    assert sent["record"]["value"] == '{"symbol": "AAPL"}'


def test_an_edit_is_left_after_one_question(page: Page, dead_letters: DeadLetters) -> None:
    _row(page, PAGE).click()
    page.get_by_role("button", name="Edit and redrive").click()
    form = page.get_by_role("dialog", name="Edit and redrive")
    value = form.get_by_role("textbox", name="Value")
    value.fill('{"symbol": "AAPL"}')
    page.keyboard.press("Escape")
    question = page.get_by_role("dialog", name="Discard draft?")
    question.get_by_role("button", name="Cancel", exact=True).click()
    expect(question).to_have_count(0)
    expect(value).to_have_value('{"symbol": "AAPL"}')
    form.get_by_role("button", name="Cancel", exact=True).click()
    question.get_by_role("button", name="Discard draft").click()
    expect(form).to_have_count(0)
    assert not dead_letters.sent


def test_a_selection_is_discarded_as_it_was_when_the_form_was_opened(
    page: Page, dead_letters: DeadLetters
) -> None:
    for number in (PAGE, PAGE - 1):
        page.get_by_role("checkbox", name=f"Select 0 : {number}", exact=True).check()
    opener = page.get_by_role("button", name="Discard selected")
    opener.click()
    form = page.get_by_role("dialog", name="Discard 2 dead letters?")
    expect(form.get_by_role("textbox", name="Reason")).to_be_focused()
    page.keyboard.press("Escape")
    expect(form).to_have_count(0)
    expect(opener).to_be_focused()
    opener.click()
    form.get_by_role("textbox", name="Reason").fill("a test")
    _leave(page, dead_letters, PAGE)
    expect(form.get_by_role("textbox", name="Reason")).to_have_value("a test")
    form.get_by_role("button", name="Discard").click()
    expect(form).to_have_count(0)
    [(path, sent)] = dead_letters.sent
    assert path == "dead-letters/discard"
    assert sorted(sent["ids"]) == [PAGE - 1, PAGE]
