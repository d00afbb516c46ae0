"""Records and rows that were read stay no longer than they are right: after a contract's change, a produce.

The built frontend against its stand-in server (frontend/dev/mock.mjs), so without Kafka and Spark; what a
colleague saves meanwhile, and what is read, is the test's own.
"""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.frontend_only.live_connection import Frame, LiveConnection

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]

SOON = 20_000
WRITTEN_AT = "2026-01-01T10:00:00.000000Z"
SCAN = {
    "partitions": [
        {"partition": 0, "from": 0, "to": 9, "range_start": 0, "range_end": 9, "log_start": 0, "log_end": 9}
    ],
    "records": 9,
    "bytes": 900,
    "elapsed_ms": 4,
    "stop_reason": "end",
}
FIELDS = [{"name": "symbol", "type": "string", "nullable": False}]
RECORD = {
    "partition": 0,
    "offset": 8,
    "timestamp": WRITTEN_AT,
    "timestamp_type": "create",
    "key": None,
    "key_is_text": True,
    "value": '{"symbol": "AAPL", "lots": 7}',
    "value_is_text": True,
    "truncated": False,
    "size": 29,
    "key_fields": None,
    "headers": [],
    "event_time": WRITTEN_AT,
    "deleted": False,
    "malformed": None,
    "key_base64": None,
    "value_base64": "",
    "value_json": None,
    "key_json": None,
}


class Contract:
    """The contract of ticks, which a colleague may change: it gets a field that the records always had."""

    def __init__(self, page: Page) -> None:
        self.revision = 1
        page.route(re.compile(r"/workspaces/demo/streams/ticks$"), self._stream)
        page.route(re.compile(r"/streams/ticks/records\?"), self._records)
        page.route(re.compile(r"/streams/ticks/records/0/8$"), lambda route: route.fulfill(json=self._read()))

    def _stream(self, route: Route) -> None:
        response = route.fetch()
        told = response.json()
        if self.revision > 1:
            told["contract"]["fields"] = [*FIELDS, {"name": "lots", "type": "long", "nullable": True}]
        else:
            told["contract"]["fields"] = FIELDS
        route.fulfill(response=response, json=told | {"revision": self.revision})

    def _records(self, route: Route) -> None:
        route.fulfill(json={"records": [self._read()], "scan": SCAN, "next": None})

    def _read(self) -> dict[str, Any]:
        row: dict[str, Any] = {"symbol": "AAPL"} | ({"lots": 7} if self.revision > 1 else {})
        row_json = ", ".join(f'"{name}": "{value}"' for name, value in row.items())
        return RECORD | {"row": row, "row_json": f"{{{row_json}}}"}


def test_records_are_read_by_the_contract_beside_them(page: Page) -> None:
    contract = Contract(page)
    page.goto("/w/demo/streams/ticks")
    records = page.get_by_role("region", name="Records")
    opener = records.get_by_role("button", name="0 : 8", exact=True)
    opener.click(timeout=SOON)
    expect(page.get_by_role("region", name="Row", exact=True)).to_have_text('{"symbol": "AAPL"}')
    contract.revision = 2
    expect(records.get_by_role("columnheader", name="lots")).to_be_visible(timeout=SOON)
    expect(records.get_by_role("cell", name="7", exact=True)).to_be_visible(timeout=SOON)
    if opener.get_attribute("aria-expanded") == "false":
        opener.click()
    expect(page.get_by_role("region", name="Row", exact=True)).to_contain_text('"lots": "7"')


def test_a_tail_begins_anew_with_another_contract(page: Page) -> None:
    contract = Contract(page)
    connection = LiveConnection(page)
    page.goto("/w/demo/streams/ticks?from=live")
    rows = page.get_by_role("region", name="Records").locator("tbody tr")
    expect(rows.first).to_be_visible(timeout=SOON)

    def without_records(frame: Frame) -> Frame | None:
        return None if frame["op"] == "records" else frame

    connection.change = without_records
    contract.revision = 2
    expect(page.get_by_text("Waiting for the next record")).to_be_visible(timeout=SOON)


def test_a_row_that_was_just_produced_is_found(page: Page) -> None:
    entry = {"key": '["S7"]', "row": {"symbol": "S7", "ask": 1.5}, "event_time": None}
    entry |= {"timestamp": WRITTEN_AT, "partition": 0, "offset": 9}
    absent = {"state": "absent", "entry": None, "scan": SCAN, "next": None}
    answer = absent

    def produce(route: Route) -> None:
        nonlocal answer
        answer = absent | {"state": "found", "entry": entry}
        route.fulfill(json={"written": [{"partition": 0, "offset": 9}]})

    page.route(re.compile(r"/streams/quotes/table/row\?"), lambda route: route.fulfill(json=answer))
    page.route(re.compile(r"/streams/quotes/records$"), produce)
    page.goto("/w/demo/streams/quotes/rows?row=S7")
    absence = page.get_by_role("heading", name="No row with key S7")
    expect(absence).to_be_visible(timeout=SOON)
    page.get_by_role("link", name="Produce", exact=True).click()
    page.get_by_role("button", name="Produce record").click()
    expect(page.get_by_text("1 record written")).to_be_visible(timeout=SOON)
    page.get_by_role("link", name="Rows", exact=True).click()
    page.get_by_role("textbox", name="Find row by symbol").fill("S7")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="The row")).to_contain_text("1.5", timeout=SOON)
    answer = absent
    page.get_by_role("button", name="Refresh").click()
    expect(absence).to_be_visible(timeout=SOON)
