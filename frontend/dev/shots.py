"""Screenshots of every page, and what axe and the console say: `python dev/shots.py http://127.0.0.1:8499 /tmp/shots [only]`.

Uses the system's Chromium (CHROMIUM, else /usr/bin/chromium). Development only.
"""

import json
import os
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

PAGES = {
    "overview": "/",
    "jobs": "/jobs",
    "new": "/jobs/new",
    "form": "/jobs/new/form",
    "text": "/jobs/new/text",
    "sql": "/jobs/new/sql",
    "drawing": "/jobs/new/drawing",
    "live-windows": "/jobs/stock",
    "live-keys": "/jobs/words",
    "graph": "/jobs/stock/graph",
    "lag": "/jobs/stock/lag",
    "lag-day": "/jobs/stock/lag?range=1440&compare=1440",
    "runs": "/jobs/stock/runs",
    "logs": "/jobs/stock/logs",
    "logs-errors": "/jobs/stock/logs?level=error",
    "logs-older": "/jobs/stock/logs?run=stock.2",
    "logs-no-match": "/jobs/stock/logs?q=nothing",
    "logs-never": "/jobs/idle/logs",
    "versions": "/jobs/stock/versions",
    "tests": "/jobs/stock/tests",
    "tests-none": "/jobs/flights/tests",
    "tests-edit": "/jobs/stock/tests?edit=t1",
    "tests-capture": "/jobs/stock/tests?edit=capture",
    "document": "/jobs/stock/document",
    "problems": "/jobs/stock/problems",
    "edit": "/jobs/stock/document?edit=1",
    "edit-drawing": "/jobs/stock/document?edit=1&view=drawing",
    "edit-sql": "/jobs/stock/document?edit=1&view=sql",
    "failed": "/jobs/clicks",
    "never": "/jobs/idle",
    "map": "/map",
    "map-find": "/map?find=stock",
    "map-list": "/map?view=list",
    "catching-up": "/jobs/flights",
    "consumers": "/consumers",
    "consumers-none": "/consumers?name=zzz",
    "group": "/consumers/home/clickstream-to-lake-of-the-analytics-department",
    "group-mirror": "/consumers/home/weir.demo.stock-statistics",
    "group-members": "/consumers/home/checkout%2Feu%20west/members",
    "group-history": "/consumers/home/fraud-scoring/history?compare=1440",
    "dashboards": "/dashboards",
    "dashboard": "/dashboards/floor",
    "dashboard-edit": "/dashboards/floor?edit=1",
    "dashboard-empty": "/dashboards/empty",
    "dashboard-kiosk": "/dashboards/floor/kiosk",
    "dashboard-busy": "/dashboards/busy",
    "shared": "^/shared#m0ckT0ken",
    "shared-ended": "^/shared#ended",
    "alerts": "/alerts",
    "alerts-one": "/alerts?alert=a2",
    "alerts-history": "/alerts/history",
    "alerts-rules": "/alerts/rules",
    "alerts-channels": "/alerts/channels",
    "alerts-silences": "/alerts/silences",
    "alerts-objectives": "/alerts/objectives",
    "alerts-objective": "/alerts/objectives?objective=o2",
    "alerts-of-job": "/jobs/flights",
    "streams": "/streams",
    "records": "/streams/ticks",
    "tail": "/streams/ticks?from=live",
    "empty-records": "/streams/clicks",
    "contract": "/streams/ticks/contract",
    "register": "/new-stream",
    "members": "/admin",
    "tokens": "/admin/tokens",
    "engines": "/admin/engines",
    "openlineage": "/admin/openlineage",
    "openlineage-given-up": "/admin/openlineage?events=failed",
    "audit": "/admin/audit",
    "audit-none": "/admin/audit?person=nobody",
    "audit-failing": "/admin/audit?person=broken",
    "clusters": "/admin/clusters",
    "cluster-form": "/admin/clusters?cluster=c1",
    "topics": "/topics",
    "topics-dead": "/topics/c1",
    "topic": "/topics/home/demo.ticks",
    "topic-records": "/topics/home/demo.ticks/records",
    "topic-settings": "/topics/home/demo.ticks/settings",
    "search": "/streams/ticks?where=ask+%3E+100",
    "produce": "/streams/ticks/produce",
    "schemas": "/schemas",
    "new-schema": "/new-schema",
    "subject": "/schemas/orders-value",
    "profile": "/streams/ticks/profile",
    "table": "/streams/quotes/rows",
    "table-row": "/streams/quotes/rows?row=S1",
    "example": "/jobs/new/example/aggregate?example=2",
    "example-form": "/jobs/new/example/join?view=form",
    "example-drawing": "/jobs/new/example/table_join?view=drawing",
    "example-none": "/jobs/new/example/nothing",
    "missing": "/jobs/nothing",
}
# What the draft of a new job holds: a page of its own begins with it.
DRAFTS = {
    "drawing": """format: 1
name: trades-with-rates
sources:
  ticks: {stream: ticks}
  clicks: {stream: clicks}
  quotes: {table: quotes}
steps:
  by_kind: {op: branch, input: ticks, branches: {trades: kind = 'trade'}, rest: others}
  priced: {op: derive, input: by_kind.trades, fields: {value: ask * 2, spread: ask - bid}}
  looked_up: {op: table_join, input: priced, table: quotes, type: left, on: {symbol: symbol}}
  pairs: {op: join, left: looked_up, right: clicks, on: {symbol: symbol}, between: {before: 0s, after: 1m}}
  per_minute:
    op: aggregate
    input: pairs
    window: {tumbling: {size: 1m}}
    by: [symbol]
    late: dead_letter
    measures: {n: count(), top: max(value)}
  totals: {op: aggregate, input: by_kind.others, by: [kind], measures: {n: count()}}
outputs:
  live: {input: per_minute, to: result}
  late_rows: {input: per_minute.late, to: {topic: late_ticks}}
  totals: {input: totals, to: {topic: totals}}
"""
}
VIEWS = {"wide": (1440, 900), "narrow": (390, 844)}
AXE = Path(__file__).parent.parent / "node_modules" / "axe-core" / "axe.min.js"


