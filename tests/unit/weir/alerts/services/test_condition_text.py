"""Conditions of rules in words, with their units."""

from typing import Any

import pytest

from weir.alerts.services.messages import condition_text
from weir.alerts.services.rule_document import RuleDocument


def text(metric: str, value: float | None = None, **limit: float) -> str:
    watch: dict[str, Any] = {"kind": "metric", "metric": metric, **limit}
    return condition_text(RuleDocument.model_validate({"watch": watch}), value)


@pytest.mark.parametrize(
    ("metric", "limit", "value", "expected"),
    [
        ("source.silent_seconds", 1_800, None, "Silence of a source above 30 min"),
        ("source.silent_seconds", 5_430, 90_061.4, "Silence of a source above 1 h 30 min, is 1 d 1 h"),
        ("source.silent_seconds", 30, 45.5, "Silence of a source above 30 s, is 45.5 s"),
        ("job.late_share", 0.025, 0.5, "Late rows above 2.5%, is 50%"),
        ("job.restarts", 3, None, "Crashes in 10 min above 3 times"),
        ("job.failed", 0.5, 1, "The job should run, and its run has failed."),
    ],
)
def test_a_number_has_its_unit(metric: str, limit: float, value: float | None, expected: str) -> None:
    assert text(metric, value, above=limit) == expected


def test_below() -> None:
    assert text("source.silent_seconds", below=61) == "Silence of a source below 1 min 1 s"
