"""Nodes that a document calls otherwise than the one before."""

from typing import Any

import pytest

from weir.runs.services.node_renames import node_names, renamed_nodes


def document(
    steps: dict[str, Any], outputs: dict[str, Any] | None = None, source: str = "s"
) -> dict[str, Any]:
    return {"sources": {source: {"stream": "s"}}, "steps": steps, "outputs": outputs or {}}


def of(op: str, reads: str, **parameters: Any) -> dict[str, Any]:
    return {"op": op, "input": reads, **parameters}


PAIRS: list[tuple[str, dict[str, Any], dict[str, Any], dict[str, str]]] = [
    ("nothing", document({"a": of("filter", "s")}), document({"a": of("filter", "s")}), {}),
    (
        "a chain at once, told apart by what it does",
        document({"a": of("filter", "s", where="x"), "b": of("filter", "a", where="y")}),
        document({"c": of("filter", "s", where="x"), "d": of("filter", "c", where="y")}),
        {"a": "c", "b": "d"},
    ),
    (
        "a source, with what reads it",
        document({"a": of("filter", "s")}),
        document({"a": of("filter", "t")}, source="t"),
        {"s": "t"},
    ),
    (
        "a step that is changed as well",
        document({"a": of("filter", "s", where="x")}),
        document({"b": of("filter", "s", where="y")}),
        {"a": "b"},
    ),
    ("another operator", document({"a": of("filter", "s")}), document({"b": of("select", "s")}), {}),
    (
        "two that are alike",
        document({"a": of("filter", "s"), "b": of("filter", "s")}),
        document({"c": of("filter", "s"), "d": of("filter", "s")}),
        {},
    ),
    (
        "an output that reads a renamed port",
        document({"a": of("branch", "s")}, {"one": {"input": "a.big", "to": "result"}}),
        document({"b": of("branch", "s")}, {"two": {"input": "b.big", "to": "result"}}),
        {"a": "b", "output:one": "output:two"},
    ),
    (
        "one that is gone",
        document({"a": of("filter", "s"), "b": of("filter", "s")}),
        document({"a": of("filter", "s")}),
        {},
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "names"), [row[1:] for row in PAIRS], ids=[row[0] for row in PAIRS]
)
def test_renamed(before: dict[str, Any], after: dict[str, Any], names: dict[str, str]) -> None:
    assert renamed_nodes(before, after) == names


def test_outputs_have_names_of_their_own() -> None:
    assert node_names(document({"a": of("filter", "s")}, {"a": {"input": "a"}})) == {"s", "a", "output:a"}
