import json
from typing import Any

import pytest

from jobs.base.problems import Problem
from jobs.document import MAX_STEPS, JobDocument, document_json_schema, parse_document, read_document
from jobs.operators import OPERATORS

GOOD: dict[str, Any] = {
    "format": 1,
    "name": "stock-statistics",
    "sources": {"trades": {"stream": "trades", "delay": "5s"}},
    "steps": {
        "good": {"op": "filter", "input": "trades", "where": "ask > 0"},
        "words": {"op": "split", "input": "good", "field": "text", "as": "w"},
        "stats": {
            "op": "aggregate",
            "input": "words",
            "window": {"tumbling": {"size": "5s"}},
            "by": {"w": "w"},
            "measures": {"n": "count()"},
        },
    },
    "outputs": {"live": {"input": "stats", "to": "result"}},
    "settings": {"mode": "auto", "engine": "shared"},
}


def changed(path: str, value: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json.dumps(GOOD))
    *above, last = path.split(".")
    inside = document
    for part in above:
        inside = inside[part]
    if value is None:
        del inside[last]
    else:
        inside[last] = value
    return document


def problems_of(document: Any) -> list[Problem]:
    parsed, problems = parse_document(document)
    assert (parsed is None) == any(p.severity == "error" for p in problems)
    return problems


def test_a_document_is_read_and_written_unchanged() -> None:
    document, problems = parse_document(json.dumps(GOOD))
    assert problems == []
    assert document is not None
    assert document.as_json() == GOOD
    assert list(document.as_json()["steps"]) == ["good", "words", "stats"]
    assert parse_document(document.as_json())[0] == document
    assert document.settings.retention == "7d"


def test_yaml_and_json_give_the_same() -> None:
    text = "format: 1\nname: n\nsources: {s: {stream: s}}\noutputs: {o: {input: s, to: result}}\n"
    document, problems = parse_document(text)
    assert problems == []
    assert isinstance(document, JobDocument)
    assert document.steps == {}


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        ("format", None, "PARAMETER_MISSING"),
        ("format", 2, "PARAMETER_RANGE"),
        ("name", None, "PARAMETER_MISSING"),
        ("name", "", "PARAMETER_RANGE"),
        ("name", 5, "PARAMETER_RANGE"),
        ("colour", "red", "PARAMETER_RANGE"),
        ("sources", None, "PARAMETER_MISSING"),
        ("sources", {}, "PARAMETER_MISSING"),
        ("sources", [], "PARAMETER_RANGE"),
        ("sources.trades", "trades", "PARAMETER_RANGE"),
        ("sources.trades.stream", None, "PARAMETER_MISSING"),
        ("sources.trades.table", "t", "PARAMETER_RANGE"),
        ("steps", [], "PARAMETER_RANGE"),
        ("steps.good", "filter", "PARAMETER_RANGE"),
        ("steps.good.op", None, "PARAMETER_MISSING"),
        ("steps.good.op", "filtr", "PARAMETER_RANGE"),
        ("steps.good.op", "rolling", "PARAMETER_RANGE"),
        ("steps.good.op", ["filter"], "PARAMETER_RANGE"),
        ("steps.good.where", None, "PARAMETER_MISSING"),
        ("steps.good.where", ["x"], "PARAMETER_RANGE"),
        ("steps.good.input", 5, "PARAMETER_RANGE"),
        ("steps.good.were", "x", "PARAMETER_RANGE"),
        ("steps.words.lower", "perhaps", "PARAMETER_RANGE"),
        ("steps.stats.window", "hourly", "PARAMETER_RANGE"),
        ("steps.stats.window.tumbling.size", None, "PARAMETER_MISSING"),
        ("steps.stats.window.tumbling.size", 5, "PARAMETER_RANGE"),
        ("steps.stats.window.tumbling.advance", "1s", "PARAMETER_RANGE"),
        ("steps.stats.by.w", ["w"], "PARAMETER_RANGE"),
        ("steps.stats.measures", ["count()"], "PARAMETER_RANGE"),
        ("steps.stats.measures.n", {"count": "x"}, "PARAMETER_RANGE"),
        ("steps.stats.emit", "never", "PARAMETER_RANGE"),
        ("outputs", None, "PARAMETER_MISSING"),
        ("outputs.live.to", "kafka", "PARAMETER_RANGE"),
        ("outputs.live.input", None, "PARAMETER_MISSING"),
        ("settings.mode", "fast", "PARAMETER_RANGE"),
        ("settings.colour", "red", "PARAMETER_RANGE"),
        ("settings", "fast", "PARAMETER_RANGE"),
    ],
)
def test_every_structural_fault_is_located(path: str, value: Any, code: str) -> None:
    (problem,) = problems_of(changed(path, value))
    assert (problem.code, ".".join(problem.path)) == (code, path)
    assert problem.message.endswith(".")


