"""Consumer groups that are deleted while the page is disconnected leave it when it is back.

The built frontend against its stand-in server (frontend/dev/mock.mjs), so without Kafka and Spark; that a
group is gone is the test's own.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.frontend_only.live_connection import Frame, LiveConnection

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]

SOON = 20_000
GONE = "fraud-scoring"


def _without(frame: Frame) -> Frame | None:
    return None if frame["op"] == "group" and frame["name"] == GONE else frame


def _refused(frame: Frame) -> Frame | None:
    """Of the channel of the group, as the server says where it finds none."""
    if frame["op"] == "subscribed" and frame["channel"].startswith("group/"):
        return {"op": "error", "id": frame["id"], "code": "NOT_FOUND", "message": "Group not found."}
    return _without(frame)


def test_a_group_that_went_meanwhile_is_not_listed_any_more(page: Page) -> None:
    connection = LiveConnection(page)
    page.goto("/w/demo/consumers")
    groups = page.get_by_role("region", name="Consumer groups")
    expect(groups.get_by_role("link", name=GONE)).to_be_visible(timeout=SOON)
    body = page.request.get("/api/v1/workspaces/demo/consumer-groups").json()
    left = body | {"results": [group for group in body["results"] if group["name"] != GONE]}
    page.route(re.compile(r"/consumer-groups$"), lambda route: route.fulfill(json=left))
    connection.change = _without
    connection.cut()
    expect(groups.get_by_role("link", name=GONE)).to_have_count(0, timeout=SOON)
    expect(groups.get_by_role("link", name="search-indexer")).to_be_visible()


def test_the_page_of_a_group_that_went_meanwhile_says_so(page: Page) -> None:
    connection = LiveConnection(page)
    page.goto(f"/w/demo/consumers/home/{GONE}")
    expect(page.get_by_role("heading", name=GONE)).to_be_visible(timeout=SOON)
    expect(page.get_by_text("As of").first).to_be_visible(timeout=SOON)
    connection.change = _refused
    connection.cut()
    expect(page.get_by_role("heading", name="Consumer group deleted")).to_be_visible(timeout=SOON)
