"""Browsing records: by partition, key, condition and time; scan limits and stop reasons; live; export."""

import json
from pathlib import Path
from uuid import uuid4

import pytest
from confluent_kafka import Producer
from playwright.sync_api import Page, expect

from tests.e2e.conftest import WORKSPACE, SignIn
from tests.support.patience import PATIENCE
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(600)]

SOON = 60_000 * PATIENCE
N = 600
BASE = 1_767_261_600_000  # 2026-01-01T10:00:00Z
FIELDS = [{"name": "n", "type": "long"}, {"name": "kind", "type": "string"}]


@pytest.fixture(scope="module")
def numbered(system: System) -> str:
    """Numbers in two partitions, a second apart; every hundredth is rare."""
    name = f"numbers_{uuid4().hex[:6]}"
    create = {"partitions": 2, "retention_ms": -1}
    made = {"name": name, "topic": name, "create": create, "contract": {"fields": FIELDS}}
    system.rest("browser", WORKSPACE).post("streams", made)
    _write(system, name, range(N))
    return name


def _write(system: System, topic: str, numbers: range) -> None:
    producer = Producer({"bootstrap.servers": system.bootstrap})
    for n in numbers:
        value = {"n": n, "kind": "rare" if n % 100 == 0 else "usual"}
        producer.produce(
            topic, json.dumps(value), key=f"k{n % 4}", partition=n % 2, timestamp=BASE + 1000 * n
        )
    assert producer.flush(20) == 0


def numbers(page: Page) -> list[int]:
    """The field n of the records that are shown."""
    return [
        int(text)
        for text in page.get_by_role("region", name="Records")
        .locator("tbody tr td:nth-child(5)")
        .all_inner_texts()
    ]


def shows(page: Page, expected: list[int]) -> None:
    """Wait until exactly these are shown, in this order."""
    cells = page.get_by_role("region", name="Records").locator("tbody tr td:nth-child(5)")
    expect(cells).to_have_text([str(n) for n in expected], timeout=SOON)


def test_partition_key_condition_and_time(numbered: str, sign_in: SignIn, shots: Path) -> None:
    page = sign_in(timezone_id="UTC")
    page.goto(f"/w/{WORKSPACE}/streams/{numbered}")
    shows(page, [N - 1 - n for n in range(50)])

    page.get_by_role("combobox", name="Partition").click()
    page.get_by_role("option", name="Partition 1").click()
    shows(page, [N - 1 - 2 * n for n in range(50)])
    assert "partition=1" in page.url

    asked = page.get_by_role("textbox", name="Key")
    asked.fill("k3")
    asked.press("Enter")
    shows(page, [N - 1 - 4 * n for n in range(50)])

    page.goto(f"/w/{WORKSPACE}/streams/{numbered}")
    condition = page.get_by_role("textbox", name="Filter, e.g. price > 100")
    condition.fill("kind = 'rare' AND n >= 200")
    condition.press("Enter")
    shows(page, [500, 400, 300, 200])
    expect(page.get_by_text(f"4 matches in {N} of {N} records")).to_be_visible(timeout=SOON)
    expect(page.get_by_text("end of topic")).to_be_visible()
    page.screenshot(path=shots / "browse-condition.png", full_page=True)

    page.goto(f"/w/{WORKSPACE}/streams/{numbered}?from=time")
    page.get_by_label("From (UTC)").fill("2026-01-01T10:09:57")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_role("region", name="Records").locator("tbody tr")).to_have_count(3, timeout=SOON)
    assert sorted(numbers(page)) == [597, 598, 599]
    page.get_by_label("Until (UTC)").fill("2026-01-01T10:09:58")
    page.get_by_label("Until (UTC)").press("Enter")
    shows(page, [597])
    expect(page.get_by_text("end of range")).to_be_visible()


def test_a_look_is_bounded_and_goes_on_where_it_stopped(numbered: str, sign_in: SignIn, shots: Path) -> None:
    page = sign_in()
    page.goto(f"/w/{WORKSPACE}/streams/{numbered}?from=earliest&partition=0")
    page.get_by_role("button", name="Scan limits").click()
    page.get_by_role("textbox", name="Max records").fill("20")
    page.keyboard.press("Escape")
    shows(page, [2 * n for n in range(20)])
    expect(page.get_by_text("record limit")).to_be_visible()
    page.get_by_role("button", name="Load more").click()
    shows(page, [2 * n for n in range(40)])
    expect(page.get_by_text("Scanned 40 records")).to_be_visible()
    page.get_by_text("Scanned 40 records").click()
    expect(page.get_by_text(f"Partition 0: offsets 20 to 40 of 0 to {N // 2}")).to_be_visible()
    page.screenshot(path=shots / "browse-bounded.png", full_page=True)
    page.goto(f"/w/{WORKSPACE}/streams/{numbered}?from=offset&offset=295&partition=1")
    shows(page, [591, 593, 595, 597, 599])


def test_an_export_holds_as_many_as_were_asked_for(numbered: str, sign_in: SignIn, tmp_path: Path) -> None:
    page = sign_in()
    page.goto(f"/w/{WORKSPACE}/streams/{numbered}?from=earliest&partition=0")
    page.get_by_role("button", name="Export").click()
    page.get_by_role("textbox", name="Max records").fill("25")
    lines = _download(page, tmp_path).splitlines()
    assert [json.loads(line)["row"]["n"] for line in lines[:-1]] == [2 * n for n in range(25)]
    assert "there may be more" in json.loads(lines[-1])["stopped"]
    page.get_by_text("CSV", exact=True).click()
    page.get_by_role("textbox", name="Max records").fill("100000")
    rows = _download(page, tmp_path).splitlines()
    assert rows[0].startswith("_partition,_offset,_timestamp,_event_time,_key,n,kind")
    assert len(rows) == 1 + N // 2


def _download(page: Page, folder: Path) -> str:
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    download.value.save_as(folder / "file")
    return (folder / "file").read_text()


@pytest.mark.parametrize("source", ["stream", "topic"])
def test_records_are_followed_live_and_held_while_paused(
    system: System, sign_in: SignIn, shots: Path, source: str
) -> None:
    name = f"followed_{uuid4().hex[:6]}"
    page, rest = sign_in(), system.rest("browser", WORKSPACE)
    if source == "stream":
        rest.post(
            "streams",
            {"name": name, "topic": name, "create": {"partitions": 2}, "contract": {"fields": FIELDS}},
        )
        page.goto(f"/w/{WORKSPACE}/streams/{name}")
    else:
        rest.post("clusters/home/topics", {"name": name, "partitions": 2})
        page.goto(f"/w/{WORKSPACE}/topics/home/{name}/records")
    page.get_by_text("Live", exact=True).first.click()
    expect(page.get_by_text("Waiting for the next record")).to_be_visible(timeout=SOON)
    _write(system, name, range(3))
    rows = page.get_by_role("region", name="Records").locator("tbody tr")
    expect(rows).to_have_count(3, timeout=SOON)
    page.get_by_role("button", name="Pause").click()
    _write(system, name, range(3, 7))
    expect(page.get_by_role("button", name="Resume (4 buffered)")).to_be_visible(timeout=SOON)
    expect(rows).to_have_count(3)
    page.screenshot(path=shots / f"live-paused-{source}.png", full_page=True)
    page.get_by_role("button", name="Resume").click()
    expect(rows).to_have_count(7, timeout=SOON)
    assert "from=live" in page.url
    if source == "topic":
        rows.first.get_by_role("button").click()
        expect(page.get_by_role("region", name="Full value")).to_contain_text('"kind": "usual"', timeout=SOON)
