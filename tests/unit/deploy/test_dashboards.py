"""deploy/grafana: dashboards that Grafana can import, over metrics and labels that exist."""

import json
import re
import subprocess
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.support.promql import grouped_labels, selectors
from weir.monitoring.services.job_samples import JOB_STATES
from weir.monitoring.services.metrics import METRICS

ROOT = Path(__file__).parents[3]
MODULES = ROOT / "frontend" / "node_modules"
TYPES = (Path(__file__).parent / "grafana_board.ts").read_text()
COMPILER = {
    "strict": True,
    "noEmit": True,
    "module": "esnext",
    "moduleResolution": "bundler",
    "target": "es2022",
    "skipLibCheck": True,
    "types": [],
}
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


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What tsc says of each board, and of some with a fault, by Grafana's own types."""
    folder = tmp_path_factory.mktemp("boards")
    (folder / "node_modules").symlink_to(MODULES)
    boards = DASHBOARDS | {f"{fault}.json": board for fault, board in _spoiled().items()}
    for name, board in boards.items():
        text = f"{TYPES}\nexport const board: Board = {json.dumps(board, indent=1)};\n"
        (folder / name.replace(".json", ".ts")).write_text(text)
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": COMPILER}))
    done = subprocess.run(
        [MODULES / ".bin" / "tsc", "--project", folder, "--pretty", "false"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    said = [line for line in done.stdout.splitlines() if re.match(r"[\w-]+\.ts\(", line)]
    assert bool(said) == (done.returncode != 0), done.stdout + done.stderr
    return {
        name: [line for line in said if line.startswith(name.replace(".json", ".ts("))] for name in boards
    }


def _spoiled() -> dict[str, dict[str, Any]]:
    def board(**changes: Any) -> dict[str, Any]:
        (panel,) = [panel for panel in _panels("job.json") if panel["title"] == "Rows"]
        return DASHBOARDS["job.json"] | {"panels": [panel | changes]}

    return {
        "unknown-panel": board(type="graphs"),
        "unknown-field": board(titel="Rows"),
        "unknown-option": board(options={"legend": {"showLegends": True}}),
        "unknown-value": board(options={"tooltip": {"mode": "many", "sort": "desc"}}),
        "no-query": board(targets=[{"refId": "A"}]),
        "unknown-drawing": board(
            fieldConfig={"defaults": {"custom": {"drawStyle": "curve"}}, "overrides": []}
        ),
    }


@pytest.mark.parametrize("name", DASHBOARDS)
def test_it_has_the_types_that_grafana_publishes(typed: dict[str, list[str]], name: str) -> None:
    assert typed[name] == []


@pytest.mark.parametrize("fault", _spoiled())
def test_a_fault_would_be_found(typed: dict[str, list[str]], fault: str) -> None:
    assert typed[f"{fault}.json"]


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
