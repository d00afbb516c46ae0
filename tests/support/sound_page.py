"""What every page has to be: nothing wider than the screen, and nothing that axe complains of."""

from typing import Final

from playwright.sync_api import Page

from weir.embedded.layout import REPOSITORY

_AXE: Final = REPOSITORY / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
_RULES: Final = "{runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice']}"
SIZES: Final = {"wide": {"width": 1440, "height": 900}, "narrow": {"width": 390, "height": 844}}


def axe_findings(page: Page) -> list[str]:
    """What axe finds, each with the first element that it is about."""
    page.evaluate(_AXE.read_text())
    found = page.evaluate(f"axe.run(document, {_RULES})")["violations"]
    return [f"{one['id']} at {one['nodes'][0]['html'][:160]}" for one in found]


def overhang_px(page: Page) -> int:
    """By how much the page is wider than the screen."""
    wider: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return max(0, wider)


def require_sound(page: Page) -> None:
    """Fails where the page is wider than the screen, or axe finds anything."""
    assert overhang_px(page) == 0
    found = axe_findings(page)
    assert not found, "\n".join(found)