@pytest.mark.parametrize(
    ("path", "value", "located"),
    [
        ("steps.stats.by", {"list": ["w"]}, "steps.stats.by.list"),
        ("steps.stats.by", {"map": ["w"]}, "steps.stats.by.map"),
        ("steps.stats.by", {"map": "w", "other": ["w"]}, "steps.stats.by.other"),
        ("steps.stats.by", ["w", 5], "steps.stats.by.1"),
        ("steps.stats.measures", {"map": {"count": "x"}}, "steps.stats.measures.map"),
        ("outputs.live.to", {"topic": 5}, "outputs.live.to.topic"),
        ("outputs.live.to", {"topic": "t", "map": 5}, "outputs.live.to.map"),
        ("outputs.live.to", {"topic": "t", "names": {"list": 5}}, "outputs.live.to.names.list"),
        ("steps.list", {"op": "filter", "input": "good", "where": ["x"]}, "steps.list.where"),
        ("steps.map", {"op": "filter", "input": "good"}, "steps.map.where"),
    ],
)
def test_members_with_the_names_of_tags_are_located(path: str, value: Any, located: str) -> None:
    """pydantic puts the tag of a union, `list` or `map`, into its locations."""
    (problem,) = problems_of(changed(path, value))
    assert ".".join(problem.path) == located


def test_a_valid_member_with_the_name_of_a_tag_is_kept() -> None:
    read = read_document(changed("steps.stats.by", {"map": "w", "other": ["w"], "more": "w"}))
    assert read.document is not None
    step = read.document.steps["stats"]
    assert step.model_dump()["by"] == {"map": "w", "more": "w"}


def test_hints_name_the_nearest() -> None:
    assert "filter" in problems_of(changed("steps.good.op", "filtr"))[0].hint
    assert "where" in problems_of(changed("steps.good.were", "x"))[0].hint
    assert "available yet" in problems_of(changed("steps.good.op", "rolling"))[0].message


@pytest.mark.parametrize("document", [[], "just text", "- a\n- b", "5", 5, None])
def test_what_is_no_document(document: Any) -> None:
    (problem,) = problems_of(document)
    assert problem.path == ()


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (
            {"op": "select", "fields": {f"f{at}": "1" for at in range(600)}},
            "fields has 600 entries; the limit is 500.",
        ),
        ({"op": "filter", "where": "x" * 30_000}, "where has 30,000 characters; the limit is 20,000."),
        ({"op": "derive", "fields": {}}, "fields has 0 entries; the minimum is 1."),
    ],
)
def test_sizes_are_told(step: dict[str, Any], message: str) -> None:
    problems = problems_of(changed("steps.good", {"input": "trades", **step}))
    assert [found.message for found in problems] == [message]


def test_too_many_steps() -> None:
    step = GOOD["steps"]["good"]
    (problem,) = problems_of(changed("steps", {f"s{i}": step for i in range(MAX_STEPS + 1)}))
    assert problem.path == ("steps",)


def test_numbers_and_booleans_are_expressions_too() -> None:
    document, _ = parse_document(
        "format: 1\nname: n\nsources: {s: {stream: s}}\n"
        "steps: {a: {op: filter, input: s, where: true}}\noutputs: {}"
    )
    assert document is None
    document, problems = parse_document(changed("steps.good.where", True))
    assert problems == []
    assert document is not None
    assert document.as_json()["steps"]["good"]["where"] == "true"


def test_a_ten_megabyte_document_is_refused() -> None:
    (problem,) = problems_of("# " + "x" * 10_000_000)
    assert problem.path == ()


def test_problems_are_limited() -> None:
    assert len(problems_of(changed("settings", {f"k{i}": 1 for i in range(5_000)}))) <= 500


def test_json_schema_describes_every_operator() -> None:
    schema = document_json_schema()
    assert schema["title"] == "Job document"
    mapping = schema["properties"]["steps"]["additionalProperties"]["discriminator"]["mapping"]
    assert set(mapping) == set(OPERATORS)
    assert "as" in schema["$defs"]["SplitStep"]["properties"]
