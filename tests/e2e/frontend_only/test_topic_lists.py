"""Lists of topics: of the cluster that is chosen, and without a topic that was deleted. Settings of a topic.

The built frontend against its stand-in server (frontend/dev/mock.mjs), so without Kafka and Spark; what the
clusters answer is the test's own.
"""

import re

import pytest
from playwright.sync_api import Page, Route, expect

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]

SOON = 20_000
TOPIC = {"partitions": 2, "replicas": 1, "under_replicated": 0, "leaderless": 0, "records": 9, "streams": []}


def _list(*names: str) -> dict[str, object]:
    counts = {"total": len(names), "matching": len(names), "error": None}
    fetched_at = "2026-01-01T10:00:00.000000Z"
    return counts | {"fetched_at": fetched_at, "results": [TOPIC | {"name": name} for name in names]}


def test_topics_of_a_cluster_are_not_offered_for_another(page: Page) -> None:
    held: list[Route] = []
    page.route(re.compile(r"/clusters/c1/topics\?"), lambda route: held.append(route))
    page.goto("/w/demo/new-stream")
    topics = page.get_by_role("combobox", name="Topic", exact=True)
    expect(topics).to_be_visible(timeout=SOON)
    page.get_by_role("combobox", name="Cluster").click()
    page.get_by_role("option", name="Trading").click()
    expect(page.get_by_text("Loading topics…")).to_be_visible()
    expect(topics).to_have_count(0)
    held[0].fulfill(json=_list("trades"))
    topics.click(timeout=SOON)
    expect(page.get_by_role("option", name="trades", exact=True)).to_be_visible()
    expect(page.get_by_role("option", name="demo.ticks", exact=True)).to_have_count(0)


def test_a_deleted_topic_is_not_listed(page: Page) -> None:
    names = ["shop.orders", "shop.old"]

    def delete(route: Route) -> None:
        if route.request.method == "DELETE":
            names.remove("shop.old")
            route.fulfill(status=204)
        else:
            route.continue_()

    page.route(re.compile(r"/clusters/home/topics\?"), lambda route: route.fulfill(json=_list(*names)))
    page.route(re.compile(r"/clusters/home/topics/shop.old$"), delete)
    page.goto("/w/demo/topics/home")
    page.get_by_role("link", name="shop.old", exact=True).click(timeout=SOON)
    page.get_by_role("button", name="Delete", exact=True).click(timeout=SOON)
    page.get_by_role("button", name="Delete topic", exact=True).click()
    expect(page.get_by_text("1 topic,")).to_be_visible(timeout=SOON)
    expect(page.get_by_role("link", name="shop.old", exact=True)).to_have_count(0)


def test_a_change_that_deletes_records_is_asked_for_once(page: Page) -> None:
    sent: list[object] = []

    def change(route: Route) -> None:
        if route.request.method == "PATCH":
            sent.append(route.request.post_data_json)
        route.continue_()

    page.route(re.compile(r"/clusters/home/topics/shop.orders$"), change)
    page.goto("/w/demo/topics/home/shop.orders/settings")
    retention = page.get_by_role("textbox", name="Retention (hours)")
    save = page.get_by_role("button", name="Save", exact=True)
    retention.fill("0", timeout=SOON)
    expect(page.get_by_text("At least 0.01. Leave empty for unlimited.")).to_be_visible()
    expect(save).to_be_disabled()
    retention.fill("24")
    save.click()
    question = page.get_by_role("dialog", name="Change how long shop.orders keeps records?")
    expect(question).to_contain_text("Kafka deletes the records that are older than 1 d.")
    question.get_by_role("button", name="Cancel").click()
    expect(question).to_have_count(0)
    assert not sent
    save.click()
    question.get_by_role("button", name="Change and delete").click()
    expect(page.get_by_text("Saved", exact=True)).to_be_visible(timeout=SOON)
    expect(question).to_have_count(0)
    assert sent == [{"partitions": None, "retention_ms": 86_400_000, "cleanup": None}]


def test_a_page_beyond_the_last_shows_the_last(page: Page) -> None:
    def answer(route: Route) -> None:
        names = ["shop.orders"] if "offset=100" in route.request.url else []
        route.fulfill(json=_list(*names) | {"total": 101, "matching": 101})

    page.route(re.compile(r"/clusters/home/topics\?"), answer)
    page.goto("/w/demo/topics/home?page=9")
    expect(page.get_by_role("link", name="shop.orders", exact=True)).to_be_visible(timeout=SOON)
    expect(page.get_by_role("button", name="Page 2")).to_have_attribute("aria-current", "page")
