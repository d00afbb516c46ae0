"""What a new user does first: sign in, register a stream, take an example, watch it move, stop it."""

import json
import re
from uuid import uuid4

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic
from playwright.sync_api import expect

from tests.e2e.conftest import WORKSPACE, SignIn
from tests.support.patience import PATIENCE
from tests.support.processes import wait_until
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(600)]

SOON = 20_000 * PATIENCE
STARTED = 240_000 * PATIENCE
FIRST_ROW = 420_000 * PATIENCE  # a start, and for some the longest window, gap and delay of the template
TEMPLATES = {
    "Clicks, searches and profiles": "clicks-and-searches",
    "Searched, but never clicked": "searched-never-clicked",
    "Fraud by velocity": "fraud-by-velocity",
    "Sensors and maintenance": "sensor-maintenance",
    "Top ten pages of the last hour": "top-ten-pages",
    "Flights and the weather at departure": "weather-at-departure",
    "Errors to their own topic": "errors-by-service",
}
WRITES = {
    "Errors to their own topic": ("error_lines", "ERROR")
}  # title → the stream it writes, and a text that is in it then


def test_the_link_signs_in_once(system: System, sign_in: SignIn) -> None:
    page = sign_in()
    expect(page.get_by_role("navigation", name="Main")).to_be_visible(timeout=SOON)
    expect(page).to_have_url(f"{system.base_url}/w/{WORKSPACE}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
    assert page.title()


def test_a_used_link_signs_nobody_in(system: System, sign_in: SignIn) -> None:
    path = system.sign_in_path("browser", WORKSPACE)
    first = sign_in()
    first.goto(path)
    other = first.context.browser.new_context(base_url=system.base_url).new_page()  # type: ignore[union-attr]
    other.goto(path)
    expect(other.get_by_role("heading", name="Sign in to Weir")).to_be_visible(timeout=SOON)
    other.context.close()


def test_a_stream_is_registered_from_a_sample(system: System, sign_in: SignIn) -> None:
    topic = f"orders_{uuid4().hex[:6]}"
    _fill(system, topic)
    page = sign_in()
    page.goto(f"/w/{WORKSPACE}/streams")
    page.get_by_role("link", name="Register a stream").first.click()
    page.get_by_role("combobox", name="Topic").click()
    page.get_by_role("option", name=topic).click()
    page.get_by_role("button", name="Infer fields from records").click()
    expect(page.get_by_role("textbox", name="Field name")).to_have_count(3, timeout=SOON)
    page.get_by_role("button", name="Register", exact=True).click()
    expect(page).to_have_url(f"{system.base_url}/w/{WORKSPACE}/streams/{topic}", timeout=SOON)
    expect(page.get_by_role("heading", level=1)).to_contain_text(topic)
    expect(page.get_by_text("customer-7").first).to_be_visible(timeout=SOON)


def test_an_example_runs_its_rows_and_chart_move_and_it_stops(system: System, sign_in: SignIn) -> None:
    page = sign_in()
    page.goto(f"/w/{WORKSPACE}/jobs/new")
    page.get_by_role("article").filter(has_text="Stock statistics").get_by_role(
        "button", name="Create job from example"
    ).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("stock-statistics", timeout=SOON)
    system.feed("stock")
    try:
        start = page.get_by_role("button", name="Start", exact=True)
        if start.is_visible():
            start.click()
            page.get_by_role("menuitem", name="From now").click()
        table = page.get_by_role("table", name="Newest rows by key")
        expect(table.get_by_role("row").nth(1)).to_be_visible(timeout=STARTED)
        chart = page.get_by_role("img").first
        expect(chart).to_be_visible(timeout=SOON)
        rows, picture = table.inner_text(), chart.screenshot()
        wait_until(lambda: table.inner_text() != rows, 30, "the rows move")
        wait_until(lambda: chart.screenshot() != picture, 30, "the chart moves")
        page.get_by_role("link", name="Lag").click()
        expect(page.get_by_text("Partition", exact=False).first).to_be_visible(timeout=SOON)
        page.get_by_role("link", name="Live").click()
        page.get_by_role("button", name="Stop", exact=True).click()
        expect(page.get_by_role("listitem").get_by_text("Stopped", exact=True)).to_be_visible(
            timeout=60_000 * PATIENCE
        )
    finally:
        system.feed("stock", on=False)


@pytest.mark.long
@pytest.mark.parametrize("title", TEMPLATES)
def test_a_template_brings_its_topics_and_its_feed(sign_in: SignIn, title: str) -> None:
    page = sign_in()
    page.goto(f"/w/{WORKSPACE}/jobs/new")
    page.get_by_role("article").filter(has_text=title).get_by_role(
        "button", name="Create job from example"
    ).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(TEMPLATES[title], timeout=SOON)
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("menuitem", name="From now").click()
    expect(
        page.get_by_role("table", name=re.compile("^Newest rows")).get_by_role("row").nth(1)
    ).to_be_visible(timeout=FIRST_ROW)
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_role("listitem").get_by_text("Stopped", exact=True)).to_be_visible(
        timeout=60_000 * PATIENCE
    )
    if title in WRITES:
        page.goto(f"/w/{WORKSPACE}/streams/{WRITES[title][0]}")
        expect(page.get_by_text(WRITES[title][1]).first).to_be_visible(timeout=SOON)


def _fill(system: System, topic: str) -> None:
    admin = AdminClient({"bootstrap.servers": system.bootstrap})
    admin.create_topics([NewTopic(topic, 2, 1)])[topic].result(20)
    producer = Producer({"bootstrap.servers": system.bootstrap})
    for number in range(50):
        record = {"customer": f"customer-{number}", "amount": number * 1.25, "at": 1_780_000_000_000 + number}
        producer.produce(topic, json.dumps(record).encode())
    assert producer.flush(20) == 0
