"""Prometheus' own tool about deploy/prometheus: it reads the files, and every rule fires on what it should,
and on nothing else.
"""

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.promtool import INSTALL_LINE, find_promtool

FOLDER = Path(__file__).parents[3] / "deploy" / "prometheus"
RULES = [
    rule["alert"]
    for group in yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"]
    for rule in group["rules"]
]
PLAYED: list[dict[str, Any]] = yaml.safe_load((FOLDER / "alerts.test.yml").read_text())["tests"]


def promtool(*arguments: str, folder: Path = FOLDER) -> subprocess.CompletedProcess[str]:
    path = find_promtool()
    assert path is not None, f"promtool is needed: {INSTALL_LINE}"
    return subprocess.run(
        [path, *arguments], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "rules", "alerts.yml"),
        ("check", "config", "--syntax-only", "prometheus.yml"),
        ("test", "rules", "alerts.test.yml"),
    ],
    ids=" ".join,
)
def test_promtool_accepts(arguments: tuple[str, ...]) -> None:
    done = promtool(*arguments)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_played_firing_and_at_rest(rule: str) -> None:
    """Beside what fires there is a series of the same kind that must not, or a time when nothing may."""
    asked = [
        (test, told["exp_alerts"])
        for test in PLAYED
        for told in test["alert_rule_test"]
        if told["alertname"] == rule
    ]
    assert any(alerts for _, alerts in asked)
    assert any(
        not alerts or len(_subjects(test)) > len({_subject(alert["exp_labels"]) for alert in alerts})
        for test, alerts in asked
    )


def test_a_rule_that_fires_too_much_would_be_found(tmp_path: Path) -> None:
    spoiled = (FOLDER / "alerts.yml").read_text().replace("== 1\n", ">= 0\n")
    assert spoiled != (FOLDER / "alerts.yml").read_text()
    (tmp_path / "alerts.yml").write_text(spoiled)
    (tmp_path / "alerts.test.yml").write_text((FOLDER / "alerts.test.yml").read_text())
    assert promtool("check", "rules", "alerts.yml", folder=tmp_path).returncode == 0
    assert promtool("test", "rules", "alerts.test.yml", folder=tmp_path).returncode != 0


def _subjects(test: dict[str, Any]) -> set[tuple[str, ...]]:
    """What the series of a test are about."""
    labels = [
        dict(part.split("=", 1) for part in one["series"].partition("{")[2].rstrip("}").split(", ") if part)
        for one in test["input_series"]
    ]
    return {_subject({name: value.strip('"') for name, value in of.items()}) for of in labels}


def _subject(labels: dict[str, str]) -> tuple[str, ...]:
    names = ("workspace", "job_name", "engine", "cluster", "group", "instance")
    return tuple(labels.get(name, "") for name in names)
