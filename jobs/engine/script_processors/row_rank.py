"""Row order in scripts: the identity of a row, written as JSON, as something that Python compares."""

import json
from decimal import Decimal
from typing import Any

Rank = tuple[Any, ...]


def rank_of(order_key: str) -> Rank:
    """The rank of a JSON array (`jobs.operators.identity_sql`, ranked)."""
    return _rank(json.loads(order_key, parse_float=Decimal))


def _rank(value: Any) -> Rank:
    """Null, then booleans, numbers, texts; arrays from left to right, shorter first."""
    if isinstance(value, list):
        return (4, tuple(map(_rank, value)))
    if isinstance(value, str):
        return (3, value)
    if isinstance(value, bool):
        return (1, value)
    return (0,) if value is None else (2, value)
