"""What `write_sql` refuses, and how it quotes."""

import json
from typing import Any

import pytest

from jobs.document import read_document
from jobs.plan import plan_job
from jobs.sql import SqlText, read_sql, write_sql
from tests.support.plan_helpers import contract, document
from tests.support.plan_meaning import meaning


def written(steps: dict[str, Any], **more: Any) -> SqlText:
    reading = read_document(json.dumps(document(steps, **more)))
    assert reading.document is not None
    return write_sql(reading.document, {})


def test_names_that_are_keywords_and_texts_with_quotes() -> None:
    text = written(
        {
            "select": {"op": "select", "input": "s", "fields": {"from": "x", "order": "k || 'it\\'s'"}},
            "group": {"op": "filter", "input": "select", "where": "`from` > 1"},
        },
        name="It's; a \\ job\n--",
    ).text
    assert "SET 'name' = 'It\\'s; a \\\\ job\\n--';" in text
    assert "CREATE VIEW `select` AS\nSELECT x AS `from`, k || 'it\\'s' AS `order`\nFROM s;" in text
    assert "FROM `select`\nWHERE `from` > 1;" in text


def test_intervals_are_in_the_largest_whole_unit() -> None:
    step = {"op": "throttle", "input": "s", "by": ["k"], "every": "1h30m"}
    assert "every => INTERVAL '90' MINUTE" in written({"t": step}).text


def test_a_source_that_nothing_reads_stays() -> None:
    text = written({}, sources={"s": {"stream": "s"}, "t": {"stream": "t"}}).text
    assert "CREATE SOURCE t FROM STREAM t;" in text
    assert "CREATE SOURCE s" not in text


def test_text_in_double_quotes_is_written_in_single_ones() -> None:
    """SQL dialects read double quotes in two ways, so SQL text is refused with them."""
    step = {"op": "filter", "input": "s", "where": 'k = "it\'s 10\\% \\"x\\""'}
    assert "WHERE k = 'it\\'s 10\\\\% \"x\"';" in written({"t": step}).text


def test_a_strict_union_is_no_union_all() -> None:
    """UNION ALL goes by position, `mode: strict` by name."""
    step = {"op": "union", "inputs": ["s", "t"], "mode": "strict"}
    more = {"sources": {"s": {"stream": "s"}, "t": {"stream": "t"}}}
    assert "UNION(TABLE s, TABLE t, mode => 'strict')" in written({"u": step}, **more).text


def test_a_source_with_the_name_of_an_output_is_declared() -> None:
    """Otherwise FROM would name the output."""
    text = written({}, outputs={"s": {"input": "s", "to": "result"}}).text
    assert "CREATE SOURCE s FROM STREAM s;" in text


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ({"op": "filter", "input": "s", "where": "limit > 100"}, "WHERE (limit > 100);"),
        ({"op": "filter", "input": "s", "where": "window"}, "WHERE (window);"),
        ({"op": "select", "input": "s", "fields": {"n": "limit"}}, "SELECT (limit) AS n\n"),
        ({"op": "select", "input": "s", "fields": {"n": "all"}}, "SELECT `all` AS n\n"),
        ({"op": "select", "input": "s", "fields": {"n": "all + 1"}}, "SELECT `all` + 1 AS n\n"),
    ],
)
def test_an_expression_may_begin_like_a_clause(step: dict[str, Any], said: str) -> None:
    contracts = {"s": contract({"limit": "int", "window": "boolean", "all": "int"})}
    text = written({"odd": step}).text
    assert said in text
    found = read_sql(text, contracts)
    assert not found.problems
    assert found.document is not None
    before, after = plan_job(document({"odd": step}), contracts), plan_job(found.document, contracts)
    assert before.ok, before.problems
    assert meaning(after) == meaning(before)


def test_a_first_measure_that_counts_what_is_distinct_is_no_select_distinct() -> None:
    measures = {"n": "distinct(concat(k, 'x'))", "large": "distinct(k) where x > 1"}
    text = written({"m": {"op": "aggregate", "input": "s", "measures": measures}}).text
    assert (
        "SELECT count(DISTINCT concat(k, 'x')) AS n,\n  count(DISTINCT k) FILTER (WHERE x > 1) AS large"
        in text
    )
    found = read_sql(text, {"s": contract({"k": "string", "x": "int"})})
    assert found.document is not None
    (step,) = found.document["steps"].values()
    assert step["measures"] == measures


