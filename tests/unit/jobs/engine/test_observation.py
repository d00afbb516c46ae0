"""Metrics come apart again by their names, as Spark writes them: by column, or in their order."""

import json
from typing import Any

import pytest

from jobs.engine.observation import separated


@pytest.mark.parametrize("values", [{"m0": 3, "m1": 1, "m2": "[]"}, [3, 1, "[]"], (3, 1, "[]")])
def test_metrics_of_the_same_rows_come_apart(values: Any) -> None:
    name = json.dumps([["nulls:ratio", 1], ["played:ratio", 2]])
    assert separated({"observedMetrics": {name: values}}) == {"nulls:ratio": [3], "played:ratio": [1, "[]"]}


def test_what_stands_alone_is_as_it_came() -> None:
    alone = {"given:a": {"rows": 2}, "read:s": ["{}"]}
    assert separated({"observedMetrics": alone}) == alone
    assert separated({}) == separated({"observedMetrics": None}) == {}
