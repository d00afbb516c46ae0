"""Documents of dashboards for tests, over the job of `tests.support.run_factories.DOCUMENT`."""

from typing import Any

Panel = dict[str, Any]


def number_panel(job: str, id: str = "n", **more: Any) -> Panel:
    """The number of records of the newest window."""
    return {
        "id": id,
        "title": "Trades",
        "kind": "number",
        "job": job,
        "output": "live",
        "value": "n",
        "x": "window_start",
        "aggregation": "sum",
        "position": {"x": 0, "y": 0, "w": 3, "h": 4},
        **more,
    }


def line_panel(job: str, id: str = "l", **more: Any) -> Panel:
    """The lowest price by symbol over time."""
    return {
        "id": id,
        "title": "Lowest price",
        "kind": "line",
        "job": job,
        "output": "live",
        "x": "window_start",
        "y": ["low"],
        "series": ["symbol"],
        "aggregation": "min",
        "position": {"x": 3, "y": 0, "w": 9, "h": 8},
        **more,
    }


def document_of(*panels: Panel, **more: Any) -> dict[str, Any]:
    """A dashboard document with these panels."""
    return {"format": 1, "window": "15m", "filters": [], "panels": list(panels), **more}
