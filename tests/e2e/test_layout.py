"""Every page in light and dark, wide and narrow.

It draws itself, complains of nothing and never scrolls sideways.
"""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import WORKSPACE, SignIn
from tests.support.patience import PATIENCE
from tests.support.sound_page import SIZES, overhang_px

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]

PAGES = {
    "overview": "",
    "jobs": "/jobs",
    "new-job": "/jobs/new",
    "form": "/jobs/new/form",
    "text": "/jobs/new/text",
    "drawing": "/jobs/new/drawing",
    "dashboards": "/dashboards",
    "consumers": "/consumers",
    "alerts": "/alerts",
    "alert-rules": "/alerts/rules",
    "alert-channels": "/alerts/channels",
    "streams": "/streams",
    "map": "/map",
    "register": "/new-stream",
    "admin": "/admin",
    "openlineage": "/admin/openlineage",
    "audit-trail": "/admin/audit",
}


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        pytest.param("wide", "light"),
        pytest.param("narrow", "dark", marks=pytest.mark.thorough),
        pytest.param("wide", "dark", marks=pytest.mark.long),
        pytest.param("narrow", "light", marks=pytest.mark.long),
    ],
)
def test_every_page_draws_itself(sign_in: SignIn, shots: Path, size: str, scheme: str) -> None:
    page = sign_in(color_scheme=scheme, viewport=SIZES[size])
    for name, path in PAGES.items():
        page.goto(f"/w/{WORKSPACE}{path}")
        expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=20_000 * PATIENCE)
        page.screenshot(path=shots / f"{name}-{size}-{scheme}.png", full_page=True)
        assert overhang_px(page) == 0, f"{name} scrolls sideways"
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    channels = [
        int(part) for part in dark.removeprefix("rgb(").removeprefix("rgba(").rstrip(")").split(",")[:3]
    ]
    assert (sum(channels) < 384) == (scheme == "dark"), f"{scheme} has the background {dark}"


def test_the_keyboard_reaches_the_navigation(sign_in: SignIn) -> None:
    page = sign_in()
    expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=20_000 * PATIENCE)
    reached = set()
    for _ in range(25):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement?.textContent?.trim() ?? ''"))
    assert {"Overview", "Jobs", "Streams"} <= reached, reached
