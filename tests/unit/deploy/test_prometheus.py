"""deploy/prometheus: the files parse, and every expression reads metrics and labels that exist."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.promql import grouped_labels, selectors
from weir.monitoring.services.metrics import METRICS

FOLDER = Path(__file__).parents[3] / "deploy" / "prometheus"
LABELS = {metric.name: set(metric.labels) for metric in METRICS} | {"up": set()}
SET_BY_PROMETHEUS = {"job", "instance"}
DURATION = re.compile(r"(\d+[smhd])+\Z")


def _read(name: str) -> Any:
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))


RULES = [rule for group in _read("alerts.yml")["groups"] for rule in group["rules"]]


def test_what_is_asked_for_is_watched() -> None:
    assert {rule["alert"] for rule in RULES} >= {
        "WeirJobFailed",
        "WeirJobFallingBehind",
        "WeirSourceSilent",
        "WeirWatermarkStanding",
        "WeirMalformedRecords",
        "WeirEngineSilent",
    }


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_a_rule_reads_what_exists(rule: dict[str, Any]) -> None:
    found = selectors(rule["expr"])
    assert found
    for selector in found:
        assert selector.metric in LABELS
        assert selector.labels <= LABELS[selector.metric] | SET_BY_PROMETHEUS
    known = set().union(*(LABELS[selector.metric] for selector in found))
    assert grouped_labels(rule["expr"]) <= known
    said = set(re.findall(r"\$labels\.(\w+)", yaml.safe_dump(rule["annotations"])))
    assert said <= known | SET_BY_PROMETHEUS


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_a_rule_has_the_shape_of_one(rule: dict[str, Any]) -> None:
    assert rule.keys() == {"alert", "expr", "for", "labels", "annotations"}
    assert DURATION.match(rule["for"])
    assert rule["labels"]["severity"] in ("critical", "warning", "info")
    assert rule["annotations"].keys() == {"summary", "description"}
    assert rule["expr"].count("(") == rule["expr"].count(")")


def test_names_of_rules_are_unique() -> None:
    names = [rule["alert"] for rule in RULES]
    assert len(set(names)) == len(names)


def test_the_scrape_example() -> None:
    config = _read("prometheus.yml")
    assert config["rule_files"] == ["alerts.yml"]
    (scrape,) = config["scrape_configs"]
    assert scrape["metrics_path"] == "/metrics"
    assert scrape["authorization"].keys() == {"credentials_file"}, "no secret stands in the file"
