"""A new version of a schema: the form says what came of it.

The built frontend against its stand-in server (frontend/dev/mock.mjs), so without Kafka and Spark; which
version has the schema is the test's own.
"""

import json
import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.sound_page import require_sound

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]

EARLIER = '"string"'


def test_a_schema_that_an_earlier_version_has_stays_and_the_form_says_so(page: Page) -> None:
    def answer(route: Route) -> None:
        response = route.fetch()
        asked = json.loads(route.request.post_data or "{}")["schema"]
        route.fulfill(response=response, json=response.json() | ({"version": 1} if asked == EARLIER else {}))

    page.route(re.compile("/schemas/orders-value/versions$"), answer)
    page.goto("/w/demo/schemas/orders-value")
    schema = page.get_by_label("Schema", exact=True)
    schema.fill(EARLIER)
    page.get_by_role("button", name="Register", exact=True).click()
    said = "Version 1 already has this schema (ID 7). The latest is still version 2."
    expect(page.get_by_text(said)).to_be_visible(timeout=20_000)
    expect(schema).to_have_value(EARLIER)
    expect(page.get_by_role("button", name="Register", exact=True)).to_be_enabled()
    require_sound(page)
    schema.fill('"long"')
    expect(page.get_by_text(said)).to_have_count(0)
    page.get_by_role("button", name="Register", exact=True).click()
    expect(page.get_by_text("Version 3 registered")).to_be_visible(timeout=20_000)
