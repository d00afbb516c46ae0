"""A seeded generator of hits on pages whose popularity drifts."""

import random
from collections.abc import Iterator

from examples.command import encoded, run
from examples.feed import Due

PAGES = tuple(f"/articles/{number:02}" for number in range(1, 41))
DRIFT_EVERY = 500  # hits


def events(seed: int, rate: float, begin_ms: int) -> Iterator[Due]:
    """Hits at `rate` per second; a few pages have most of them, and which these are changes slowly."""
    chance = random.Random(seed)
    pages = list(PAGES)
    weights = [1 / rank for rank in range(1, len(pages) + 1)]
    number = 0
    while True:
        if number % DRIFT_EVERY == 0:
            one, other = chance.sample(range(len(pages)), 2)
            pages[one], pages[other] = pages[other], pages[one]
        at = number / rate
        page = chance.choices(pages, weights)[0]
        yield Due(at, page.encode(), encoded({"page": page, "at": begin_ms + round(at * 1_000)}), "page_hits")
        number += 1


if __name__ == "__main__":
    run(__doc__, events, 10, "hits")
