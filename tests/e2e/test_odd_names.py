"""Topics with odd members and plain-text keys, and a job that shows the records it skips."""

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from confluent_kafka import Producer
from playwright.sync_api import Page, expect

from tests.e2e.conftest import WORKSPACE, SignIn
from tests.support.patience import PATIENCE
from tests.support.processes import wait_until
from tests.support.rest import Rest
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(600)]

SOON = 60_000 * PATIENCE
NAMES = ["timestamp", "user_id", "id", "a_b", "first_name"]
PATHS = ["@timestamp", "user-id", "_id", '["a.b"]', "first name"]


def fill(system: System, rest: Rest, name: str, records: list[tuple[bytes | None, bytes]]) -> None:
    rest.post("clusters/home/topics", {"name": name, "partitions": 1})
    producer = Producer({"bootstrap.servers": system.bootstrap})
    for key, value in records:
        producer.produce(name, value, key)
    assert producer.flush(20) == 0


def world(number: int) -> bytes:
    at = f"2026-01-01T00:00:{number:02}Z"
    return json.dumps(
        {
            "@timestamp": at,
            "user-id": f"u{number % 3}",
            "_id": f"i{number}",
            "a.b": number,
            "first name": "Ann",
        }
    ).encode()


def run(rest: Rest, document: dict[str, Any]) -> str:
    job: str = rest.post("jobs", {"document": json.dumps(document)})["id"]
    rest.post(f"jobs/{job}/start", {"from": "earliest"})
    return job


def both_sizes(page: Page, shots: Path, name: str) -> None:
    page.screenshot(path=shots / f"{name}.png", full_page=True)
    page.set_viewport_size({"width": 390, "height": 844})
    page.screenshot(path=shots / f"{name}-narrow.png", full_page=True)
    page.set_viewport_size({"width": 1440, "height": 900})


def test_members_that_are_no_names(system: System, sign_in: SignIn, shots: Path) -> None:
    name = f"world_{uuid4().hex[:6]}"
    page, rest = sign_in(color_scheme="dark"), system.rest("browser", WORKSPACE)
    fill(system, rest, name, [(None, world(number)) for number in range(30)])
    page.goto(f"/w/{WORKSPACE}/new-stream")
    page.get_by_role("combobox", name="Topic").click()
    page.get_by_role("option", name=name).click()
    page.get_by_role("button", name="Infer fields from records").click()
    names = page.get_by_role("textbox", name="Field name")
    expect(names).to_have_count(5, timeout=SOON)
    assert [names.nth(at).input_value() for at in range(5)] == NAMES
    assert [
        page.get_by_role("textbox", name=f"Source path of {field}", exact=True).input_value()
        for field in NAMES
    ] == PATHS
    expect(page.get_by_text("100% of sampled records are valid")).to_be_visible(timeout=SOON)
    page.get_by_role("textbox", name="Source path of user_id", exact=True).fill("nowhere")
    page.get_by_role("checkbox", name="Nullable").nth(1).uncheck()
    expect(page.get_by_text("No sampled record matches this contract")).to_be_visible(timeout=SOON)
    both_sizes(page, shots, "registering-odd-names")
    page.get_by_role("textbox", name="Source path of user_id", exact=True).fill("user-id")
    expect(page.get_by_text("100% of sampled records are valid")).to_be_visible(timeout=SOON)
    page.get_by_role("button", name="Register", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(name, timeout=SOON)
    job = run(
        rest,
        {
            "format": 1,
            "name": f"per_user_{name}",
            "sources": {"s": {"stream": name}},
            "steps": {
                "n": {
                    "op": "aggregate",
                    "input": "s",
                    "by": ["user_id"],
                    "measures": {"n": "count()", "most": "max(a_b)"},
                }
            },
            "outputs": {"out": {"input": "n", "to": "result"}},
        },
    )
    page.goto(f"/w/{WORKSPACE}/jobs/{job}")
    expect(page.get_by_text("u2").first).to_be_visible(timeout=SOON * 2)
    assert rest.get(f"jobs/{job}")["skipping"] == []


def test_a_table_whose_keys_are_plain_text(system: System, sign_in: SignIn, shots: Path) -> None:
    name = f"weather_{uuid4().hex[:6]}"
    page, rest = sign_in(), system.rest("browser", WORKSPACE)
    fill(
        system,
        rest,
        name,
        [(f"K{number}".encode(), json.dumps({"wind": number}).encode()) for number in range(40)],
    )
    page.goto(f"/w/{WORKSPACE}/new-stream")
    page.get_by_role("combobox", name="Topic").click()
    page.get_by_role("option", name=name).click()
    page.get_by_role("button", name="Infer fields from records").click()
    expect(page.get_by_text("Every key is plain text")).to_be_visible(timeout=SOON)
    contract = {
        "kind": "table",
        "fields": [{"name": "station", "type": "string"}, {"name": "wind", "type": "long"}],
        "key": ["station"],
    }
    validation = rest.post("samples/validate", {"topic": name, "contract": contract})
    assert (validation["records"], validation["valid"], validation["malformed"][0]["reason"]) == (
        40,
        0,
        "KEY_INVALID",
    )
    assert (
        rest.post(
            "samples/validate", {"topic": name, "contract": {**contract, "key_encoding": {"format": "text"}}}
        )["valid"]
        == 40
    )
    rest.post("streams", {"name": name, "topic": name, "contract": contract})
    job = run(
        rest,
        {
            "format": 1,
            "name": f"calm_{name}",
            "sources": {"t": {"table": name}},
            "steps": {"calm": {"op": "filter", "input": "t", "where": "wind >= 0"}},
            "outputs": {"out": {"input": "calm", "to": "result"}},
        },
    )
    wait_until(lambda: rest.get(f"jobs/{job}")["skipping"], 120, "the job says what it skips")
    (entry,) = rest.get(f"jobs/{job}")["skipping"]
    assert (entry["source"], entry["stream"], entry["reason"], entry["malformed"], entry["share"]) == (
        "t",
        name,
        "KEY_INVALID",
        40,
        1.0,
    )
    page.goto(f"/w/{WORKSPACE}/jobs/{job}")
    expect(page.get_by_text("Every record of t is skipped")).to_be_visible(timeout=SOON)
    expect(page.get_by_text("40 of 40 records don't fit the contract")).to_be_visible()
    both_sizes(page, shots, "job-that-skips")
    page.goto(f"/w/{WORKSPACE}/jobs")
    expect(page.get_by_text("Skips 100% of t")).to_be_visible(timeout=SOON)
    page.screenshot(path=shots / "jobs-that-skip.png", full_page=True)
