"""A seeded generator of searches and the clicks that follow them: soon, late, or never."""

import heapq
import random
from collections.abc import Iterator

from examples.command import encoded, run
from examples.feed import Due

WORDS = (
    "red bike",
    "child seat",
    "rain jacket",
    "front light",
    "left-handed scissors",
    "spare tube",
    "square wheel",
)
ITEMS = tuple(f"item-{number:03}" for number in range(1, 201))
USERS = tuple(f"u{number:03}" for number in range(1, 301))
CLICKED_SHARE = 0.75
LONGEST_SECONDS = 40.0  # some clicks come after the half minute that the job waits


def events(seed: int, rate: float, begin_ms: int) -> Iterator[Due]:
    """Searches at `rate` per second; one or two clicks follow most of them."""
    chance = random.Random(seed)
    pending: list[tuple[float, int, str]] = []
    number = 0
    while True:
        at = number / rate
        while pending and pending[0][0] <= at:
            clicked_at, _, search = heapq.heappop(pending)
            yield _record(
                clicked_at, begin_ms, "shop_clicks", {"search": search, "item": chance.choice(ITEMS)}
            )
        # The start is part of the name, so that a generator that is started again does not repeat the names.
        search = f"{begin_ms}-{number}"
        yield _record(
            at,
            begin_ms,
            "shop_searches",
            {"search": search, "user": chance.choice(USERS), "words": chance.choice(WORDS)},
        )
        if chance.random() < CLICKED_SHARE:
            for _ in range(chance.choice((1, 1, 2))):
                heapq.heappush(pending, (at + chance.uniform(0.5, LONGEST_SECONDS), number, search))
        number += 1


def _record(at: float, begin_ms: int, topic: str, values: dict[str, str]) -> Due:
    return Due(at, values["search"].encode(), encoded({**values, "at": begin_ms + round(at * 1_000)}), topic)


if __name__ == "__main__":
    run(__doc__, events, 4, "searches")