def axe(page: Page) -> list[str]:
    """What axe finds, a line each."""
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice']})")
    return [
        f"{v['id']} ({v['impact']}): {v['nodes'][0]['html'][:140]} x{len(v['nodes'])} {json.dumps(v['nodes'][0]['any'][:1])[:200]}"
        for v in found["violations"]
    ]


def tell(*words: object) -> None:
    """One line on the standard output."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")


def main() -> None:
    """Visits each page in each view and theme."""
    base, out = sys.argv[1], Path(sys.argv[2])
    only = sys.argv[3:] or list(PAGES)
    out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            for view, (width, height) in VIEWS.items():
                context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, timezone_id="Europe/Berlin")
                page = context.new_page()
                page.on("console", lambda m: tell("CONSOLE", m.type, m.text) if m.type in ("error", "warning") else None)
                page.on("pageerror", lambda e: tell("PAGEERROR", e))
                for name in only:
                    path = PAGES[name]  # ^: not below a workspace
                    page.goto(base)
                    page.evaluate("draft => localStorage.setItem('weir.draft.demo.new-job', draft)", DRAFTS.get(name, ""))
                    if name not in DRAFTS:
                        page.evaluate("localStorage.removeItem('weir.draft.demo.new-job')")
                    page.goto("about:blank")
                    page.goto(f"{base}{path[1:]}" if path.startswith("^") else f"{base}/w/demo{path}".rstrip("/"))
                    page.wait_for_selector("main h1, main h2")
                    page.wait_for_timeout(800)
                    overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                    if overflow > 0:
                        tell(f"OVERFLOW {name} {view}: {overflow} px")
                    page.screenshot(path=out / f"{name}-{view}-{scheme}.png", full_page=True)
                    for line in axe(page):
                        tell(f"AXE {name} {view} {scheme}: {line}")
                context.close()
        browser.close()


main()
