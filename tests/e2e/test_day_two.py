"""What people do at three in the morning, in the browser on a real system: an alert is looked after, a
group's offsets are moved, a job's history and log are read, and who did what.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import WORKSPACE, SignIn
from tests.support.day_two import COMMITTED, DayTwo, day_two
from tests.support.patience import PATIENCE
from tests.support.processes import wait_until
from tests.support.sound_page import SIZES, axe_findings, overhang_px
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(420)]
SOON = 30_000 * PATIENCE
HOME = f"/w/{WORKSPACE}"


@pytest.fixture(scope="module")
def day(system: System) -> Iterator[DayTwo]:
    with day_two(system, "browser", WORKSPACE) as found:
        yield found


def table(inside: Page | Locator, name: str) -> Locator:
    """A table; its name is that of the region that scrolls."""
    return inside.get_by_role("region", name=name, exact=True).get_by_role("table")


def choose(page: Page, name: str, option: str | re.Pattern[str]) -> None:
    """An option of a select, by the names of both."""
    page.get_by_role("combobox", name=re.compile(f"^{name}")).click()
    page.get_by_role("option", name=option).click()


def test_a_rule_is_made_and_its_alert_is_looked_after(day: DayTwo, sign_in: SignIn, shots: Path) -> None:
    page, rule = sign_in(), f"Failed orders of {day.stream}"
    page.goto(f"{HOME}/alerts")
    expect(table(page, "Open alerts")).to_be_visible(timeout=SOON)
    page.goto(f"{HOME}/alerts/rules")
    page.get_by_role("button", name="New rule").click()
    editor = page.get_by_role("dialog")
    editor.get_by_label("Name").fill(rule)
    choose(page, "Job", day.job_name)
    editor.get_by_label("Condition").fill("status = 'FAILED' and orders >= 1")
    choose(page, "Severity", "Critical")
    expect(editor.get_by_text(re.compile("would have fired", re.IGNORECASE))).to_be_visible(timeout=SOON)
    page.screenshot(path=shots / "rule-editor.png")
    editor.get_by_role("button", name="Create rule").click()
    expect(editor).to_have_count(0)

    bell = page.get_by_role("navigation", name="Main").get_by_role("link", name=re.compile(r"Alerts.*unread"))
    expect(bell).to_be_visible(timeout=SOON)
    page.screenshot(path=shots / "bell.png")
    bell.click()
    row = table(page, "Open alerts").get_by_role("row").filter(has_text=rule)
    expect(row).to_contain_text("Firing", timeout=SOON)
    expect(bell).to_have_count(0, timeout=SOON)  # what was looked at is read
    row.get_by_role("button", name="Acknowledge").click()
    expect(row).to_contain_text("Acknowledged by browser", timeout=SOON)
    row.get_by_role("button", name="Silence").click()
    page.get_by_role("menuitem", name="For 30 min").click()
    expect(row).to_contain_text("silenced", timeout=SOON)

    row.get_by_role("link", name=rule).click()
    alert = page.get_by_role("dialog")
    expect(alert.get_by_text("FAILED", exact=True)).to_be_visible(timeout=SOON)
    alert.get_by_role("link", name="Live results").click()
    expect(page).to_have_url(re.compile(f"/jobs/{day.job}$"))
    expect(page.get_by_role("heading", level=1, name=day.job_name)).to_be_visible(timeout=SOON)


def test_offsets_are_moved_after_a_dry_run(day: DayTwo, system: System, sign_in: SignIn, shots: Path) -> None:
    page = sign_in()
    page.goto(f"{HOME}/consumers?name={day.group}")
    table(page, "Consumer groups").get_by_role("link", name=day.group).click()
    expect(page.get_by_role("heading", level=1, name=day.group)).to_be_visible(timeout=SOON)
    page.get_by_role("button", name="Move offsets").click()
    dialog = page.get_by_role("dialog")
    choose(page, "Position", re.compile("^Earliest"))
    dialog.get_by_role("button", name="Preview").click()
    preview = table(dialog, "What would change")
    expect(preview).to_contain_text(f"reads {COMMITTED} records again", timeout=SOON)
    page.screenshot(path=shots / "move-offsets.png")
    assert day.committed(system) == COMMITTED, "a dry run moves nothing"
    dialog.get_by_role("button", name="Move offsets").click()
    expect(page.get_by_role("dialog")).to_contain_text("Offsets moved", timeout=SOON)
    assert day.committed(system) == 0
    page.get_by_role("dialog").get_by_role("button", name="Close", exact=True).last.click()


def test_a_jobs_history_of_a_range_beside_yesterdays(day: DayTwo, sign_in: SignIn) -> None:
    page = sign_in()
    page.goto(f"{HOME}/jobs/{day.job}/lag")
    expect(page.get_by_role("img", name=re.compile("^Rows, per second")).first).to_be_visible(timeout=SOON)
    marks = page.get_by_role("list", name="Events in this range")
    expect(marks).to_contain_text(day.rule, timeout=SOON)
    choose(page, "Compare with", "Yesterday")
    expect(page).to_have_url(re.compile("compare=1440"))
    expect(page.get_by_text("Nothing was measured yesterday.")).to_be_visible(timeout=SOON)
    page.get_by_role("button", name="Show as table").click()
    numbers = table(page, "History, newest first")
    expect(numbers.get_by_role("row").nth(1)).to_be_visible()
    marks.get_by_role("link", name=re.compile(day.rule)).first.click()
    expect(page).to_have_url(re.compile(r"/alerts\?alert="))
    expect(page.get_by_role("dialog")).to_contain_text(day.rule, timeout=SOON)


def test_a_program_reads_lag_and_freshness(day: DayTwo) -> None:
    """What the relay stores by the run's id is found by who asks for the job."""
    known: dict[str, Any] = {}

    def told() -> bool:
        known["sources"] = day.rest.get(f"jobs/{day.job}/lag")["sources"]
        known["freshness_ms"] = day.rest.get(f"jobs/{day.job}")["freshness_ms"]
        # Another test may just have started it again: its positions are null until it has read.
        partitions = [one for source in known["sources"].values() for one in source["partitions"]]
        read = [one["committed"] or one["fetched"] or 0 for one in partitions]
        return sum(read) > 0 and known["freshness_ms"] is not None

    wait_until(told, 60, "lag and freshness are known", lambda: known)
    assert len(known["sources"]) == 1