def test_a_query_that_begins_with_distinct_and_its_options_begins_with_all() -> None:
    measures = {"n": "distinct(k, limit = 100) where x > 1", "m": "distinct(x, limit = 10)"}
    text = written({"m": {"op": "aggregate", "input": "s", "measures": measures}}).text
    assert "SELECT ALL distinct(k, limit = 100) FILTER (WHERE x > 1) AS n" in text
    found = read_sql(text, {"s": contract({"k": "string", "x": "int"})})
    assert found.document is not None
    (step,) = found.document["steps"].values()
    assert step["measures"] == measures


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ({"op": "throttle", "input": "s", "by": ["k"], "every": "soon1"}, "is not a duration"),
        ({"op": "aggregate", "input": "s", "grace": "1s", "measures": {"n": "count()"}}, "need a window"),
        ({"op": "select", "input": "s", "fields": []}, "has no fields"),
        ({"op": "select", "input": "s", "fields": {}}, "has no fields"),
        ({"op": "change", "input": "s", "of": []}, "has no fields"),
        ({"op": "aggregate", "input": "s", "measures": {}}, "has no fields"),
        ({"op": "filter", "input": "s", "where": "k = 'open"}, "no expression"),
        ({"op": "filter", "input": "s", "where": "k; x"}, "no expression"),
        ({"op": "filter", "input": "s", "where": 'k rlike "\\d"'}, "has an unknown escape"),
        ({"op": "filter", "input": "s", "where": "x > 1) UNION ALL (SELECT * FROM t"}, "no expression"),
        ({"op": "filter", "input": "s", "where": "x[1) + (2]"}, "no expression"),
        ({"op": "derive", "input": "s", "fields": {"a": "x -- all", "b": "x"}}, "has a comment"),
        ({"op": "derive", "input": "s", "fields": {"a": "/* b */ x"}}, "has a comment"),
        ({"op": "aggregate", "input": "s", "measures": {"n": "sum(x) -- all"}}, "has a comment"),
        ({"op": "aggregate", "input": "s", "by": {"k": "'x'"}, "measures": {"n": "count()"}}, "a constant"),
        ({"op": "aggregate", "input": "s", "by": {"k": "1"}, "measures": {"n": "count()"}}, "a constant"),
        ({"op": "aggregate", "input": "s", "by": {"k": "('x')"}, "measures": {"n": "count()"}}, "a constant"),
        (
            {
                "op": "aggregate",
                "input": "s",
                "by": {"inner": "(window_start)"},
                "window": {"tumbling": {"size": "1h"}},
                "measures": {"n": "count()"},
            },
            "a bound of the input's own windows",
        ),
        ({"op": "join", "left": "s", "right": "t", "on": {"k": "k"}, "where": "x > 1 --"}, "has a comment"),
        ({"op": "filter", "input": "s", "where": "k in (select id from banned)"}, "has a query"),
        ({"op": "filter", "input": "s", "where": "limit in (select id from banned)"}, "has a query"),
        ({"op": "filter", "input": "s", "where": "select id from banned"}, "has a query"),
        ({"op": "cast", "input": "s", "fields": {"x": "int), rest => (y AS int"}}, "no type"),
        ({"op": "cast", "input": "s", "fields": {"x": "int, y AS long"}}, "no type"),
    ],
)
def test_what_sql_has_no_words_for_is_told_with_its_step(step: dict[str, Any], reason: str) -> None:
    found = written({"odd": step})
    assert found.text == ""
    ((path, told),) = found.refusals
    assert path == ("steps", "odd")
    assert reason in told


def test_what_is_null_or_empty_is_left_out() -> None:
    """It was an exception, or read back as text, or not at all."""
    found = written(
        {
            "j": {
                "op": "table_join",
                "input": "s",
                "table": "r",
                "on": {"k": "k"},
                "broadcast": {"max_rows": 5, "refresh": None},
            },
            "all": {"op": "table_join", "input": "j", "table": "r", "on": {"k": "k"}, "broadcast": {}},
            "a": {
                "op": "aggregate",
                "input": "s",
                "window": {"tumbling": {"size": "5s", "offset": None}},
                "by": ["k"],
                "measures": {"n": "count()"},
                "grace": None,
            },
        },
        sources={"s": {"stream": "s"}, "r": {"table": "r"}},
        outputs={"o": {"input": "a", "to": {"topic": "t", "format": "json", "names": {}}}},
        settings={"rate_limit": None, "mode": "realtime"},
    )
    assert not found.refusals
    assert "WITH (broadcast = (max_rows = 5))" in found.text
    assert "WITH (broadcast = TRUE)" in found.text
    assert "WITH (topic = 't', format = 'json');" in found.text
    assert "FROM TUMBLE(TABLE s, INTERVAL '5' SECOND)\nGROUP BY window_start, window_end, k;" in found.text
    assert "rate_limit" not in found.text
    assert "SET 'mode' = 'realtime';" in found.text
    assert not read_sql(found.text, {}).problems


def test_a_text_too_long_to_be_read_is_not_written() -> None:
    steps = {f"s{at}": {"op": "filter", "input": "s", "where": f"k = '{'x' * 19_000}'"} for at in range(20)}
    ((path, told),) = written(steps).refusals
    assert path == ()
    assert "200,000 characters" in told
