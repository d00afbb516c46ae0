"""deploy/grafana: dashboards that Grafana can import, over metrics and labels that exist."""

import json
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from tests.support.promql import grouped_labels, selectors
from weir.monitoring.services.job_samples import JOB_STATES
from weir.monitoring.services.metrics import METRICS

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((Path(__file__).parent / "dashboard.schema.json").read_text())
LABELS = {metric.name: set(metric.labels) for metric in METRICS}
DASHBOARDS = {
    path.name: json.loads(path.read_text()) for path in sorted((ROOT / "deploy/grafana").glob("*.json"))
}
BY_NAME = pytest.mark.parametrize("name", DASHBOARDS)


def _panels(name: str) -> list[dict[str, Any]]:
    return [panel for panel in DASHBOARDS[name]["panels"] if panel["type"] != "row"]


def _expressions(name: str) -> list[str]:
    variables = [
        one["definition"] for one in DASHBOARDS[name]["templating"]["list"] if one["type"] == "query"
    ]
    return variables + [target["expr"] for panel in _panels(name) for target in panel["targets"]]


def test_there_are_two() -> None:
    assert DASHBOARDS.keys() == {"workspace.json", "job.json"}
    assert len({one["uid"] for one in DASHBOARDS.values()}) == 2


@BY_NAME
def test_it_has_the_documented_shape(name: str) -> None:
    faults = jsonschema_rs.validator_for(SCHEMA).iter_errors(DASHBOARDS[name])
    assert [f"{list(fault.instance_path)}: {fault.message}" for fault in faults] == []


@BY_NAME
def test_every_expression_reads_what_exists(name: str) -> None:
    for expression in _expressions(name):
        found = selectors(expression)
        assert found, expression
        for selector in found:
            assert selector.metric in LABELS, expression
            assert selector.labels <= LABELS[selector.metric], expression
        known = set().union(*(LABELS[selector.metric] for selector in found))
        assert grouped_labels(expression) <= known, expression
        assert expression.count("(") == expression.count(")")


@BY_NAME
def test_a_legend_names_labels_that_the_expression_keeps(name: str) -> None:
    for panel in _panels(name):
        for target in panel["targets"]:
            named = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
            assert named <= grouped_labels(target["expr"]), panel["title"]


@BY_NAME
def test_panels_have_their_own_ids_and_places(name: str) -> None:
    panels = DASHBOARDS[name]["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    for panel in panels:
        assert panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24
    for one, other in combinations((panel["gridPos"] for panel in panels), 2):
        apart_x = one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
        apart_y = one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]
        assert apart_x or apart_y, (one, other)


@BY_NAME
def test_variables_are_those_that_expressions_use(name: str) -> None:
    defined = {one["name"] for one in DASHBOARDS[name]["templating"]["list"]}
    used = {variable for text in _expressions(name) for variable in re.findall(r"\$(\w+)", text)}
    assert used | {"datasource"} == defined


@BY_NAME
def test_every_state_has_a_name_and_a_color(name: str) -> None:
    panels = [panel for panel in _panels(name) if "weir_job_state{" in panel["targets"][0]["expr"]]
    mapped = [panel for panel in panels if len(panel["targets"][0]["expr"].splitlines()) > 1]
    assert mapped
    for panel in mapped:
        (mapping,) = panel["fieldConfig"]["defaults"]["mappings"]
        texts = {index: shown["text"].replace(" ", "_") for index, shown in mapping["options"].items()}
        assert set(texts.values()) == set(JOB_STATES)
        for index, state in texts.items():
            line = f"{index} * max by (workspace, job_name) (weir_job_state{{"
            assert index == "0" or any(
                part.lstrip("+ ").startswith(line) and f'state="{state}"' in part
                for part in panel["targets"][0]["expr"].splitlines()
            )


def test_the_workspaces_board_leads_to_the_jobs() -> None:
    links = [
        link["url"]
        for panel in _panels("workspace.json")
        for link in panel["fieldConfig"]["defaults"].get("links", [])
    ]
    assert [url.split("?")[0] for url in links] == ["/d/" + DASHBOARDS["job.json"]["uid"]]
