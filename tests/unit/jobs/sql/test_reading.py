"""SQL as people write it: which steps it becomes, and where its mistakes are told."""

from time import process_time
from typing import Any

import pytest

from jobs.plan import plan_job
from jobs.sql import SqlReading, read_sql
from tests.support.sql_reading import CATALOG, read, refused, step, steps


def test_one_query_is_a_job() -> None:
    document = read("SELECT symbol, price FROM trades WHERE price > 10")
    assert document["sources"] == {"trades": {"stream": "trades"}}
    assert document["steps"] == {
        "filtered": {"op": "filter", "input": "trades", "where": "price > 10"},
        "columns": {"op": "select", "input": "filtered", "fields": ["symbol", "price"]},
    }
    assert document["outputs"] == {"result": {"input": "columns", "to": "result"}}


def test_views_sinks_and_settings() -> None:
    document = read(
        """
        SET 'name' = 'Large trades'; SET 'mode' = 'microbatch'; SET 'contract_validation' = 'true';
        CREATE SOURCE t FROM STREAM trades WITH (delay = '5s');
        CREATE VIEW large AS SELECT * FROM t WHERE price > 100;
        CREATE MATERIALIZED VIEW live AS SELECT * FROM large;
        CREATE SINK copy AS SELECT * FROM large WITH (topic = 'large', names = (price = ('p', 'usd')));
        """
    )
    assert document["name"] == "Large trades"
    assert document["settings"] == {"mode": "microbatch", "contract_validation": True}
    assert document["sources"] == {"t": {"stream": "trades", "delay": "5s"}}
    assert document["steps"] == {"large": {"op": "filter", "input": "t", "where": "price > 100"}}
    assert document["outputs"] == {
        "live": {"input": "large", "to": "result"},
        "copy": {"input": "large", "to": {"topic": "large", "names": {"price": ["p", "usd"]}}},
    }


def test_views_may_come_in_any_order_and_under_another_name() -> None:
    document = read(
        "CREATE VIEW b AS SELECT * FROM a; CREATE VIEW a AS SELECT * FROM trades WHERE price > 1; "
        "SELECT * FROM b"
    )
    assert document["outputs"]["result"]["input"] == "a"


def test_a_view_may_be_another_name_for_an_output_of_a_step() -> None:
    document = read(
        """
        CREATE VIEW sorted AS
          SELECT * FROM BRANCH(TABLE trades, branches => (price > 100 AS large), rest => small);
        CREATE VIEW large AS SELECT * FROM sorted.large;
        CREATE VIEW again AS SELECT * FROM large;
        SELECT symbol FROM again;
        """
    )
    assert document["sources"] == {"trades": {"stream": "trades"}}
    assert [step["input"] for step in document["steps"].values()] == ["trades", "sorted.large"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "SELECT *, price * size AS value FROM trades",
            {"op": "derive", "input": "trades", "fields": {"value": "price * size"}},
        ),
        (
            "SELECT * REPLACE (upper(symbol) AS symbol) FROM trades",
            {"op": "derive", "input": "trades", "fields": {"symbol": "upper(symbol)"}},
        ),
        ("SELECT * EXCEPT (size) FROM trades", {"op": "drop", "input": "trades", "fields": ["size"]}),
        (
            "SELECT * RENAME (symbol AS ticker) FROM trades",
            {"op": "rename", "input": "trades", "fields": {"symbol": "ticker"}},
        ),
        (
            "SELECT t.symbol s, t.price + 1 p FROM trades t",
            {"op": "select", "input": "trades", "fields": {"s": "symbol", "p": "price + 1"}},
        ),
        (
            "SELECT * FROM DEDUPLICATE(TABLE clicks, by => (search, url), within => INTERVAL '1' HOUR)",
            {"op": "deduplicate", "input": "clicks", "by": ["search", "url"], "within": "1h"},
        ),
        (
            "SELECT * FROM SAMPLE(TABLE trades, 0.1)",
            {"op": "sample", "input": "trades", "fraction": 0.1},
        ),
        (
            "SELECT * FROM CAST(TABLE trades, fields => (price AS decimal(10,2), size AS long))",
            {"op": "cast", "input": "trades", "fields": {"price": "decimal(10,2)", "size": "long"}},
        ),
    ],
)
def test_row_steps(query: str, expected: dict[str, Any]) -> None:
    assert step(query) == expected


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ("TUMBLE(TABLE trades, INTERVAL '10' SECONDS)", {"tumbling": {"size": "10s"}}),
        ("TABLE(TUMBLE(TABLE trades, DESCRIPTOR(at), INTERVAL '1' MINUTE))", {"tumbling": {"size": "1m"}}),
        (
            "HOP(trades, INTERVAL '1' MINUTE, INTERVAL '1' HOUR, offset => INTERVAL '5' SECOND)",
            {"hopping": {"advance": "1m", "size": "1h", "offset": "5s"}},
        ),
        ("SESSION(TABLE trades, gap => INTERVAL '1h30m')", {"session": {"gap": "1h30m"}}),
        ("SLIDE(TABLE trades, INTERVAL '2' DAY)", {"sliding": {"size": "2d"}}),
        (
            "CALENDAR(TABLE trades, unit => 'day', zone => 'Europe/Berlin')",
            {"calendar": {"unit": "day", "zone": "Europe/Berlin"}},
        ),
    ],
)
def test_windows(window: str, expected: dict[str, Any]) -> None:
    query = (
        f"SELECT window_start, window_end, symbol, count(*) AS n FROM {window} GROUP BY window_start, symbol"
    )
    assert step(query)["window"] == expected


