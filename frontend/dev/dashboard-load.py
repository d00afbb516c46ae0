"""What 20 busy panels cost in Chromium: `python dev/dashboard-load.py http://127.0.0.1:8499 [seconds]`, with the mock running.

Reads the processor time of all the browser's processes from /proc, so Linux only. Uses the system's Chromium
(CHROMIUM, else /usr/bin/chromium). Development only.
"""

import os
import sys
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

TICKS = os.sysconf("SC_CLK_TCK")


def processes(root: int) -> dict[int, tuple[str, float]]:
    """Kind and processor seconds of a process and all below it."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found = {root}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return {pid: one for pid in found if (one := measured(pid)) is not None}


def measured(pid: int) -> tuple[str, float] | None:
    """Kind of a Chromium process, and its processor seconds; None when it ended."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_text()
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    kind = command.partition("--type=")[2].partition("\0")[0].split(" ")[0] or ("browser" if "chrom" in command else "driver")
    return kind, (int(fields[11]) + int(fields[12])) / TICKS


def main() -> None:
    """Opens the page, waits until it is drawn, and measures."""
    base, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 30.0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1920, "height": 1080})
        page.goto(f"{base}/w/demo/dashboards/busy")
        page.wait_for_selector("[data-panel] canvas")
        page.wait_for_timeout(5_000)
        frames = page.evaluate("window.__draws = 0")
        page.evaluate(
            "() => { const draw = CanvasRenderingContext2D.prototype.clearRect;"
            "CanvasRenderingContext2D.prototype.clearRect = function (...a) { window.__draws += 1; return draw.apply(this, a); } }"
        )
        before, began = processes(os.getpid()), time.monotonic()
        time.sleep(seconds)
        after, passed = processes(os.getpid()), time.monotonic() - began
        frames = page.evaluate("window.__draws")
        shares: dict[str, float] = {}
        for pid, (kind, spent) in after.items():
            shares[kind] = shares.get(kind, 0.0) + (spent - before.get(pid, (kind, 0.0))[1]) / passed * 100
        panels = page.locator("[data-panel]").count()
        sys.stdout.write(f"{panels} panels, {frames / passed:.0f} drawings of charts/s, {passed:.0f} s; % of a core:\n")
        for kind, share in sorted(shares.items(), key=lambda one: -one[1]):
            sys.stdout.write(f"  {kind}: {share:.1f}\n")
        browser.close()


main()
