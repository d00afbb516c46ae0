"""The page of what fires follows silences, which begin and end without a change of any alert.

The built frontend against its stand-in server (frontend/dev/mock.mjs), so without Kafka and Spark; what is
silenced is the test's own.
"""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.frontend_only.live_connection import Frame, LiveConnection

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]

SOON = 20_000


class _Silence:
    """Of all alerts, until it ends."""

    def __init__(self) -> None:
        self.has_ended = False
        self.frames = 0

    def of(self, alerts: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [alert | {"silenced": not self.has_ended} for alert in alerts]

    def in_frame(self, frame: Frame) -> Frame:
        if frame["op"] != "alerts":
            return frame
        self.frames += 1
        return frame | {"changed_us": 1, "open": self.of(frame["open"])}

    def in_list(self, route: Route) -> None:
        response = route.fetch()
        body = response.json()
        route.fulfill(response=response, json=body | {"results": self.of(body["results"])})


def test_a_silence_that_has_ended_is_not_shown_any_more(page: Page) -> None:
    silence = _Silence()
    connection = LiveConnection(page, silence.in_frame)
    page.route(re.compile(r"/alerts\?"), silence.in_list)
    page.goto("/w/demo/alerts")
    alerts = page.get_by_role("region", name="Open alerts")
    expect(alerts).to_contain_text("· silenced", timeout=SOON)
    while not silence.frames:
        page.wait_for_timeout(50)
    page.wait_for_load_state("networkidle")
    silence.has_ended = True
    connection.cut()  # the page gets a frame again, which has the same `changed_us`
    expect(alerts).not_to_contain_text("· silenced", timeout=SOON)