def test_the_fields_of_a_window_may_have_the_alias_of_its_relation() -> None:
    text = (
        "SELECT {t}window_start, {t}window_end, {t}symbol, date_trunc('day', {t}window_start) AS day, "
        "count(*) AS n FROM TUMBLE(TABLE trades, INTERVAL '1' HOUR) t "
        "GROUP BY {t}window_start, {t}window_end, {t}symbol HAVING {t}window_end > {t}window_start"
    )
    assert steps(text.format(t="t.")) == steps(text.format(t=""))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*) AS n FROM {} GROUP BY `window` EMIT FINAL",
        "SELECT count(*) AS n FROM {} GROUP BY window_end EMIT FINAL",
        "SELECT cast(window_start as date) AS day, count(*) AS n FROM {} EMIT FINAL",
    ],
)
def test_a_window_may_be_named_in_the_keys_or_in_the_list(query: str) -> None:
    found = steps(query.format("TUMBLE(TABLE trades, INTERVAL '1' HOUR)"))
    assert [step["window"] for step in found.values() if step["op"] == "aggregate"] == [
        {"tumbling": {"size": "1h"}}
    ]


def test_the_fields_of_a_window_may_be_grouped_by_their_other_names() -> None:
    found = steps(
        "SELECT (window_start) AS opened, window_end, count(*) AS n "
        "FROM TUMBLE(TABLE trades, INTERVAL '1' HOUR) GROUP BY opened, (window_end) EMIT FINAL"
    )
    assert "by" not in found["grouped"]
    assert found["columns"]["fields"] == {"opened": "window_start", "window_end": "window_end", "n": "n"}


def test_measures() -> None:
    found = step(
        "SELECT window_start, window_end, symbol, count(*) AS n, COUNT(DISTINCT price) AS prices, "
        "avg(price) FILTER (WHERE size > 1) AS mean, top_rows(3, by price, [symbol, price]) AS top "
        "FROM TUMBLE(TABLE trades, INTERVAL '1' MINUTE, grace => INTERVAL '5' SECOND) "
        "GROUP BY window_start, window_end, symbol EMIT FINAL"
    )
    assert found["measures"] == {
        "n": "count()",
        "prices": "distinct(price)",
        "mean": "avg(price) where size > 1",
        "top": "top_rows(3, by price, [symbol, price])",
    }
    assert (found["by"], found["emit"], found["grace"]) == (["symbol"], "final", "5s")


def test_expressions_over_measures_and_having() -> None:
    found = steps(
        "SELECT upper(symbol) AS s, sum(price * size) / sum(size) AS vwap, sum(size) AS size FROM trades "
        "GROUP BY upper(symbol) HAVING sum(size) > 100 AND count(*) > 2"
    )
    assert found["grouped"]["by"] == {"s": "upper(symbol)"}
    assert found["grouped"]["measures"] == {
        "sum": "sum(price * size)",
        "sum_2": "sum(size)",
        "size": "sum(size)",
        "count": "count()",
    }
    assert list(found) == ["grouped", "having", "columns"]
    assert list(found["columns"]["fields"]) == ["s", "vwap", "size"]


