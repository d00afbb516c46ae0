"""Steps that need an append-only input say what they were given, and what helps."""

from typing import Any

import pytest

from jobs.formats.contract import StreamContract
from jobs.plan import plan_job

FIELDS = [
    {"name": "k", "type": "string", "nullable": False},
    {"name": "x", "type": "int"},
    {"name": "l", "type": "array<string>"},
]
CATALOG = {
    "s": StreamContract.model_validate({"fields": FIELDS}),
    "t": StreamContract.model_validate({"fields": FIELDS, "kind": "table", "key": ["k"]}),
}
UPDATED = {"op": "aggregate", "input": "s", "by": ["k"], "measures": {"l": "collect_list(k)", "x": "count()"}}
STEPS = {
    "union": ({"op": "union", "inputs": ["s", "{}"]}, "inputs.1"),
    "explode": ({"op": "explode", "input": "{}", "field": "l", "as": "e"}, "input"),
    "split": ({"op": "split", "input": "{}", "field": "k"}, "input"),
    "join": (
        {
            "op": "join",
            "left": "s",
            "right": "{}",
            "on": {"k": "k"},
            "between": {"after": "1s"},
            "prefix": "r_",
        },
        "right",
    ),
    "table_join": (
        {"op": "table_join", "input": "{}", "table": "s", "on": {"k": "k"}, "prefix": "r_"},
        "input",
    ),
}


def mismatch(step: dict[str, Any], reads: str) -> tuple[str, str, str]:
    """Place, message and hint of the problem of a step that reads a table ``t`` or an aggregate ``a``."""
    filled = {
        name: [part.format(reads) for part in value] if isinstance(value, list) else value
        for name, value in step.items()
    }
    filled = {
        name: value.format(reads) if isinstance(value, str) else value for name, value in filled.items()
    }
    sources = {"s": {"stream": "s"}, "t": {"table": "t"}}
    steps = {"a": UPDATED, "step": filled}
    document = {
        "format": 1,
        "name": "j",
        "sources": sources,
        "steps": steps,
        "outputs": {"o": {"input": "step", "to": "result"}},
    }
    found = [
        each
        for each in plan_job(document, CATALOG).problems
        if each.code == "KIND_MISMATCH" and each.path[:2] == ("steps", "step") and each.path[2] != "table"
    ]
    return ".".join(found[0].path[2:]), found[0].message, found[0].hint


@pytest.mark.parametrize("operator", STEPS)
@pytest.mark.parametrize(
    ("reads", "said", "helps"), [("t", "is a table", "as a stream"), ("a", "is an aggregate", "emit: final")]
)
def test_what_was_given_and_what_helps(operator: str, reads: str, said: str, helps: str) -> None:
    step, place = STEPS[operator]
    where, message, hint = mismatch(step, reads)
    assert where == place
    assert operator in message
    assert said in message
    assert helps in hint


def test_an_aggregate_over_a_table_is_called_by_its_name() -> None:
    place, message, hint = mismatch(
        {"op": "aggregate", "input": "{}", "by": ["x"], "measures": {"n": "count()"}}, "t"
    )
    assert place == "input"
    assert "Aggregating a table" in message
    assert "as a stream" in hint


def test_two_tables() -> None:
    place, message, _ = mismatch(
        {"op": "table_join", "input": "{}", "table": "t", "on": {"k": "k"}, "prefix": "r_"}, "t"
    )
    assert place == "input"
    assert "supported yet" in message
