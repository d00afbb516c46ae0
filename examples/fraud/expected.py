"""What the fraud job must answer over given records, computed in one go."""

import json
from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal

from examples.feed import Due

SIZE_MS = 60_000
PAYMENTS = 5
TOTAL = Decimal(3_000)


def expected(records: Iterable[Due]) -> dict[tuple[str, int], tuple[int, Decimal, int]]:
    """(card, last payment in ms since 1970) → (payments, total, places) of the minute that ends with it."""
    cards: dict[str, list[tuple[int, Decimal, str]]] = defaultdict(list)
    for record in records:
        value = json.loads(record.value or b"")
        cards[value["card"]].append((value["at"], Decimal(value["amount"]), value["place"]))
    found = {}
    for card, payments in cards.items():
        for at in {paid for paid, _, _ in payments}:
            window = [payment for payment in payments if at - SIZE_MS < payment[0] <= at]
            total = sum((amount for _, amount, _ in window), Decimal(0))
            if len(window) >= PAYMENTS or total > TOTAL:
                found[card, at] = (len(window), total, len({place for _, _, place in window}))
    return found
