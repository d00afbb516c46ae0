"""A job that gives each order the rate of its currency, from a table that changes."""

from typing import Any, Final

ENRICHED: Final[dict[str, Any]] = {
    "format": 1,
    "name": "enriched",
    "sources": {"orders": {"stream": "orders"}, "rates": {"table": "rates"}},
    "steps": {
        "joined": {
            "op": "table_join",
            "input": "orders",
            "table": "rates",
            "type": "left",
            "on": {"k": "code"},
        }
    },
    "outputs": {"out": {"input": "joined", "to": "result"}},
}
