"""A script is written whole, or refused with the step's name; it is Python either way."""

import ast
from typing import Any
from unittest.mock import patch

import pytest

from jobs.plan import plan_job
from jobs.plan.render import render
from jobs.plan.script.steps import ScriptSteps
from tests.support.plan_helpers import contract, document, planned

SUM = {
    "op": "aggregate",
    "input": "s",
    "window": {"tumbling": {"size": "5s"}},
    "by": ["k"],
    "measures": {"n": "count()"},
}


def test_a_script_is_python_and_names_every_step() -> None:
    script = render(
        planned(
            {
                "some": {"op": "filter", "input": "s", "where": "x > 0 and k <> '\\'{0}\"'"},
                "words": {"op": "split", "input": "some", "field": "k"},
                "sums": {**SUM, "input": "words", "by": ["word"], "emit": "final"},
                "all": {"op": "select", "input": "sums", "fields": {"word": "upper(word)", "n": "n"}},
            }
        )
    )
    assert script.refusals == ()
    ast.parse(script.text)
    assert "needs PySpark only." in script.text
    assert [f"rows_of_{name}" in script.text for name in ("s", "some", "words", "sums", "all")] == [True] * 5
    assert "MODES = {'out': 'append'}" in script.text


def test_a_hostile_name_stays_text() -> None:
    script = render(
        planned(
            {
                "some": {"op": "filter", "input": "s", "where": "x > 0"},
                "few": {"op": "select", "input": "some", "fields": ["x"]},
            },
            name='"""; import os \\',
        )
    )
    body = ast.parse(script.text).body
    assert [type(part).__name__ for part in body[:4]] == ["Expr", "Import", "ImportFrom", "ImportFrom"]
    assert "import os" in (ast.get_docstring(ast.parse(script.text)) or "")


HOSTILE = "\"\"\"''' \\ {0} \n');import os;os.system('x')#"


def test_hostile_texts_stay_texts() -> None:
    steps = {
        "some": {"op": "filter", "input": "s", "where": f"k <> {written(HOSTILE)}"},
        "parts": {"op": "split", "input": "some", "field": "k", "by": HOSTILE[:20]},
    }
    script = render(planned(steps, name=HOSTILE, fields={"k": "string"}))
    assert script.refusals == ()
    called = {
        part.func.id
        for part in ast.walk(ast.parse(script.text))
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name)
    }
    own = {"read", "configure", "build", "start", "written", "main", "kafka_options"}
    assert called <= {*own, "dict", "len", "open"}
    assert not {
        name.name
        for part in ast.walk(ast.parse(script.text))
        if isinstance(part, ast.Import)
        for name in part.names
    } - {"argparse"}


