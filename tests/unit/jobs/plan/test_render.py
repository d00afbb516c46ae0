"""A script is written whole, or refused with the step's name; it is Python either way."""

import ast

import pytest

from jobs.plan.render import render
from tests.support.planned import document, planned

SUM = {"op": "aggregate", "input": "s", "window": {"tumbling": {"size": "5s"}}, "by": ["k"], "measures": {"n": "count()"}}


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
    assert [f"rows_of_{name}" in script.text for name in ("s", "some", "words", "sums", "all")] == [True] * 5
    assert 'MODE = "append"' in script.text


def test_a_hostile_name_stays_text() -> None:
    script = render(
        planned(
            {"some": {"op": "filter", "input": "s", "where": "x > 0"}, "few": {"op": "select", "input": "some", "fields": ["x"]}},
            name='"""; import os \\',
        )
    )
    body = ast.parse(script.text).body
    assert [type(part).__name__ for part in body[:4]] == ["Expr", "Import", "ImportFrom", "ImportFrom"]
    assert "import os" in (ast.get_docstring(ast.parse(script.text)) or "")


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ({**SUM, "window": {"calendar": {"unit": "day", "zone": "UTC"}}}, "only tumbling, hopping and session windows"),
        ({"op": "latest", "input": "s", "by": ["k"], "ttl": "1h"}, "keys that are taken away"),
        ({**SUM, "measures": {"n": "sum(price)"}}, "decimals and bytes"),
        ({"op": "filter", "input": "s", "where": "x >"}, "errors"),
    ],
)
def test_what_cannot_be_written_is_said(step: dict[str, object], reason: str) -> None:
    script = render(planned({"step": step}))
    assert script.text == ""
    assert reason in " ".join(script.refusals)


def test_a_filter_over_a_changelog_is_refused() -> None:
    script = render(planned({"sums": SUM, "few": {"op": "filter", "input": "sums", "where": "n > 1"}}))
    assert script.refusals == ("few: a filter over a changelog sends tombstones, which a plain script cannot.",)


def test_a_join_beside_another_step_with_state_is_refused() -> None:
    pairs = {"op": "join", "left": "s", "right": "s2", "on": {"k": "k"}, "between": {"after": "1s"}, "prefix": "r_"}
    sources = {"s": {"stream": "s"}, "s2": {"stream": "s"}}
    fields = {"k": "string", "x": "int"}
    assert render(planned({"pairs": pairs}, sources=sources, fields=fields)).refusals == ()
    refused = render(planned({"pairs": pairs, "sums": {**SUM, "input": "pairs", "emit": "final"}}, sources=sources, fields=fields))
    assert "a join beside another step with state" in " ".join(refused.refusals)


def test_a_job_of_two_queries_that_pass_rows_on_is_refused() -> None:
    final = {**SUM, "window": {"tumbling": {"size": "10s"}}, "emit": "final"}
    script = render(planned({"windows": final, "all": {"op": "aggregate", "input": "windows", "by": ["k"], "measures": {"n": "count()"}}}))
    assert script.text == ""
    assert any("two queries" in reason for reason in script.refusals)


def test_an_output_to_a_topic_is_refused() -> None:
    written = document({"some": {"op": "filter", "input": "s", "where": "x > 0"}})
    outputs = {"out": {"input": "some", "to": "result"}, "more": {"input": "some", "to": {"topic": "t"}}}
    script = render(planned(written["steps"], outputs=outputs))
    assert any("topic" in reason for reason in script.refusals)
