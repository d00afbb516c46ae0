"""What pages take in a browser while rows change, and how smoothly drawings pan."""

import json
import time
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import CDPSession, Page, sync_playwright

from bench.idle import browser_processes
from bench.percentiles import percentile
from bench.steady import Load
from bench.usage import Strangers, cpu_seconds
from bench.weir_job import await_warm_engine, create_job, register
from tests.support.browser import ARGUMENTS, find_browser
from tests.support.processes import wait_until
from tests.support.rest import Rest
from tests.support.system import System

RATE: Final = 80  # events/s, of which each changes a row
PANEL_RATE: Final = 10  # events/s
PANELS: Final = 20
STEPS: Final = 20
MAP_JOBS: Final = 150  # each with a stream of its own: two nodes
SIZE: Final = {"width": 1440, "height": 900}
_SOON_MS: Final = 60_000
_FRAMES: Final = """
() => {
  window.frames = [];
  let before = performance.now();
  const next = (now) => { window.frames.push(now - before); before = now; requestAnimationFrame(next); };
  requestAnimationFrame((now) => { before = now; requestAnimationFrame(next); });
}
"""
"""Times between frames, in milliseconds."""


def measure(system: System, folder: Path, settle: float, seconds: float) -> dict[str, Any]:
    """Open each page in turn.

    Args:
        system: running, without jobs.
        folder: for the ledgers.
        settle: seconds from an open page to the first sample.
        seconds: how long each page is measured.

    Returns:
        seconds, settle, rate, panel_rate, panels, steps, places (on the map), strangers (cores), pages (by
        name: cores of all processes of the browser, and of the page's main thread) and drawings (by name:
        fps, slow_share of frames that came after more than 20 ms, p99_ms, longest_ms).
    """
    rest = system.rest("bench", "bench")
    await_warm_engine(rest)
    fast, slow = register(rest, "bench.fast"), register(rest, "bench.slow")
    job, paneled = create_job(rest, "fast", fast), create_job(rest, "slow", slow)
    for started in (job, paneled):
        rest.post(f"jobs/{started}/start", {"from": "now"})
    dashboard = rest.post("dashboards", {"name": "panels", "document": dashboard_of(paneled)})["id"]
    long = str(rest.post("jobs", {"document": json.dumps(_long_document(fast))})["id"])
    _fill_map(rest)
    base = f"{system.base_url}/w/bench"
    strangers = Strangers(system.layout.data)
    with (
        Load(system.bootstrap, "bench.fast", RATE, folder / "fast"),
        Load(system.bootstrap, "bench.slow", PANEL_RATE, folder / "slow"),
        sync_playwright() as playwright,
    ):
        for started in (job, paneled):
            _await_running(rest, started)
        browser = playwright.chromium.launch(executable_path=find_browser(), args=list(ARGUMENTS))
        page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
        page.goto(system.base_url + system.sign_in_path("bench", "bench"))

        def taken(path: str, ready: str) -> dict[str, float]:
            page.goto(f"{base}/{path}")
            page.locator(ready).first.wait_for(timeout=_SOON_MS)
            time.sleep(settle)
            return _cores(page, seconds)

        def panned(path: str, drawing: str) -> dict[str, float]:
            page.goto(f"{base}/{path}")
            page.locator(f"{drawing} .react-flow__node").first.wait_for(timeout=_SOON_MS)
            time.sleep(settle / 2)
            return _pan(page, drawing, seconds / 2)

        pages = {
            "job": taken(f"jobs/{job}", "[role=row]"),
            "dashboard": taken(f"dashboards/{dashboard}", "canvas"),
        }
        drawings = {
            "job": panned(f"jobs/{long}/graph", ".react-flow"),
            "map": panned("map", ".react-flow"),
        }
        taken_by_strangers = strangers.cores()  # the browser's processes count as ours while they live
        browser.close()
    return {
        "seconds": seconds, "settle": settle, "rate": RATE, "panel_rate": PANEL_RATE, "panels": PANELS,
        "steps": STEPS, "places": 2 * MAP_JOBS, "strangers": taken_by_strangers, "pages": pages,
        "drawings": drawings,
    }  # fmt: skip