def written(text: str) -> str:
    """A text as an expression's literal."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"


@pytest.mark.parametrize(
    "encoding",
    [
        {"format": "json", "framing": "confluent"},
        {"format": "json", "schema": "{}"},
        {"format": "avro", "schema": "{}"},
        {"format": "debezium", "inner": {"format": "avro", "schema": "{}"}},
        {"format": "csv"},
    ],
)
def test_records_that_cannot_be_read_are_said(encoding: dict[str, object]) -> None:
    plan = plan_job(
        document({"all": {"op": "filter", "input": "s", "where": "true"}}),
        {"s": contract({"k": "string"}, encoding=encoding)},
    )
    assert plan.ok, plan.problems
    script = render(plan)
    assert script.text == ""
    assert [
        text.startswith("s: ") and "the framing of a schema registry" in text for text in script.refusals
    ] == [True]


def test_keys_in_avro_are_refused() -> None:
    key = {"format": "avro", "schema": '"string"'}
    table = contract({"k": "string!", "name": "string"}, kind="table", key=("k",), key_encoding=key)
    plan = plan_job(
        document({"all": {"op": "filter", "input": "t", "where": "true"}}, sources={"t": {"table": "t"}}),
        {"t": table},
    )
    assert plan.ok, plan.problems
    assert [text.startswith("t: keys in Avro") for text in render(plan).refusals] == [True]


def test_late_rows_as_an_output_are_refused() -> None:
    outputs = {"out": {"input": "sums", "to": "result"}, "late": {"input": "sums.late", "to": {"topic": "t"}}}
    script = render(planned({"sums": {**SUM, "late": "dead_letter"}}, outputs=outputs))
    assert [
        text.startswith("sums: PySpark export doesn't support late rows") for text in script.refusals
    ] == [True]


def test_a_document_with_errors_is_refused() -> None:
    assert render(planned({"step": {"op": "filter", "input": "s", "where": "x >"}})).refusals == (
        "The document has errors.",
    )


def test_names_that_would_meet_are_refused() -> None:
    steps = {
        "a": {"op": "branch", "input": "s", "branches": {"b__c": "x > 0"}},
        "a__b": {"op": "branch", "input": "s", "branches": {"c": "x > 0"}},
        "both": {"op": "union", "inputs": ["a.b__c", "a__b.c"]},
    }
    assert any("two underscores" in text for text in render(planned(steps)).refusals)


def test_an_output_that_nothing_reads_has_a_name_too() -> None:
    """It is assigned all the same: `last` read the rows of the branch `a.b`."""
    steps = {
        "a__b": {"op": "filter", "input": "s", "where": "x > 1"},
        "a": {"op": "branch", "input": "a__b", "branches": {"b": "x > 5", "c": "x > 2"}},
        "last": {"op": "union", "inputs": ["a__b", "a.c"], "source_field": "origin"},
    }
    assert any("two underscores" in text for text in render(planned(steps)).refusals)


def test_every_output_is_a_query_of_its_own() -> None:
    outputs = {"out": {"input": "sums", "to": "result"}, "more": {"input": "some", "to": {"topic": "t"}}}
    script = render(
        planned(
            {"some": {"op": "filter", "input": "s", "where": "x > 0"}, "sums": {**SUM, "input": "some"}},
            outputs=outputs,
        )
    )
    assert "MODES = {'out': 'update', 'more': 'append'}" in script.text


def test_a_changelog_that_may_shrink_says_which_keys_are_gone() -> None:
    kept = {"sums": SUM, "few": {"op": "filter", "input": "sums", "where": "n > 1"}}
    assert "'_deleted')" in render(planned(kept)).text
    assert "_deleted" not in render(planned({"sums": SUM})).text


def test_processors_stand_in_the_script_with_names_of_their_own() -> None:
    """Those of the engine, word for word; two of them in one script do not meet."""
    sources = {"s": {"stream": "s"}, "t": {"table": "t"}}
    steps = {
        "known": {
            "op": "table_join",
            "input": "s",
            "table": "t",
            "on": {"k": "k"},
            "version": "current",
            "prefix": "t_",
        },
        "slid": {**SUM, "input": "known", "window": {"sliding": {"size": "5s"}}},
    }
    contracts = {"s": contract({"k": "string"}), "t": contract({"k": "string!"}, kind="table", key=("k",))}
    plan = plan_job(document(steps, sources=sources), contracts)
    assert plan.ok, plan.problems
    assert "needs PySpark and pandas." in render(plan).text
    body = ast.parse(render(plan).text).body
    names = [part.name for part in body if isinstance(part, ast.ClassDef | ast.FunctionDef)]
    assert {"SlidingProcessor", "CurrentProcessor", "AsOfProcessor"} <= set(names)
    assigned = [
        target.id
        for part in body
        if isinstance(part, ast.Assign)
        for target in part.targets
        if isinstance(target, ast.Name)
    ]
    assert len({*names, *assigned}) == len([*names, *assigned])


def test_an_output_that_needs_two_queries_is_refused() -> None:
    """An outer join gives each row once; counts of them are written again: no plain query can do both."""
    sources = {"s": {"stream": "s"}, "s2": {"stream": "s"}}
    pairs = {
        "op": "join",
        "left": "s",
        "right": "s2",
        "type": "left",
        "on": {"k": "k"},
        "between": {"after": "1s"},
        "prefix": "r_",
    }
    plan = planned(
        {"pairs": pairs, "sums": {**SUM, "input": "pairs"}},
        sources=sources,
        fields={"k": "string", "x": "int"},
    )
    script = render(plan)
    assert script.text == ""
    assert not plan.ok or any("two queries" in reason for reason in script.refusals)


def test_a_job_of_two_queries_that_pass_rows_on_is_refused() -> None:
    final = {**SUM, "window": {"tumbling": {"size": "10s"}}, "emit": "final"}
    script = render(
        planned(
            {
                "windows": final,
                "all": {"op": "aggregate", "input": "windows", "by": ["k"], "measures": {"n": "count()"}},
            }
        )
    )
    assert script.text == ""
    assert any("two queries" in reason for reason in script.refusals)


def test_what_two_inputs_share_is_worked_out_once() -> None:
    steps: dict[str, Any] = {"step0": {"op": "filter", "input": "s", "where": "flag"}}
    for at in range(8):
        left, right = f"step{at}", f"other{at}"
        steps[right] = {"op": "filter", "input": left, "where": "x > 0"}
        join = {"op": "join", "left": left, "right": right, "type": "semi", "on": {"k": "k"}}
        steps[f"step{at + 1}"] = {**join, "between": {"before": "1s", "after": "1s"}}
    plan = planned(steps)
    assert plan.ok, plan.problems
    made = ScriptSteps(plan)
    with patch.object(made, "_flow", wraps=made._flow) as worked_out:
        made.flow("step8")
    assert worked_out.call_count == len(plan.live_nodes)