def test_a_key_is_the_field_where_an_alias_has_its_name() -> None:
    """As in every SQL: GROUP BY symbol groups by the field, and the item is computed from it."""
    found = read("SELECT upper(symbol) AS symbol, count(*) AS n FROM trades GROUP BY symbol")
    assert found["steps"]["grouped"]["by"] == ["symbol"]
    assert found["steps"]["columns"]["fields"] == {"symbol": "upper(symbol)", "n": "n"}


def test_joins() -> None:
    found = steps(
        "SELECT s.word, c.url, c.user AS clicker FROM searches AS s LEFT JOIN clicks c ON s.id = c.search "
        "AND c._time BETWEEN s._time - INTERVAL '5' SECOND AND s._time + INTERVAL '1' MINUTE AND c.n > 0"
    )
    assert found["joined"] == {
        "op": "join",
        "left": "searches",
        "right": "clicks",
        "type": "left",
        "on": {"id": "search"},
        "between": {"before": "5s", "after": "1m"},
        "where": "n > 0",
        "prefix": "c_",
    }
    assert found["columns"]["fields"] == {"word": "word", "url": "url", "clicker": "`c_user`"}


@pytest.mark.parametrize(
    ("condition", "between"),
    [
        ("s._time >= c._time - INTERVAL '1' HOUR AND c._time >= s._time", {"before": "0s", "after": "1h"}),
        (
            "c._time > s._time AND c._time < s._time + INTERVAL '1' SECOND",
            {"before": "-1us", "after": "999ms999us"},
        ),
        ("s._time BETWEEN c._time - INTERVAL '2' SECOND AND c._time", {"before": "0s", "after": "2s"}),
        (
            "c._time BETWEEN (s._time - INTERVAL '5' SECOND) AND ((s._time + INTERVAL '1' MINUTE))",
            {"before": "5s", "after": "1m"},
        ),
        (
            "c._time BETWEEN s._time AND "
            "(s._time + INTERVAL '1' HOUR) + INTERVAL '2' MINUTE - INTERVAL '1' MINUTE",
            {"before": "0s", "after": "1h1m"},
        ),
        (
            "(c._time - INTERVAL '1' HOUR - INTERVAL '1' MINUTE) <= s._time AND c._time >= s._time",
            {"before": "0s", "after": "1h1m"},
        ),
    ],
)
def test_time_bounds_either_way(condition: str, between: dict[str, str]) -> None:
    found = steps(f"SELECT * FROM searches s LEFT SEMI JOIN clicks c ON c.search = s.id AND {condition}")
    assert found["joined"]["between"] == between


def test_an_equation_of_types_that_keys_can_not_have_is_a_condition() -> None:
    found = steps(
        "SELECT o.id FROM orders o JOIN trades t ON o.amount = t.price AND o.id = t.symbol "
        "AND t._time BETWEEN o._time AND o._time + INTERVAL '1' MINUTE"
    )
    assert (found["joined"]["on"], found["joined"]["where"]) == ({"id": "symbol"}, "amount = price")
    alone = read("SELECT o.id FROM orders o JOIN trades t ON o.amount = t.price")
    assert alone["steps"]["joined"]["on"] == {"amount": "price"}


def test_table_joins() -> None:
    found = steps(
        "SELECT o.*, o.amount * r.rate AS euros FROM orders o "
        "JOIN rates FOR SYSTEM_TIME AS OF o._time AS r ON o.currency = r.code AND r.rate > 0 "
        "WITH (retention = INTERVAL '2' DAY)"
    )
    assert found["joined"] == {
        "op": "table_join",
        "input": "orders",
        "table": "rates",
        "on": {"currency": "code"},
        "version": "as_of",
        "retention": "2d",
    }
    assert found["matched"]["where"] == "rate > 0"
    now = steps("SELECT * FROM orders JOIN rates FOR SYSTEM_TIME AS OF PROCTIME() ON currency = code")
    assert "version" not in now["joined"]


def test_a_field_goes_before_an_alias_of_its_name() -> None:
    assert step("SELECT * FROM orders WHERE orders.n > 1")["where"] == "orders.n > 1"


def test_a_second_partner_of_a_field_is_a_condition() -> None:
    """`on` has one right field for each left one: the first equation was lost."""
    found = steps("SELECT s.id FROM searches s JOIN clicks c ON s.id = c.search AND s.id = c.url")
    assert found["joined"]["on"] == {"id": "search"}
    assert found["joined"]["where"] == "id = url"


