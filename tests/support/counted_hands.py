"""What a person's hands do on a page, counted: clicks and typed fields."""

from dataclasses import dataclass
from typing import Final

from playwright.sync_api import Locator, expect

from tests.support.patience import PATIENCE

CLICK_S: Final = 6
FIELD_S: Final = 12
"""What a person takes who has read nothing and looks for each thing: practised hands need 1 s to 2 s to point
and press and some 3 s to type a short text (Card, Moran and Newell's keystroke-level model), so two thirds of
it are for reading the screen.
"""
SEEN_MS: Final = 20_000 * PATIENCE


@dataclass
class CountedHands:
    """Hands that only take what can be seen.

    Attributes:
        clicks: made so far.
        fields: typed into so far; the click into a field is part of it.
    """

    clicks: int = 0
    fields: int = 0

    def click(self, what: Locator) -> None:
        """Click what is seen and can be pressed; only one such thing may be there."""
        self.clicks += 1
        expect(what).to_be_visible(timeout=SEEN_MS)
        what.click(timeout=SEEN_MS)

    def type(self, field: Locator, text: str) -> None:
        """Type a text in place of what a field has."""
        self.fields += 1
        expect(field).to_be_visible(timeout=SEEN_MS)
        field.fill(text, timeout=SEEN_MS)

    def require_within(self, clicks: int, fields: int, seconds: float = 120) -> None:
        """Fails where it took more than so many clicks and typed fields, or where so many take too long."""
        assert self.clicks <= clicks, f"{self.clicks} clicks"
        assert self.fields <= fields, f"{self.fields} typed fields"
        assert clicks * CLICK_S + fields * FIELD_S <= seconds, "a person would take longer"
