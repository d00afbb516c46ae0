"""How long frames take while a large map is panned: `WEIR_MOCK_MAP=300 npm run mock`, then
`python dev/map-frames.py http://127.0.0.1:8499`.

Prints frames per second, and the share of frames that came later than 1/30 s. Uses the system's Chromium
(CHROMIUM, else /usr/bin/chromium). Development only.
"""

import json
import os
import sys
import time

from playwright.sync_api import sync_playwright

SECONDS = 5.0
COUNT = """() => {
  window.frames_ = [];
  const step = (at) => { window.frames_.push(at); requestAnimationFrame(step); };
  requestAnimationFrame(step);
}"""


def main(address: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        began = time.monotonic()
        page.goto(f"{address}/w/demo/map")
        page.wait_for_selector(".react-flow__node")
        shown = time.monotonic() - began
        nodes = page.locator(".react-flow__node").count()
        page.wait_for_timeout(1_000)
        page.mouse.move(700, 600)
        page.evaluate(COUNT)
        page.mouse.down()
        until = time.monotonic() + SECONDS
        at = 0
        while time.monotonic() < until:
            at += 1
            page.mouse.move(700 + 200 * ((at % 40) / 40), 600 - 150 * ((at % 30) / 30))
        page.mouse.up()
        frames = page.evaluate("window.frames_")
        gaps = [later - earlier for earlier, later in zip(frames, frames[1:], strict=False)]
        print(
            json.dumps(
                {
                    "nodes": nodes,
                    "first_node_s": round(shown, 2),
                    "moves": at,
                    "frames_per_s": round(1_000 * len(gaps) / sum(gaps), 1),
                    "median_ms": sorted(gaps)[len(gaps) // 2],
                    "p95_ms": sorted(gaps)[int(len(gaps) * 0.95)],
                    "later_than_33_ms": round(sum(gap > 34 for gap in gaps) / len(gaps), 3),
                }
            )
        )
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1])