@pytest.mark.parametrize(
    "condition",
    [
        "(s.id = c.search)",
        "((s.id = c.search) AND (s.word = c.url))",
        "(s.id = c.search AND (s.word = c.url)) AND TRUE",
    ],
)
def test_keys_may_stand_in_parentheses(condition: str) -> None:
    found = steps(f"SELECT s.id FROM searches s JOIN clicks c ON {condition}")
    assert found["joined"]["on"].items() >= {"id": "search"}.items()
    assert "where" not in found["joined"]


def test_an_or_in_parentheses_stays_in_them() -> None:
    found = steps(
        "SELECT s.id FROM searches s JOIN clicks c ON s.id = c.search AND (c.n > 1 OR c.n < 0) AND (c.n <> 7)"
    )
    assert found["joined"]["where"] == "(n > 1 OR n < 0) AND n <> 7"


def test_and_inside_case_connects_nothing() -> None:
    condition = "CASE WHEN c.n > 1 AND c.n < 5 THEN s.id = c.search ELSE false END"
    found = steps(f"SELECT s.id FROM searches s JOIN clicks c ON s.id = c.search AND {condition}")
    assert found["joined"]["where"] == "CASE WHEN n > 1 AND n < 5 THEN id = search ELSE false END"


def test_a_condition_of_a_semi_join_tells_the_sides_apart() -> None:
    found = steps(
        "SELECT * FROM searches s LEFT ANTI JOIN clicks c ON s.id = c.search "
        "AND c._time BETWEEN s._time AND s._time + INTERVAL '1' HOUR AND c.user <> s.user"
    )
    assert found["joined"]["where"] == "`c_user` <> user"
    assert found["joined"]["prefix"] == "c_"


def test_keys_may_have_their_relations_alias_in_one_place_only() -> None:
    found = step("SELECT t.symbol, count(*) AS n FROM trades t GROUP BY symbol")
    assert found["by"] == ["symbol"]


def test_what_is_grouped_by_may_be_written_in_another_case() -> None:
    found = step(
        "SELECT UPPER(symbol) AS s, size div 10 AS d, count(*) AS n FROM trades "
        "GROUP BY upper(symbol), size DIV 10"
    )
    assert list(found["by"]) == ["s", "d"]


def test_unions_and_nested_queries() -> None:
    found = steps(
        "WITH big AS (SELECT symbol, price FROM trades WHERE price > 9) "
        "SELECT * FROM big UNION ALL BY NAME (SELECT word AS symbol FROM searches)"
    )
    assert found["union"] == {"op": "union", "inputs": ["big", "part_columns"]}
    nested = steps("SELECT t.symbol FROM (SELECT * FROM trades WHERE price > 1) AS t")
    assert list(nested) == ["t_filtered", "columns"]


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("SELECT * FROM trades ORDER BY price", "no end", "ORDER"),
        ("SELECT * FROM trades LIMIT 5", "no end", "LIMIT"),
        ("SELECT DISTINCT symbol FROM trades", "forever", "DISTINCT"),
        ("SELECT symbol, price FROM trades GROUP BY symbol", "neither grouped", "price"),
        (
            "SELECT symbol, sum(size) AS size, size * 2 AS d FROM trades GROUP BY symbol",
            "size is neither",
            "size",
        ),
        ("SELECT symbol, count(*) AS n FROM trades GROUP BY 1", "is no field", "1"),
        (
            "CREATE VIEW a AS SELECT * FROM trades; CREATE VIEW a AS SELECT * FROM orders",
            "exists already",
            "a",
        ),
        ("SELECT price * 2 FROM trades", "no name", "2"),
        ("SELECT price, FROM trades", "Expected an expression", "FROM"),
        ("SELECT symbol", "Expected FROM, but the statement ends", "l"),
        ("INSERT INTO x VALUES (1)", "isn't available", "INSERT"),
        ("SELECT * FROM CUMULATE(TABLE trades)", "Unknown table function", "CUMULATE"),
        ("SELECT * FROM SPLITT(TABLE trades, field => symbol)", "Unknown table function", "SPLITT"),
        ("SELECT * FROM orders, rates", "need keys", ","),
        ("SELECT * FROM orders CROSS JOIN rates", "need keys", "CROSS"),
        ("SELECT * FROM orders JOIN rates", "Expected ON", "s"),
        (
            "SELECT count(*) AS n FROM TUMBLE(TABLE trades, DESCRIPTOR(price), '1m')",
            "isn't the event time",
            "DESC",
        ),
        ("SELECT count(*) AS n FROM TUMBLE(TABLE trades)", "lacks size", "TUMBLE"),
        ("SELECT * FROM trades UNION SELECT * FROM trades", "without duplicates", "UNION"),
        ("SELECT price, * FROM trades", "comes first", "SELECT"),
        ("SELECT *, price FROM trades", "already selects price", "price"),
        ("SELECT * FROM trades WHERE", "Expected a condition", "E"),
        ("SELECT count(*) FILTER (WHERE) AS n FROM trades", "no condition", "FILTER (WHERE)"),
        ("SELECT * FROM trades HAVING price > 1", "HAVING needs", "price > 1"),
        ("SELECT * FROM trades EMIT FINAL", "EMIT needs", "SELECT"),
        ("SET 'modus' = 'x'", "Unknown setting", "SET 'modus' = 'x'"),
        ("CREATE SINK a AS SELECT * FROM trades", "needs a topic", "a"),
        ("SELECT 'x", "isn't closed", "'x"),
        ("SELECT 'it''s' AS s, 'x FROM trades;\n\nSELECT *\nFROM trades", "isn't closed", "'x FROM trades;"),
        ("SELECT * FROM trades /* all", "isn't closed", "/* all"),
        (
            "SELECT * FROM searches s JOIN clicks s ON s.id = s.search",
            "Both relations are called s",
            "clicks",
        ),
        (
            "SELECT * FROM searches s JOIN clicks c ON s.id = c.search AND c._time >= s._time",
            "one side only",
            "s.id",
        ),
    ],
)
def test_what_is_refused_is_told_at_its_place(text: str, message: str, place: str) -> None:
    told, _, where = refused(text)
    assert message in told
    assert where.startswith(place) or where.endswith(place)