@pytest.mark.thorough
def test_a_log_is_searched_and_followed(day: DayTwo, sign_in: SignIn) -> None:
    page = sign_in()
    page.goto(f"{HOME}/jobs/{day.job}/logs")
    log = page.get_by_role("log", name="Log lines")
    expect(log).to_be_visible(timeout=SOON)
    search = page.get_by_role("searchbox", name="Search log lines")
    search.fill("no line says this")
    expect(page.get_by_text("No matching lines")).to_be_visible(timeout=SOON)
    page.get_by_role("button", name="Clear filters").click()
    expect(log).to_be_visible(timeout=SOON)
    expect(page.get_by_role("switch", name="Follow")).to_be_checked()
    lines = log.locator("time")
    before = lines.count()
    day.rest.post(f"jobs/{day.job}/stop", {})
    expect(lines.nth(before)).to_be_visible(timeout=SOON)  # it came by itself
    expect(lines.last).to_be_in_viewport()
    day.rest.post(f"jobs/{day.job}/start", {"from": "resume"})
    wait_until(lambda: day.rest.get(f"jobs/{day.job}")["observed"] == "running", 120, "the job runs again")


def test_the_audit_trail_is_filtered_and_exported(day: DayTwo, sign_in: SignIn) -> None:
    page = sign_in()
    page.goto(f"{HOME}/admin/audit")
    trail = table(page, "Audit trail")
    expect(trail).to_be_visible(timeout=SOON)
    choose(page, "Object type", "Job")
    choose(page, "Action", "Started")
    expect(page).to_have_url(re.compile("action=started"))
    expect(trail.get_by_role("row").filter(has_text=day.job_name).first).to_be_visible(timeout=SOON)
    expect(trail).not_to_contain_text("created")
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as saved:
        page.get_by_role("menuitem", name=re.compile("^JSON Lines")).click()
    events = [json.loads(line) for line in saved.value.path().read_text().splitlines()]
    assert {(event["kind"], event["action"]) for event in events} == {("job", "started")}
    assert day.job in {event["subject"] for event in events}


