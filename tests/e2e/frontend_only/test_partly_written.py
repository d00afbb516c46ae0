"""A file of which Kafka confirmed only a part: what was written is counted, and never sent again.

The built frontend against its stand-in server (frontend/dev/mock.mjs), so without Kafka and Spark; what is
said of the records is the test's own.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]

SOON = 20_000
PARTLY = {
    "title": "Service Unavailable",
    "status": 503,
    "code": "PARTLY_WRITTEN",
    "detail": "Kafka confirmed only 2 of 5 records: timed out after 15 s.",
    "written": [{"partition": 0, "offset": 7}, None, None, {"partition": 0, "offset": 8}, None],
    "unsure": [1],
}


@pytest.fixture
def page(mock: str, browser: Browser) -> Iterator[Page]:
    """A page whose console says which requests failed."""
    context = browser.new_context(base_url=mock, viewport={"width": 1440, "height": 900})
    yield context.new_page()
    context.close()


def test_only_what_was_not_written_is_offered_again(page: Page, tmp_path: Path) -> None:
    sent: list[Any] = []

    def write(route: Route) -> None:
        sent.append([record["line"] for record in route.request.post_data_json["records"]])
        if len(sent) == 1:
            route.fulfill(status=503, json=PARTLY)
        else:
            written = [{"partition": 0, "offset": 9 + at} for at, _ in enumerate(sent[-1])]
            route.fulfill(status=201, json={"written": written})

    page.route(re.compile(r"/streams/ticks/records/check$"), lambda route: route.fulfill(json={"errors": []}))
    page.route(re.compile(r"/streams/ticks/records$"), write)
    file = tmp_path / "records.jsonl"
    file.write_text('{"n":1}\n\n{"n":3}\n{"n":4}\n{"n":5}\n{"n":6}\n')
    page.goto("/w/demo/streams/ticks/produce")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Select file").click()
    chooser.value.set_files(file)
    expect(page.get_by_text("2 records written up to offset 8 of partition 0")).to_be_visible(timeout=SOON)
    expect(page.get_by_text("2 records weren't written, 1 may have been")).to_be_visible()
    expect(page.get_by_text("Lines 4, 6 weren't written.")).to_be_visible()
    unsure = page.get_by_text(
        "Line 3 may have been written. Look for it under Records before you send it again."
    )
    expect(unsure).to_be_visible()
    page.get_by_role("button", name="Produce these 2 lines").click()
    expect(page.get_by_text("2 records written up to offset 10 of partition 0")).to_be_visible(timeout=SOON)
    expect(unsure).to_be_visible()
    assert sent == [['{"n":1}', '{"n":3}', '{"n":4}', '{"n":5}', '{"n":6}'], ['{"n":4}', '{"n":6}']]


def test_a_file_is_written_when_its_tab_is_left_while_it_is_checked(page: Page, tmp_path: Path) -> None:
    held: list[Route] = []
    sent: list[Any] = []

    def write(route: Route) -> None:
        sent.append(route.request.post_data_json)
        route.fulfill(status=201, json={"written": [{"partition": 0, "offset": 9}]})

    page.route(re.compile(r"/streams/ticks/records/check$"), lambda route: held.append(route))
    page.route(re.compile(r"/streams/ticks/records$"), write)
    file = tmp_path / "records.jsonl"
    file.write_text('{"n":1}\n')
    page.goto("/w/demo/streams/ticks/produce")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Select file").click()
    chooser.value.set_files(file)
    expect(page.get_by_text("0 of 1 line checked")).to_be_visible(timeout=SOON)
    tabs = page.get_by_role("navigation", name="Parts of the stream")
    tabs.get_by_role("link", name="Contract").click()
    expect(page.get_by_role("button", name="Select file")).to_have_count(0)
    with page.expect_response(re.compile(r"/streams/ticks/records$")):
        held[0].fulfill(json={"errors": []})
    tabs.get_by_role("link", name="Produce").click()
    expect(page.get_by_text("1 record written up to offset 9 of partition 0")).to_be_visible(timeout=SOON)
    assert len(sent) == 1
