"""What the errors job must answer over given records, computed in one go."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from examples.feed import Due

SIZE_MS = 10_000

PerService = dict[tuple[int, str], tuple[int, int, str]]
Line = tuple[str, str, str, int]


def expected(records: Iterable[Due]) -> tuple[PerService, Counter[Line]]:
    """What is counted, and what goes to the errors' topic.

    Returns:
        (window start in ms since 1970, service) → (errors, fatal ones, newest message); how often each
        (service, level, message, time) goes to the topic. No two lines of a service may have one time.
    """
    lines: Counter[Line] = Counter()
    windows: dict[tuple[int, str], list[dict[str, Any]]] = defaultdict(list)
    for record in records:
        value = json.loads(record.value or b"")
        if value["level"] in ("ERROR", "FATAL"):
            lines[value["service"], value["level"], value["message"], value["at"]] += 1
            windows[value["at"] // SIZE_MS * SIZE_MS, value["service"]].append(value)
    counts = {}
    for window, errors in windows.items():
        newest = max(errors, key=lambda line: int(line["at"]))
        counts[window] = (len(errors), sum(line["level"] == "FATAL" for line in errors), newest["message"])
    return counts, lines
