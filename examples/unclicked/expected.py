"""What the job must answer over given records, computed in one go."""

import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from examples.feed import Due

WITHIN_MS = 30_000


def expected(records: Iterable[Due]) -> dict[str, tuple[int, str, str]]:
    """Search → (its time in ms since 1970, user, words), of those without a click within half a minute."""
    searches: list[dict[str, Any]] = []
    clicks: dict[str, list[int]] = defaultdict(list)
    for record in records:
        value = json.loads(record.value or b"")
        if record.topic == "shop_searches":
            searches.append(value)
        else:
            clicks[value["search"]].append(value["at"])
    return {
        search["search"]: (search["at"], search["user"], search["words"])
        for search in searches
        if not any(0 <= clicked - search["at"] <= WITHIN_MS for clicked in clicks[search["search"]])
    }