def test_lineage_arrives_and_its_delivery_is_told(day: DayTwo, sign_in: SignIn) -> None:
    page = sign_in()
    page.goto(f"{HOME}/admin/openlineage")
    log = table(page, "Delivery log")
    started = log.get_by_role("row").filter(has_text=day.job_name).filter(has_text="Sent")
    expect(started.first).to_be_visible(timeout=SOON)
    assert "START" in day.catalog.types
    page.get_by_role("button", name="Send test").click()
    tested = log.get_by_role("row").filter(has_text="weir-connection-test").filter(has_text="Sent")
    expect(tested.first).to_be_visible(timeout=SOON)
    names = {event["job"]["name"] for event in day.catalog.events}
    assert "weir-connection-test" in names


def test_a_lineage_receiver_is_changed_in_its_form(day: DayTwo, sign_in: SignIn) -> None:
    page = sign_in()
    page.goto(f"{HOME}/admin/openlineage")
    page.get_by_role("button", name="Change").click()
    page.get_by_label("URL").fill(day.catalog.url)
    page.get_by_label("Job namespace").fill("weir.by-form")
    page.get_by_role("button", name="Save receiver").click()
    expect(page.get_by_text("weir.by-form").filter(visible=True).first).to_be_visible(timeout=SOON)
    page.get_by_role("button", name="Send test").click()
    wait_until(
        lambda: day.catalog.events[-1]["job"]["namespace"] == "weir.by-form", 60, "the next event says so"
    )


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        pytest.param("wide", "light", marks=pytest.mark.thorough),
        pytest.param("narrow", "dark", marks=pytest.mark.long),
        pytest.param("wide", "dark", marks=pytest.mark.long),
        pytest.param("narrow", "light", marks=pytest.mark.long),
    ],
)
def test_the_pages_with_content_are_sound(
    day: DayTwo, sign_in: SignIn, shots: Path, size: str, scheme: str
) -> None:
    page = sign_in(color_scheme=scheme, viewport=SIZES[size])
    alert = day.rest.get("alerts", state="open")["results"][0]["id"]
    group = f"/consumers/home/{day.group}"
    job = f"/jobs/{day.job}"
    pages = {
        "alerts": ("/alerts", day.rule),
        "alert": (f"/alerts?alert={alert}", "Condition"),
        "rules": ("/alerts/rules", day.rule),
        "objectives": ("/alerts/objectives", day.job_name),
        "consumers": ("/consumers", day.group),
        "group": (group, day.stream),
        "group-history": (f"{group}/history?compare=1440", "Events in this range"),
        "history": (f"{job}/lag?compare=1440", day.rule),
        "logs": (f"{job}/logs", "Times in"),
        "audit": ("/admin/audit", day.job_name),
        "openlineage": ("/admin/openlineage", day.job_name),
    }
    found = []
    for name, (path, text) in pages.items():
        page.goto(HOME + path)
        expect(page.get_by_text(text).filter(visible=True).first).to_be_visible(timeout=SOON)
        page.wait_for_load_state("networkidle")
        page.screenshot(path=shots / f"day-two-{name}-{size}-{scheme}.png", full_page=True)
        found += [f"{name}: {finding}" for finding in axe_findings(page)]
        if overhang_px(page):
            found.append(f"{name} scrolls sideways")
    assert not found, "\n".join(found)
