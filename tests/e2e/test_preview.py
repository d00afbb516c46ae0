"""A windowed aggregate is previewed on the real system: typed records, rows of each step, what was lost."""

import json
import time
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import WORKSPACE, SignIn
from tests.support.patience import PATIENCE
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(600), pytest.mark.long]

SOON = 20_000 * PATIENCE
PLAYED = 240_000 * PATIENCE  # the engine may still be starting
BEGIN_MS = 1_767_261_600_000  # 2026-01-01T10:00:00Z
DOCUMENT = """format: 1
name: previewed
sources:
  words: {{stream: {stream}}}
steps:
  kept: {{op: filter, input: words, where: "amount >= 0"}}
  shares: {{op: derive, input: kept, fields: {{share: "1 / amount"}}}}
  counted:
    op: aggregate
    input: shares
    window: {{tumbling: {{size: 10s}}}}
    by: [word]
    measures: {{n: count(), most: max(share)}}
    emit: final
outputs:
  live: {{input: counted, to: result}}
settings: {{mode: auto, engine: shared}}
"""


def _line(second: float, amount: float) -> str:
    return json.dumps({"at": BEGIN_MS + round(second * 1_000), "word": "a", "amount": amount})


def _await_engine(system: System) -> None:
    """Without a ready engine a preview is refused, which this module does not test."""
    rest, deadline = system.rest("browser", WORKSPACE), time.monotonic() + PLAYED / 1_000
    while not any(engine["ready"] for engine in rest.get("engines")["results"]):
        assert time.monotonic() < deadline, "no engine is ready"
        time.sleep(1)


def _play(page: Page) -> None:
    """Until the rows are there: the first plays of a cold engine may take longer than a preview may."""
    result = page.get_by_role("region", name="Preview of counted").get_by_text("1 row out")
    again = page.get_by_role("button", name="Run again")
    for _ in range(6):
        expect(again).to_be_enabled(timeout=PLAYED)
        if result.is_visible():
            return
        again.click()
        expect(page.get_by_role("button", name="Cancel", exact=True)).to_be_visible(timeout=SOON)
    expect(result).to_be_visible()


def test_a_windowed_aggregate_is_previewed(system: System, sign_in: SignIn, shots: Path) -> None:
    stream = f"words_{uuid4().hex[:6]}"
    system.rest("browser", WORKSPACE).post(
        "streams",
        {
            "name": stream,
            "topic": stream,
            "create": {"partitions": 1},
            "contract": {
                "fields": [
                    {"name": "at", "type": "long", "nullable": False},
                    {"name": "word", "type": "string", "nullable": False},
                    {"name": "amount", "type": "double"},
                ],
                "event_time": {"kind": "field", "field": "at", "unit": "ms"},
                "delay": "1s",
            },
        },
    )
    _await_engine(system)
    page = sign_in()
    draft = DOCUMENT.format(stream=stream)
    page.evaluate("draft => localStorage.setItem(...draft)", [f"weir.draft.{WORKSPACE}.new-job", draft])
    page.goto(f"/w/{WORKSPACE}/jobs/new/form")
    page.get_by_role("button", name="Preview rows").click()
    page.get_by_text("Input records").click()
    page.get_by_role("combobox", name="Records", exact=True).click()
    page.get_by_role("option", name="Typed, or from a file").click()
    lines = [_line(1, 2), _line(2, -1), _line(3, 0), "{nonsense", _line(25, 1), _line(26, 1)]
    page.get_by_label("Records, one JSON value per line").fill("\n".join(lines))

    _play(page)
    steps = page.get_by_role("list", name="Steps")
    expect(steps).to_contain_text("! 1 record malformed")
    expect(steps).to_contain_text("1 filtered out")
    expect(steps).to_contain_text("! 1 row null by error in share")
    page.screenshot(path=shots / "previewed.png", full_page=True)

    page.get_by_label("Condition").fill("amount > 0")
    expect(steps).to_contain_text("2 filtered out", timeout=SOON * 3)
    expect(steps).not_to_contain_text("null by error")
    steps.get_by_role("button", name="kept").click()
    expect(page.get_by_role("region", name="Rows of kept")).to_contain_text("a")
