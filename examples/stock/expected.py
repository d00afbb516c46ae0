"""What the stock job must answer over given records, computed in one go."""

import json
from collections import defaultdict
from collections.abc import Iterable

SIZE_MS = 5_000
ADVANCE_MS = 1_000


def expected(values: Iterable[bytes]) -> dict[tuple[int, str], tuple[int, float | None, float | None]]:
    """(window start in ms since 1970, symbol) → (trades, lowest ask, average ask).

    Asks: None without quotes.
    """
    windows: dict[tuple[int, str], list[dict[str, float]]] = defaultdict(list)
    for value in values:
        record = json.loads(value)
        newest = record["at"] // ADVANCE_MS * ADVANCE_MS
        for start in range(newest, record["at"] - SIZE_MS, -ADVANCE_MS):
            windows[start, record["symbol"]].append(record)
    return {window: _measures(records) for window, records in windows.items()}


def _measures(records: list[dict[str, float]]) -> tuple[int, float | None, float | None]:
    asks = [record["ask"] for record in records if "ask" in record]
    trades = sum("price" in record for record in records)
    return (trades, min(asks), sum(asks) / len(asks)) if asks else (trades, None, None)
