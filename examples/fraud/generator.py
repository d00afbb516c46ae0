"""A seeded generator of card payments, with bursts of payments by cards that were stolen."""

import random
from collections.abc import Iterator

from examples.command import encoded, run
from examples.feed import Due

CARDS = tuple(f"4{number:015}" for number in range(1, 201))
PLACES = ("Lyon", "Oslo", "Porto", "Riga", "Graz", "Ghent", "Turin", "Malmö")
THEFT_SHARE = 0.004
THEFT_PAYMENTS = 8
THEFT_SHARE_OF_PAYMENTS = 0.2
LATE_SHARE = 0.05
LATEST_SECONDS = 4.0


def events(seed: int, rate: float, begin_ms: int) -> Iterator[Due]:
    """Payments at `rate` per second; some arrive up to four seconds after they were made."""
    chance = random.Random(seed)
    stolen: dict[str, int] = {}
    number = 0
    while True:
        at = number / rate
        if chance.random() < THEFT_SHARE:
            stolen[chance.choice(CARDS)] = THEFT_PAYMENTS
        card, amount = chance.choice(CARDS), chance.lognormvariate(3.2, 0.9)
        if stolen and chance.random() < THEFT_SHARE_OF_PAYMENTS:
            card, amount = next(iter(stolen)), chance.uniform(200, 900)
            stolen[card] -= 1
            stolen = {name: left for name, left in stolen.items() if left}
        made = at - (chance.uniform(0, LATEST_SECONDS) if chance.random() < LATE_SHARE else 0)
        values = {
            "card": card,
            "amount": f"{amount:.2f}",
            "place": chance.choice(PLACES),
            "at": begin_ms + round(made * 1_000),
        }
        yield Due(at, card.encode(), encoded(values), "card_payments")
        number += 1


if __name__ == "__main__":
    run(__doc__, events, 10, "payments")
