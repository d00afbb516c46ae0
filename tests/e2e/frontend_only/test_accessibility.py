"""axe finds nothing on any main page, in light and dark, wide and narrow."""

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import WORKSPACE, SignIn
from tests.support.sound_page import SIZES, axe_findings

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(300)]

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
    "/new-stream",
    "/admin",
    "/admin/tokens",
    "/admin/engines",
    "/admin/openlineage",
    "/admin/clusters",
    "/admin/clusters?cluster=new",
    "/topics",
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing(sign_in: SignIn, scheme: str, size: str) -> None:
    page = sign_in(color_scheme=scheme, viewport=SIZES[size])
    found: list[str] = []
    for path in PAGES:
        page.goto(f"/w/{WORKSPACE}{path}")
        expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=20_000)
        page.wait_for_load_state("networkidle")
        found += [f"{path or '/'}: {finding}" for finding in axe_findings(page)]
    assert not found, "\n".join(found)
