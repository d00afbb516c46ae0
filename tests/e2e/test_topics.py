"""Topics and clusters in the browser: created, changed, browsed without a contract, deleted.

Connections are tested before they are saved.
"""

import json
from pathlib import Path
from uuid import uuid4

import pytest
from confluent_kafka import Producer
from playwright.sync_api import expect

from tests.e2e.conftest import WORKSPACE, SignIn
from tests.support.kafka_node import KafkaServer
from tests.support.patience import PATIENCE
from tests.support.processes import free_ports
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(600)]

SOON = 60_000 * PATIENCE


def test_a_topic_from_its_making_to_its_end(
    system: System, sign_in: SignIn, shots: Path, tmp_path: Path
) -> None:
    name = f"made.{uuid4().hex[:6]}"
    page, rest = sign_in(), system.rest("browser", WORKSPACE)
    page.goto(f"/w/{WORKSPACE}/topics")
    page.get_by_role("button", name="Create topic").click()
    page.get_by_role("textbox", name="Name", exact=True).fill(name)
    page.get_by_role("combobox", name="Cleanup policy").click()
    page.get_by_role("option", name="Compact and delete").click()
    page.get_by_role("textbox", name="Retention (hours)").fill("48")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("heading", level=1, name=name)).to_be_visible(timeout=SOON)
    expect(page.get_by_text("compact, delete after 2 d")).to_be_visible(timeout=SOON)

    page.get_by_role("link", name="Settings").click()
    page.get_by_role("combobox", name="Cleanup policy").click()
    page.get_by_role("option", name="Delete", exact=True).click()
    page.get_by_role("textbox", name="Partitions").fill("3")
    expect(page.get_by_text("Key order changes")).to_be_visible()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Saved", exact=True)).to_be_visible(timeout=SOON)
    changed = rest.get(f"clusters/home/topics/{name}")
    assert (
        changed["settings"]["cleanup"],
        changed["settings"]["retention_ms"],
        len(changed["partitions"]),
    ) == ("delete", 172_800_000, 3)

    producer = Producer({"bootstrap.servers": system.bootstrap})
    for n in range(20):
        producer.produce(name, json.dumps({"n": n}), partition=n % 3)
    assert producer.flush(20) == 0
    page.get_by_role("link", name="Records", exact=True).click()
    expect(page.get_by_role("region", name="Records").locator("tbody tr")).to_have_count(20, timeout=SOON)
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    download.value.save_as(tmp_path / "file")
    assert len((tmp_path / "file").read_text().splitlines()) == 20

    page.keyboard.press("Escape")
    page.get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog", name=f"Delete topic {name}?")
    expect(dialog).to_contain_text("20 records", timeout=SOON)
    dialog.get_by_role("button", name="Delete topic").click()
    expect(page.get_by_role("heading", level=1, name="Topics")).to_be_visible(timeout=SOON)
    assert name not in [topic["name"] for topic in rest.get("clusters/home/topics?fresh=true")["results"]]


def test_every_topic_of_a_long_list_is_reached(system: System, sign_in: SignIn, shots: Path) -> None:
    part = f"long{uuid4().hex[:4]}"
    page, rest = sign_in(), system.rest("browser", WORKSPACE)
    for n in range(120):
        rest.post("clusters/home/topics", {"name": f"{part}.{n:03}", "partitions": 1})
    producer = Producer({"bootstrap.servers": system.bootstrap})
    producer.produce(f"{part}.119", b"{}")
    assert producer.flush(20) == 0
    page.goto(f"/w/{WORKSPACE}/topics?name={part}")
    expect(page.get_by_text("120 topics, of which 1 to 100 are shown")).to_be_visible(timeout=SOON)
    page.get_by_role("button", name="Page 2").click()
    expect(page.get_by_text("120 topics, of which 101 to 120 are shown")).to_be_visible(timeout=SOON)
    row = page.get_by_role("row").filter(has_text=f"{part}.119")
    expect(row.get_by_role("cell").nth(3)).to_have_text("1")
    page.screenshot(path=shots / "topics-paged.png", full_page=True)
    page.get_by_role("textbox", name="Filter by name").fill(f"{part}.00")
    expect(page.get_by_text("10 topics, updated")).to_be_visible(timeout=SOON)
    for n in range(120):
        rest.delete(f"clusters/home/topics/{part}.{n:03}")


def test_a_cluster_is_tried_before_it_is_saved(kafka: KafkaServer, sign_in: SignIn, shots: Path) -> None:
    name = f"other-{uuid4().hex[:6]}"
    page = sign_in()
    page.goto(f"/w/{WORKSPACE}/admin/clusters")
    page.get_by_role("button", name="Add cluster").click()
    page.get_by_role("textbox", name="Name", exact=True).fill(name)
    address = page.get_by_role("textbox", name="Bootstrap servers")
    address.fill(f"127.0.0.1:{free_ports(1)[0]}")
    page.get_by_role("combobox", name="Authentication").click()
    page.get_by_role("option", name="None").click()
    page.get_by_role("checkbox", name="Use TLS").uncheck()
    save = page.get_by_role("button", name="Save", exact=True)
    page.get_by_role("button", name="Test connection").click()
    expect(page.get_by_text("Connection failed", exact=True)).to_be_visible(timeout=SOON)
    stages = page.get_by_role("status").get_by_role("listitem")
    expect(stages.filter(has_text="Connect")).to_contain_text("failed")
    expect(stages.filter(has_text="List topics")).to_contain_text("skipped")
    expect(save).to_be_disabled()
    page.screenshot(path=shots / "cluster-trial-failed.png", full_page=True)

    address.fill(kafka.bootstrap)
    expect(page.get_by_text("Connection failed", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Test connection").click()
    expect(page.get_by_text("Connection successful")).to_be_visible(timeout=SOON)
    page.screenshot(path=shots / "cluster-trial.png", full_page=True)
    save.click()
    row = page.get_by_role("row").filter(has_text=name)
    expect(row).to_contain_text("Reachable", timeout=SOON)
    row.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(row).to_have_count(0, timeout=SOON)