@pytest.mark.parametrize("text", ["", "  ;; \n", "-- nothing yet"])
def test_no_statement_is_a_problem(text: str) -> None:
    found = read_sql(text, CATALOG)
    assert found.document is None
    assert [problem.message for problem in found.problems] == ["There is no statement."]


def test_every_statement_is_read() -> None:
    found = read_sql(
        "SELECT FROM x; CREATE VIEW v AS SELECT * FROM trades WHERE price > 1; DROP TABLE x", CATALOG
    )
    assert len(found.problems) == 2
    assert found.document is not None
    assert list(found.document["steps"]) == ["v"]


def located(text: str) -> dict[str, str]:
    """The part of the text that each problem of the planned document is about."""
    found: SqlReading = read_sql(text, CATALOG)
    problems = plan_job({"name": "test", **(found.document or {})}, CATALOG).problems
    spans = {problem.code: found.located(problem) for problem in problems}
    return {code: text[slice(*span)] for code, span in spans.items() if span is not None}


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("SELECT * FROM trades WHERE prize > 3", "FIELD_UNKNOWN", "prize"),
        ("SELECT symbol,\n  nope FROM trades", "FIELD_UNKNOWN", "nope"),
        ("SELECT t.symbol, t.prize * 2 AS x FROM trades t", "FIELD_UNKNOWN", "t.prize * 2"),
        ("SELECT symbol, sum(prize) AS s FROM trades GROUP BY symbol", "FIELD_UNKNOWN", "prize"),
        ("SELECT symbol, sum(symbol) AS s FROM trades GROUP BY symbol", "MEASURE_TYPE", "sum"),
        ("SELECT * FROM nowhere", "PARAMETER_RANGE", "nowhere"),
        ("SELECT price, symbol, count(*) AS n FROM trades GROUP BY price, symbol", "KEY_TYPE", "price"),
        ("SELECT symbol, count(*) AS n FROM trades GROUP BY symbol", "STATE_UNBOUNDED", "symbol"),
        ("SELECT * FROM BRANCH(TABLE trades, branches => (prize > 1 AS a))", "FIELD_UNKNOWN", "prize"),
        ("SELECT * FROM clicks c WHERE c.n > 'x' || c.nope", "FIELD_UNKNOWN", "c.n > 'x' || c.nope"),
    ],
)
def test_problems_of_the_document_are_located_in_the_text(text: str, code: str, place: str) -> None:
    assert located(text)[code] == place


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5_000,
        "SELECT * FROM " + "(SELECT * FROM " * 400 + "trades" + ")" * 400,
        "SELECT * FROM " + "A(" * 1_000,
        "SELECT * FROM " + "TABLE(" * 1_000,
        "SELECT * FROM " + "SAMPLE(TABLE " * 1_000 + "trades" + ", 0.1)" * 1_000,
        "SELECT * FROM " + "(SELECT * FROM A(TABLE(" * 1_000,
        "CREATE SINK s AS SELECT * FROM trades WITH (topic = " + "(" * 1_000,
        "CREATE SINK s AS SELECT * FROM trades WITH (topic = " + "(a = " * 1_000,
        "WITH " + "a AS (WITH " * 1_000,
        "SELECT " + "a," * 9_000 + "b FROM trades",
        "SELECT * FROM trades WHERE " + "x = 1 AND " * 9_000 + "y",
        "SET 'mode' = '" + "x" * 100_000 + "'",
        "SELECT count(*) AS n FROM TUMBLE(TABLE trades, INTERVAL '1e999999999' SECOND)",
        "SELECT count(*) AS n FROM TUMBLE(TABLE trades, INTERVAL 'nan' SECOND)",
        "\x00\u202e;;;;",
        "SELECT `",
        "CREATE",
        ";" * 10_000,
        "x" * 200_001,
    ],
)
def test_odd_texts_are_answered(text: str) -> None:
    found = read_sql(text, CATALOG)
    assert found.problems or found.document is None or plan_job(found.document, CATALOG).problems


