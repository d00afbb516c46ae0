"""What the pages job must answer over given records, computed in one go."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable

from examples.feed import Due

HOUR_MS = 3_600_000
MINUTE_MS = 60_000
TOP = 10


def expected(records: Iterable[Due]) -> dict[int, list[tuple[str, int]]]:
    """End of the hour in ms since 1970 → up to ten (page, hits), most hits first."""
    hours: dict[int, Counter[str]] = defaultdict(Counter)
    for record in records:
        value = json.loads(record.value or b"")
        first = value["at"] // MINUTE_MS * MINUTE_MS + MINUTE_MS  # the earliest hour that holds it ends here
        for end in range(first, first + HOUR_MS, MINUTE_MS):
            hours[end][value["page"]] += 1
    return {
        end: sorted(pages.items(), key=lambda item: (item[1], item[0]), reverse=True)[:TOP]
        for end, pages in hours.items()
    }
