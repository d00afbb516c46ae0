"""What can be asked again after one of its requests has failed: a search, and whether a job can resume.

The built frontend against its stand-in server (frontend/dev/mock.mjs), so without Kafka and Spark; what is
found, and that a request fails, is the test's own.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]

SOON = 20_000
UNAVAILABLE = {"title": "Unavailable", "detail": "Kafka cluster home is unreachable.", "status": 503}


@pytest.fixture
def page(mock: str, browser: Browser) -> Iterator[Page]:
    """A page whose console says which requests failed."""
    context = browser.new_context(base_url=mock, viewport={"width": 1440, "height": 900})
    yield context.new_page()
    context.close()


def _scan(until: int) -> dict[str, Any]:
    place = {"partition": 0, "from": until - 100, "to": until, "range_start": 0, "range_end": 200}
    return {
        "partitions": [place | {"log_start": 0, "log_end": 200}],
        "records": 100,
        "bytes": 9_800,
        "elapsed_ms": 41,
        "stop_reason": "records" if until < 200 else "end",
    }


def _record(offset: int) -> dict[str, Any]:
    return {
        "partition": 0,
        "offset": offset,
        "timestamp": "2026-01-01T10:00:00.000000Z",
        "key": "AAPL",
        "key_is_text": True,
        "value": "{}",
        "value_is_text": True,
        "truncated": False,
        "size": 2,
        "timestamp_type": "create",
        "headers": [],
        "row": {"symbol": "AAPL"},
        "event_time": "2026-01-01T10:00:00.000000Z",
        "deleted": False,
        "malformed": None,
    }


def _fails_at_first(page: Page, path: str, pages: list[dict[str, Any]]) -> None:
    """Answers with two pages, of which the second can't be read when it is asked for the first time."""
    failures = iter([True])

    def answer(route: Route) -> None:
        if "cursor=" not in route.request.url:
            route.fulfill(json=pages[0])
        elif next(failures, False):
            route.fulfill(status=503, json=UNAVAILABLE)
        else:
            route.fulfill(json=pages[1])

    page.route(re.compile(path), answer)


def test_load_more_goes_on_with_a_search_that_failed(page: Page) -> None:
    pages = [
        {"records": [], "scan": _scan(100), "next": "more"},
        {"records": [_record(150)], "scan": _scan(200), "next": None},
    ]
    _fails_at_first(page, r"/streams/ticks/records\?", pages)
    page.goto("/w/demo/streams/ticks?where=ask+%3E+100")
    expect(page.get_by_text("Kafka cluster home is unreachable.")).to_be_visible(timeout=SOON)
    page.get_by_role("button", name="Load more").click()
    expect(page.get_by_role("button", name="0 : 150", exact=True)).to_be_visible(timeout=SOON)
    expect(page.get_by_text("1 match in 200 of 200 records")).to_be_visible()
    expect(page.get_by_text("Kafka cluster home is unreachable.")).to_have_count(0)


def test_the_rows_of_a_table_are_read_on_after_a_failure(page: Page) -> None:
    first = {"rows": [], "complete": False, "malformed": 0, "size": None, "newest": None}
    row = {"key": '["S1"]', "row": {"symbol": "S1"}, "event_time": None, "partition": 0, "offset": 1}
    row |= {"timestamp": "2026-01-01T10:00:00.000000Z"}
    size = {"rows": 1, "exact": True}
    pages = [
        first | {"scan": _scan(100), "next": "pass:1"},
        first | {"rows": [row], "complete": True, "size": size, "scan": _scan(200), "next": None},
    ]
    _fails_at_first(page, r"/streams/quotes/table(\?|$)", pages)
    page.goto("/w/demo/streams/quotes/rows")
    failed = page.get_by_role("alert").filter(has_text="Couldn't load rows")
    expect(failed).to_contain_text("Kafka cluster home is unreachable.", timeout=SOON)
    expect(page.get_by_text("Loading rows…")).to_have_count(0)
    failed.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("region", name="Rows")).to_contain_text("S1", timeout=SOON)
    expect(failed).to_have_count(0)


