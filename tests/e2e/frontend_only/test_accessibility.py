"""axe finds nothing on any main page, in light and dark, wide and narrow."""

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import WORKSPACE, SignIn
from weir.embedded.layout import REPOSITORY

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(300)]

AXE = REPOSITORY / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
RULES = "{runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice']}"
PAGES = (
    "",
    "/map",
    "/map?view=list",
    "/jobs",
    "/jobs/new",
    "/jobs/new/form",
    "/jobs/new/text",
    "/jobs/new/sql",
    "/jobs/new/drawing",
    "/streams",
    "/streams/new",
    "/admin",
    "/admin/tokens",
    "/admin/engines",
    "/admin/openlineage",
    "/admin/clusters",
    "/admin/clusters?cluster=new",
    "/topics",
)
SIZES = {"wide": {"width": 1440, "height": 900}, "narrow": {"width": 390, "height": 844}}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing(sign_in: SignIn, scheme: str, size: str) -> None:
    page = sign_in(color_scheme=scheme, viewport=SIZES[size])
    found: list[str] = []
    for path in PAGES:
        page.goto(f"/w/{WORKSPACE}{path}")
        expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=20_000)
        page.wait_for_load_state("networkidle")
        page.evaluate(AXE.read_text())
        for violation in page.evaluate(f"axe.run(document, {RULES})")["violations"]:
            found.append(f"{path or '/'}: {violation['id']} at {violation['nodes'][0]['html'][:120]}")
    assert not found, "\n".join(found)
