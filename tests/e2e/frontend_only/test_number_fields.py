"""Enter in a number field sends the number that it shows, or none.

The built frontend against its stand-in server (frontend/dev/mock.mjs), so without Kafka and Spark.
"""

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Request, expect

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]


def _sent(page: Page, path: str) -> list[Any]:
    """The bodies that are posted below this path. They get no answer."""
    bodies: list[Any] = []
    page.route(f"**{path}", lambda route: None if _is_post(route.request) else route.fallback())
    page.on("request", lambda asked: bodies.append(asked.post_data_json) if _is_post(asked) else None)
    return bodies


def _is_post(request: Request) -> bool:
    return request.method == "POST"


def _enter(field: Locator, text: str) -> None:
    """Key by key: 3 and 30 are numbers on the way to 300."""
    field.press("Control+A")
    field.press("Delete")
    field.press_sequentially(text)
    field.press("Enter")


def test_a_number_out_of_its_bounds_is_not_sent_as_another(page: Page) -> None:
    page.goto("/w/demo/topics")
    page.get_by_role("button", name="Create topic").click()
    page.get_by_role("textbox", name="Name", exact=True).fill("clicks")
    sent = _sent(page, "/clusters/home/topics")
    partitions = page.get_by_role("textbox", name="Partitions", exact=True)
    for typed, shown in (("300", "256"), ("0", "1"), ("", "1")):
        _enter(partitions, typed)
        expect(partitions).to_have_value(shown)
        expect(partitions).to_be_focused()
    with page.expect_request(_is_post):
        _enter(partitions, "12")
    assert [body["partitions"] for body in sent] == [12]


def test_a_record_goes_to_the_partition_that_is_shown(page: Page) -> None:
    page.goto("/w/demo/streams/ticks/produce")
    sent = _sent(page, "/streams/ticks/records")
    partition = page.get_by_role("textbox", name="Partition", exact=True)
    _enter(partition, "12")
    expect(partition).to_have_value("1")
    with page.expect_request(_is_post):
        partition.press("Enter")
    assert [record["partition"] for body in sent for record in body["records"]] == [1]