def test_a_view_that_is_read_within_its_own_with_keeps_that_name() -> None:
    """x was called v, and y still read x."""
    found = read(
        "CREATE VIEW v AS WITH x AS (SELECT * FROM trades WHERE price > 1), y AS (SELECT symbol FROM x) "
        "SELECT * FROM x; SELECT * FROM v"
    )
    assert found["steps"]["y"]["input"] == "x"
    assert found["outputs"]["result"]["input"] == "x"
    assert plan_job(found, CATALOG).ok
    inner = read(
        "WITH a AS (WITH x AS (SELECT * FROM trades WHERE price > 1), y AS (SELECT symbol FROM x) "
        "SELECT * FROM x) SELECT * FROM a"
    )
    assert inner["outputs"]["result"]["input"] == "x"
    assert plan_job(inner, CATALOG).ok


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            f"CREATE VIEW {'v' * 60} AS SELECT symbol FROM trades WHERE price > 1; SELECT * FROM {'v' * 60}",
            ["v" * 54 + "_filtered", "v" * 60],
        ),
        (
            f"SELECT symbol FROM (SELECT * FROM trades WHERE price > 1) AS {'t' * 80}",
            ["t" * 54 + "_filtered", "columns"],
        ),
        (
            "SELECT `Order Items`.symbol FROM (SELECT * FROM trades WHERE price > 1) AS `Order Items`",
            ["Order_Items_filtered", "columns"],
        ),
        (
            "SELECT `1 ä`.symbol FROM (SELECT * FROM trades WHERE price > 1) AS `1 ä`",
            ["query_filtered", "columns"],
        ),
        (
            "WITH `Order Items` AS (SELECT * FROM trades WHERE price > 1) SELECT symbol FROM `Order Items`",
            ["Order_Items_filtered", "columns"],
        ),
        (
            "SELECT symbol FROM (SELECT * FROM (SELECT * FROM trades WHERE price > 1) "
            f"WHERE size > 1) AS {'a' * 60}",
            ["a" * 54 + "_filtered", "a" * 54 + "_filter_2", "columns"],
        ),
    ],
)
def test_steps_have_names_that_are_names(text: str, expected: list[str]) -> None:
    found = steps(text)
    assert list(found) == expected


@pytest.mark.parametrize("text", ["", " ; ", "-- nothing yet"])
def test_a_text_without_a_statement(text: str) -> None:
    (found,) = read_sql(text, CATALOG).problems
    assert (found.code, found.message) == ("SQL_INVALID", "There is no statement.")


def test_many_names_beside_star_are_compared_in_one_pass() -> None:
    """Each was compared with all before it, which took minutes."""
    names = ", ".join(f"a{at}" for at in range(20_000))
    begin = process_time()
    found = read_sql(f"SELECT * EXCEPT ({names}) FROM trades", CATALOG)
    assert process_time() - begin < 20
    assert not found.problems