def test_a_table_whose_first_keys_were_deleted_is_read_on_until_a_row(page: Page) -> None:
    row = {"key": '["S1"]', "row": {"symbol": "S1"}, "event_time": None, "partition": 0, "offset": 1}
    row |= {"timestamp": "2026-01-01T10:00:00.000000Z"}
    common = {"complete": True, "malformed": 0, "newest": None, "scan": _scan(200)}
    deleted = common | {"rows": [], "size": {"rows": 1, "exact": True}, "next": 'after:["A"]'}
    second = common | {"rows": [row], "size": None, "next": None}
    held: list[Route] = []

    def answer(route: Route) -> None:
        if "cursor=" not in route.request.url:
            route.fulfill(json=deleted)
        else:
            held.append(route)

    page.route(re.compile(r"/streams/quotes/table(\?|$)"), answer)
    page.goto("/w/demo/streams/quotes/rows")
    expect(page.get_by_text("Only deleted rows on 1 page so far.")).to_be_visible(timeout=SOON)
    expect(page.get_by_text("No rows yet")).to_have_count(0)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("heading", name="No rows so far")).to_be_visible()
    page.get_by_role("button", name="Load more").click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    held[-1].fulfill(json=second)
    expect(page.get_by_role("region", name="Rows")).to_contain_text("S1", timeout=SOON)
    expect(page.get_by_role("button", name="Load more")).to_have_count(0)


def test_the_row_of_a_key_is_searched_on_after_a_failure(page: Page) -> None:
    pages = [
        {"state": "searching", "entry": None, "scan": _scan(100), "next": "pass:1"},
        {"state": "absent", "entry": None, "scan": _scan(200), "next": None},
    ]
    _fails_at_first(page, r"/streams/quotes/table/row\?", pages)
    page.goto("/w/demo/streams/quotes/rows?row=S7")
    failed = page.get_by_role("alert").filter(has_text="Couldn't scan older records")
    expect(failed).to_be_visible(timeout=SOON)
    failed.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", name="No row with key S7")).to_be_visible(timeout=SOON)


def test_the_start_menu_asks_again_whether_a_job_can_resume_and_asks_before_a_reset(page: Page) -> None:
    options = {"version": 3, "resumable": True, "reason": "", "note": "", "resumable_version": 3}
    answers = [(409, UNAVAILABLE | {"status": 409}), (200, options)]
    started: list[Any] = []

    def answer(route: Route) -> None:
        if route.request.method == "POST":
            started.append(route.request.post_data_json)
            route.fulfill(status=202, json={})
            return
        status, body = answers.pop(0) if len(answers) > 1 else answers[0]
        route.fulfill(status=status, json=body)

    page.route(re.compile(r"/jobs/clicks/start"), answer)
    page.goto("/w/demo/jobs/clicks")
    start = page.get_by_role("button", name="Start", exact=True)
    start.click(timeout=SOON)
    resume = page.get_by_role("menuitem", name=re.compile("^Resume"))
    expect(resume).to_contain_text("Couldn't check the saved state. Kafka cluster home is unreachable.")
    page.get_by_role("menuitem", name="Try again").click()
    expect(resume).to_contain_text("Continue from the last checkpoint")
    page.get_by_role("menuitem", name="From now").click()
    question = page.get_by_role("dialog", name="Reset clicks-per-page?")
    expect(question).to_contain_text("can't be resumed")
    question.get_by_role("button", name="Cancel", exact=True).click()
    expect(question).to_have_count(0)
    expect(start).to_be_focused()
    assert not started
    start.click()
    page.get_by_role("menuitem", name="From now").click()
    with page.expect_response(lambda response: "/start" in response.url and response.status == 202):
        question.get_by_role("button", name="Reset and start").click()
    expect(question).to_have_count(0)
    assert [request["from"] for request in started] == ["now"]
