"""A dashboard of a running job, and its read-only link, in the browser on a real system."""

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from confluent_kafka import Producer
from playwright.sync_api import Browser, expect

from tests.e2e.conftest import WORKSPACE, SignIn
from tests.support.patience import PATIENCE
from tests.support.rest import Answer, Rest
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]
SOON = 60_000 * PATIENCE
CONTRACT = {
    "fields": [{"name": "status", "type": "string"}],
    "event_time": {"kind": "kafka_timestamp"},
    "delay": "2s",
}


def write(system: System, topic: str, *statuses: str) -> None:
    producer = Producer({"bootstrap.servers": system.bootstrap})
    for status in statuses:
        producer.produce(topic, json.dumps({"status": status}).encode())
    assert producer.flush(20) == 0


def counting_job(rest: Rest, stream: str) -> str:
    document = {
        "format": 1,
        "name": f"per_status_{stream}",
        "sources": {"s": {"stream": stream}},
        "steps": {
            "n": {"op": "aggregate", "input": "s", "by": ["status"], "measures": {"orders": "count()"}}
        },
        "outputs": {"live": {"input": "n", "to": "result"}},
    }
    job: str = rest.post("jobs", {"document": json.dumps(document)})["id"]
    rest.post(f"jobs/{job}/start", {"from": "earliest"})
    return job


def panels(job: str) -> list[dict[str, Any]]:
    both: dict[str, Any] = {"job": job, "output": "live", "value": "orders"}
    return [
        {
            **both,
            "id": "all",
            "kind": "number",
            "title": "All orders",
            "aggregation": "sum",
            "position": {"x": 0, "y": 0, "w": 4, "h": 4},
        },
        {
            **both,
            "id": "by-status",
            "kind": "top_list",
            "title": "By status",
            "label": ["status"],
            "aggregation": "last",
            "position": {"x": 4, "y": 0, "w": 8, "h": 4},
        },
    ]


def test_a_link_shows_live_panels_until_it_is_revoked(
    system: System, sign_in: SignIn, browser: Browser, shots: Path
) -> None:
    page, rest = sign_in(), system.rest("browser", WORKSPACE)
    stream = f"orders_{uuid4().hex[:6]}"
    rest.post("streams", {"name": stream, "topic": stream, "create": {"partitions": 1}, "contract": CONTRACT})
    write(system, stream, *["OK"] * 5, "FAILED")
    job = counting_job(rest, stream)
    made = rest.post("dashboards", {"name": stream, "document": {"format": 1, "panels": panels(job)}})
    page.goto(f"/w/{WORKSPACE}/dashboards/{made['id']}")
    expect(page.get_by_role("heading", name="All orders")).to_be_visible(timeout=SOON)
    expect(page.get_by_text("6", exact=True).first).to_be_visible(timeout=SOON)
    page.screenshot(path=shots / "dashboard-real.png", full_page=True)

    link = rest.post(f"dashboards/{made['id']}/links", {"days": 1})
    stranger = browser.new_context(base_url=system.base_url).new_page()
    stranger.goto(f"/shared#{link['token']}")
    expect(stranger.get_by_role("heading", name="By status")).to_be_visible(timeout=SOON)
    expect(stranger.get_by_text("6", exact=True).first).to_be_visible(timeout=SOON)
    write(system, stream, *["OK"] * 4)
    expect(stranger.get_by_text("10", exact=True).first).to_be_visible(timeout=SOON)
    stranger.screenshot(path=shots / "dashboard-shared.png", full_page=True)

    rest.delete(f"dashboards/{made['id']}/links/{link['id']}")
    expect(stranger.get_by_text("Link not available")).to_be_visible(timeout=15_000 * PATIENCE)
    stranger.context.close()
    with pytest.raises(Answer) as refused:
        rest.post("/shared-dashboard", {"token": link["token"]})
    assert refused.value.status == 404
    rest.post(f"jobs/{job}/stop", {})
