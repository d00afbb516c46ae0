"""A job's state is the newest that the page knows, answered or pushed; one that others deleted says so.

The built frontend against its stand-in server (frontend/dev/mock.mjs), so without Kafka and Spark; what is
pushed of runs is the test's own.
"""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.frontend_only.live_connection import Frame, LiveConnection

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]

SOON = 20_000


def _is_of_run(frame: Frame) -> bool:
    return frame["op"] == "status" and frame.get("job_id") == "stock"


def test_a_job_that_others_deleted_says_so_and_leaves_the_list(page: Page) -> None:
    connection = LiveConnection(page)
    page.goto("/w/demo/jobs")
    table = page.get_by_role("table").first
    link = table.get_by_role("link", name="stock-statistics", exact=True)
    link.click(timeout=SOON)
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible(timeout=SOON)

    def delete(frame: Frame) -> Frame:
        if not _is_of_run(frame):
            return frame
        return {"op": "status", "id": frame["id"], "job_id": "stock", "deleted": True}

    connection.change = delete
    expect(page.get_by_role("heading", name="Job deleted")).to_be_visible(timeout=SOON)
    page.get_by_role("link", name="Go to jobs").click()
    expect(page.get_by_role("heading", level=1, name="Jobs")).to_be_visible()
    expect(link).to_have_count(0)


def test_a_stop_is_not_undone_by_what_was_pushed_before_it(page: Page) -> None:
    connection = LiveConnection(page)
    stopped = False

    def stop(route: Route) -> None:
        nonlocal stopped
        stopped = True
        connection.change = lambda frame: None if _is_of_run(frame) else frame
        route.fulfill(status=202, json={})

    def answer(route: Route) -> None:
        job = route.fetch().json()
        route.fulfill(json=job | ({"desired": "stopped", "observed": "stopped"} if stopped else {}))

    page.route(re.compile(r"/api/.*/jobs/stock$"), answer)
    page.route(re.compile(r"/jobs/stock/stop$"), stop)
    page.goto("/w/demo/jobs/stock")
    page.get_by_role("button", name="Stop", exact=True).click(timeout=SOON)
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_visible(timeout=SOON)
    expect(page.get_by_role("button", name="Stop", exact=True)).to_have_count(0)
