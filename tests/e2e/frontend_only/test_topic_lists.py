"""Lists of topics: of the cluster that is chosen, and without a topic that was deleted.

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
