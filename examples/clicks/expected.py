"""Expected results of the clicks job, computed at once over all records, with the final profiles."""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from examples.feed import Due

WITHIN_MS = 1_000

Row = tuple[str, str, str, str | None, str | None]


def expected(records: Iterable[Due]) -> Counter[Row]:
    """(user, page, words, region, plan) → count; region and plan are None for people without a profile."""
    views: list[dict[str, Any]] = []
    searches: list[dict[str, Any]] = []
    profiles: dict[str, dict[str, Any] | None] = {}
    for record in records:
        value = json.loads(record.value) if record.value is not None else {"after": None}
        if record.topic == "profiles":
            profiles[json.loads(record.key or b"")["user"]] = value["after"]
        else:
            (views if record.topic == "page_views" else searches).append(value)
    found: Counter[Row] = Counter()
    for view in views:
        profile = profiles.get(view["user"]) or {}
        for search in searches:
            if search["user"] == view["user"] and 0 <= search["at"] - view["at"] <= WITHIN_MS:
                found[
                    view["user"], view["page"], search["words"], profile.get("region"), profile.get("plan")
                ] += 1
    return found
