"""Panels of a result with more rows than a page keeps say that they show the newest only.

The built frontend against its stand-in server (frontend/dev/mock.mjs), so without Kafka and Spark; how many
rows a result has is the test's own.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.frontend_only.live_connection import Frame, LiveConnection
from tests.support.sound_page import require_sound

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]

SOON = 20_000
LIMITED = "Incomplete, only the newest"


def _of_words(frame: Frame) -> bool:
    return bool(frame["op"] == "snapshot" and frame["rows"] and "word" in frame["rows"][0]["v"])


def test_a_sum_of_the_newest_rows_is_not_taken_for_that_of_all(page: Page) -> None:
    counts = {"total": 50_000, "total_exact": True, "truncated": True}
    LiveConnection(page, lambda frame: frame | counts if _of_words(frame) else frame)
    page.goto("/w/demo/dashboards/floor")
    counted = page.get_by_role("region", name="Words counted")
    expect(counted).to_contain_text(LIMITED, timeout=SOON)
    expect(counted).to_contain_text("of 50,000 rows")
    top = page.get_by_role("region", name="Most frequent words")
    expect(top).to_contain_text(LIMITED)
    expect(top).to_contain_text("and at least")
    whole = page.get_by_role("region", name="Trades in the newest window")
    expect(whole.get_by_text("trades", exact=False).first).to_be_visible(timeout=SOON)
    expect(whole).not_to_contain_text(LIMITED)
    require_sound(page)
