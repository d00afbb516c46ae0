"""docs/reference/monitoring.md: its tables are those of the code, and it names every alert and dashboard."""

import json
from pathlib import Path

import yaml

from tests.support.monitoring_page import PAGE, rewritten
from weir.monitoring.services.metrics import METRICS

DEPLOY = Path(__file__).parents[3] / "deploy"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_tables_are_those_of_the_code() -> None:
    assert rewritten(TEXT) == TEXT, "python -m tests.support.monitoring_page"
    assert [metric.name for metric in METRICS if f"| `{metric.name}` |" not in TEXT] == []


def test_every_alert_has_its_line() -> None:
    rules = yaml.safe_load((DEPLOY / "prometheus/alerts.yml").read_text())["groups"]
    names = [rule["alert"] for group in rules for rule in group["rules"]]
    assert [name for name in names if f"`{name}`" not in TEXT] == []


def test_every_dashboard_is_named() -> None:
    titles = [json.loads(path.read_text())["title"] for path in (DEPLOY / "grafana").glob("*.json")]
    assert [title for title in titles if title not in TEXT] == []