def dashboard_of(job: str) -> dict[str, Any]:
    """Panels of all kinds that a windowed count has the fields for, four in a row."""
    shared = {"job": job, "output": "live", "aggregation": "sum"}
    kinds: tuple[dict[str, Any], ...] = (
        {"kind": "line", "x": "window_start", "y": ["n"], "series": ["k"]},
        {"kind": "number", "value": "n", "x": "window_start"},
        {"kind": "top_list", "label": ["k"], "value": "n", "x": "window_start"},
        {"kind": "bar", "x": "window_start", "y": ["n"], "series": ["k"]},
        {"kind": "area", "x": "window_start", "y": ["hi"], "series": ["k"]},
    )
    panels = [
        {
            **shared,
            **kinds[at % len(kinds)],
            "id": f"p{at}",
            "title": f"Panel {at}",
            "position": {"x": at % 4 * 3, "y": at // 4 * 4, "w": 3, "h": 4},
        }
        for at in range(PANELS)
    ]
    return {"format": 1, "window": "15m", "panels": panels}


def _long_document(stream: str) -> dict[str, Any]:
    steps: dict[str, Any] = {}
    above = "events"
    for at in range(STEPS - 1):
        steps[f"step{at}"] = {"op": "derive", "input": above, "fields": {f"d{at}": f"g + {at}"}}
        above = f"step{at}"
    steps["counts"] = {
        "op": "aggregate",
        "input": above,
        "window": {"tumbling": {"size": "10s"}},
        "by": ["k"],
        "measures": {"n": "count()"},
    }
    return {
        "format": 1,
        "name": "long",
        "sources": {"events": {"stream": stream}},
        "steps": steps,
        "outputs": {"live": {"input": "counts", "to": "result"}},
    }


def _fill_map(rest: Rest) -> None:
    for number in range(MAP_JOBS):
        create_job(rest, f"map-{number}", register(rest, f"bench.map_{number}"))


def _await_running(rest: Rest, job: str) -> None:
    wait_until(lambda: rest.get(f"jobs/{job}")["observed"] == "running", 180, f"job {job} runs")


def _cores(page: Page, seconds: float) -> dict[str, float]:
    """Of all processes of the browser, and of the main thread of the page."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    began, busy, spent = time.monotonic(), _main_seconds(session), cpu_seconds(browser_processes())
    page.wait_for_timeout(seconds * 1_000)
    elapsed = time.monotonic() - began
    found = {
        "cores": (cpu_seconds(browser_processes()) - spent) / elapsed,
        "main_thread": (_main_seconds(session) - busy) / elapsed,
    }
    session.detach()
    return {name: round(value, 3) for name, value in found.items()}


def _main_seconds(session: CDPSession) -> float:
    metrics = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    return float(metrics["TaskDuration"])


def _pan(page: Page, drawing: str, seconds: float) -> dict[str, float]:
    """Drag an empty place of the drawing to and fro."""
    box = page.locator(drawing).first.bounding_box()
    assert box is not None
    left, top = box["x"] + 8, box["y"] + box["height"] / 2
    page.mouse.move(left, top)
    page.mouse.down()
    page.evaluate(_FRAMES)
    began, at = time.monotonic(), 0
    while time.monotonic() - began < seconds:
        at += 1
        page.mouse.move(left + 150 + 140 * ((at // 60) % 2 * 2 - 1) * (at % 60 / 60), top + at % 40)
    frames: list[float] = page.evaluate("() => window.frames")
    page.mouse.up()
    return {
        "fps": round(1_000 * len(frames) / sum(frames), 1),
        "slow_share": round(sum(each > 20 for each in frames) / len(frames), 3),
        "p99_ms": round(percentile(frames, 0.99), 1),
        "longest_ms": round(max(frames), 1),
    }
