"""Idle: the embedded system with its three demos and one open tab, minutes 5 to 10, over all processes."""

import time
from dataclasses import asdict
from typing import Any

import psutil
from playwright.sync_api import sync_playwright

from bench.usage import Strangers, measure, with_children
from bench.weir_job import await_standby
from tests.support.browser import ARGUMENTS, find_browser
from tests.support.system import System


def measure_idle(system: System, settle_seconds: float, seconds: float) -> dict[str, Any]:
    """Open the overview's first job in a browser, wait, measure.

    Args:
        system: started with the demo and a standby engine.
        settle_seconds: from the open tab to the first sample.
        seconds: how long to measure.
    """
    rest = system.rest("demo", "demo")
    await_standby(rest)
    job = next(job for job in rest.get("jobs")["results"] if job["name"] == "stock-statistics")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=list(ARGUMENTS))
        page = browser.new_page()
        page.goto(system.base_url + system.sign_in_path("demo", "demo"))
        page.goto(f"{system.base_url}/w/demo/jobs/{job['id']}")
        time.sleep(settle_seconds)
        strangers = Strangers(system.layout.data)
        used = measure(lambda: {**process_trees(system), "browser": browser_processes()}, seconds)
        stranger_cores = strangers.cores()
        visible = page.title()
        browser.close()
    tab = used.pop("browser")
    states = {each["name"]: each["observed"] for each in rest.get("jobs")["results"]}
    total = {key: sum(asdict(use)[key] for use in used.values()) for key in ("cores", "pss_mb", "rss_mb")}
    return {
        "jobs": states,
        "strangers": stranger_cores,
        "page": visible,
        "processes": {name: asdict(use) for name, use in used.items()},
        "total": total,
        "browser_outside_the_sum": asdict(tab),
    }


def process_trees(system: System) -> dict[str, list[psutil.Process]]:
    """Every process of the system under the name of what it belongs to, each once."""
    pids = system.processes()
    taken: set[int] = set()
    trees: dict[str, list[psutil.Process]] = {}
    # Engines first: they are children of the worker that started them.
    for name, pid in sorted(pids.items(), key=lambda item: not item[0].startswith("engine-")):
        trees[name] = [each for each in with_children(pid) if each.pid not in taken]
        taken |= {each.pid for each in trees[name]}
    supervisor = psutil.Process(next(pid for name, pid in pids.items() if name == "web")).parent()
    above = [supervisor, supervisor.parent()] if supervisor is not None else []
    trees["supervisor"] = [each for each in above if each is not None]
    return trees


def browser_processes() -> list[psutil.Process]:
    """The browser that we started, all its processes."""
    own = psutil.Process().children(recursive=True)
    return [each for each in own if "chrom" in each.name()]
