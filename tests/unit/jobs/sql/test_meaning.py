"""SQL means here what it means elsewhere, or is refused where it stands, with what to write instead."""

from typing import Any

import pytest

from jobs.plan import plan_job
from jobs.sql import read_sql
from tests.support.plan_helpers import contract
from tests.support.sql_reading import CATALOG, read, refused, step, steps

WITHIN = "s.id = c.search AND c._time BETWEEN s._time AND s._time + INTERVAL '1' MINUTE"
JOINED = f"FROM searches s JOIN clicks c ON {WITHIN}"
KEYED = "FROM trades GROUP BY symbol"


def test_expressions_beside_star_read_the_rows_of_from() -> None:
    """REPLACE and RENAME change what * gives, not what stands beside it."""
    replaced = step("SELECT * REPLACE (price * 2 AS price), price + 1 AS y FROM trades")
    assert replaced["fields"] == {"price": "price * 2", "y": "price + 1"}
    first, second = steps(
        "SELECT * RENAME (price AS size, size AS price), price + 1 AS y FROM trades"
    ).values()
    assert (first["op"], first["fields"]) == ("derive", {"y": "price + 1"})
    assert (second["op"], second["fields"]) == ("rename", {"price": "size", "size": "price"})
    kept = steps("SELECT * EXCEPT (price), price * 2 AS twice FROM trades")
    assert [one["op"] for one in kept.values()] == ["derive", "drop"]


def test_having_reads_fields_as_the_input_has_them() -> None:
    """Under swapped names, `size` is the field that is grouped, not the column of that name."""
    found = steps(
        "SELECT size AS symbol, symbol AS size, count(*) AS n FROM trades GROUP BY symbol, size "
        "HAVING symbol = 'a' AND trades.size > 1 AND n > 2"
    )
    assert found["grouped"]["by"] == {"size": "symbol", "symbol": "size"}
    assert found["having"]["where"] == "size = 'a' AND symbol > 1 AND n > 2"


def test_keys_of_one_name_from_two_relations_are_two() -> None:
    """`c.user` took the place of `s.user`."""
    found = steps(f"SELECT s.user, c.user AS clicker, count(*) AS n {JOINED} GROUP BY s.user, c.user")
    assert found["grouped"]["by"] == {"user": "user", "clicker": "`c_user`"}
    hidden = read(f"SELECT s.user, count(*) AS n {JOINED} GROUP BY s.user, c.user")
    assert hidden["steps"]["grouped"]["by"] == {"user": "user", "user_2": "`c_user`"}


def test_expressions_may_read_a_key_that_has_another_name() -> None:
    found = steps(f"SELECT symbol AS s, symbol || 'x' AS q, count(*) AS n {KEYED}")
    assert found["columns"]["fields"] == {"s": "s", "q": "s || 'x'", "n": "n"}
    aliased = step("SELECT symbol AS s, count(*) AS n FROM trades GROUP BY s")
    assert aliased["by"] == {"s": "symbol"}


MEMBERS = "GROUP BY device.id, device.kind"


def test_members_of_a_struct_called_like_its_relation_are_keys_of_their_own() -> None:
    """Each was taken for the struct: two keys were one, and a column that is not grouped was another."""
    found = steps(f"SELECT device.kind AS k, device.id AS i, count(*) AS n FROM device {MEMBERS}")
    assert found["grouped"]["by"] == {"i": "device.id", "k": "device.kind"}
    assert found["columns"]["fields"] == ["k", "i", "n"]
    named = step(f"SELECT device.id, device.kind, count(*) AS n FROM device {MEMBERS}")
    assert named["by"] == {"id": "device.id", "kind": "device.kind"}
    having = "SELECT device.id AS i, count(*) AS n FROM device GROUP BY device.id HAVING device.id = 'x'"
    assert steps(having)["having"]["where"] == "i = 'x'"
    message, _, shown = refused("SELECT device.id, device.kind, count(*) AS n FROM device GROUP BY device.id")
    assert (message, shown) == ("device is neither grouped nor a measure.", "device")


def test_a_word_that_is_a_unit_is_no_field() -> None:
    """A key called like the unit took its place, or the unit was refused as a field."""
    spans = "date_diff(hour, min(at), max(seen)) AS span"
    found = steps(f"SELECT hour AS day, {spans} FROM device GROUP BY hour")
    assert found["columns"]["fields"]["span"] == "date_diff(hour, min, max)"
    apart = steps(f"SELECT device.id, {spans} FROM device GROUP BY device.id")
    assert apart["columns"]["fields"] == {"id": "id", "span": "date_diff(hour, min, max)"}
    joined = "FROM device a JOIN device b ON a.seen = b.seen AND b._time BETWEEN a._time AND a._time"
    joined += " + INTERVAL '1' MINUTE"
    assert "date_diff(hour, " in str(read(f"SELECT date_diff(hour, a.at, b.at) AS span {joined}"))
    added = step("SELECT date_add(hour, hour, at) AS later FROM device")
    assert added["fields"] == {"later": "date_add(hour, hour, at)"}


LAMBDA = "exists(array(1), price -> price > 0)"


def test_a_name_is_a_variable_only_in_its_lambda() -> None:
    """Elsewhere in the expression it is the field, with all that holds for fields."""
    replaced = steps(f"SELECT * REPLACE (price * 2 AS price), {LAMBDA} AND price > 10 AS big FROM trades")
    (derived,) = replaced.values()
    assert derived["fields"] == {"price": "price * 2", "big": f"{LAMBDA} AND price > 10"}
    message, _, shown = refused(
        f"SELECT max(size) AS price, {LAMBDA} AND price > 10 AS big FROM trades GROUP BY symbol"
    )
    assert (message, shown) == ("price is neither grouped nor a measure.", "price")
    user = "exists(array('a'), user -> user = 'a') AND user = 'b'"
    message, _, shown = refused(f"SELECT s.id, {user} AS q {JOINED}")
    assert (message, shown) == ("user is a field of s and of c.", "user")
    pair = "transform(array(1), (price, size) -> price - size)"
    kept = steps(f"SELECT symbol, {pair} AS s, count(*) AS n {KEYED}")
    assert kept["columns"]["fields"]["s"] == pair


@pytest.mark.parametrize(
    ("key", "written", "made"),
    [
        ("upper(symbol)", "upper(symbol) || 'x'", "k || 'x'"),
        ("upper(symbol)", "coalesce(UPPER( symbol ), 'none')", "coalesce(k, 'none')"),
        ("upper(symbol)", "concat(upper(symbol), '-', upper(symbol))", "concat(k, '-', k)"),
        ("size + 1", "2 * (size + 1)", "2 * (k)"),
        ("size + 1", "greatest(size + 1, 5)", "greatest(k, 5)"),
        ("size + size * 2", "abs(size + size * 2) + count(*)", "abs(k) + count"),
        ("greatest(size, 1)", "greatest(greatest(size, 1), 2)", "greatest(k, 2)"),
        ("size % 2 = 0", "NOT (size % 2 = 0)", "NOT (k)"),
    ],
)
def test_an_expression_over_a_grouped_expression(key: str, written: str, made: str) -> None:
    found = steps(f"SELECT {key} AS k, {written} AS q, count() AS n FROM trades GROUP BY {key}")
    assert found["grouped"]["by"] == {"k": key}
    assert found["columns"]["fields"]["q"] == made


def test_a_condition_over_a_grouped_expression() -> None:
    """Its key is called like the field that it reads."""
    found = steps(
        "SELECT upper(symbol) AS symbol, count() AS n FROM trades GROUP BY upper(symbol) "
        "HAVING upper(symbol) LIKE 'A%' AND upper(symbol) <> 'AB' AND max(upper(symbol)) <> 'B'"
    )
    assert found["having"]["where"] == "symbol LIKE 'A%' AND symbol <> 'AB' AND max <> 'B'"
    assert found["grouped"]["measures"] == {"n": "count()", "max": "max(upper(symbol))"}


def test_an_expression_over_a_grouped_member() -> None:
    text = "SELECT orders.n AS k, orders.n * 2 AS twice, count() AS n FROM orders AS o GROUP BY orders.n"
    assert steps(text)["columns"]["fields"]["twice"] == "k * 2"


@pytest.mark.parametrize(
    ("key", "written", "place"),
    [
        ("size + 1", "2 * size + 1", "size"),  # twice the size, and one
        ("size + 1", "size + 1 > 2", "size"),
        ("upper(symbol)", "upper(symbol, 1)", "symbol"),
        ("NOT (size > 1)", "NOT (size > 1) IS NULL", "size"),
    ],
)
def test_a_part_that_only_looks_like_a_grouped_expression_is_refused(
    key: str, written: str, place: str
) -> None:
    message, _, found = refused(f"SELECT {key} AS k, {written} AS q FROM trades GROUP BY {key}")
    assert (message, found) == (f"{place} is neither grouped nor a measure.", place)


@pytest.mark.parametrize(
    ("select", "place"),
    [
        ("size AS v, filter(array(1), v -> v > size) AS q", "size"),
        ("size, sum(price) AS v, filter(array(1.0), v -> v > sum(price)) AS q", "sum(price)"),
    ],
)
def test_a_result_is_not_taken_for_a_variable_of_its_name(select: str, place: str) -> None:
    message, hint, found = refused(f"SELECT {select} FROM trades GROUP BY size")
    assert message == "v is a column and a variable of a lambda around it."
    assert (hint, found) == ("Give the variable another name.", place)


def test_in_a_lambda_a_variable_is_not_the_field_of_a_grouped_expression() -> None:
    found = steps(
        "SELECT upper(symbol) AS k, transform(array('a'), symbol -> upper(symbol)) AS q, count() AS n "
        "FROM trades GROUP BY upper(symbol)"
    )
    assert found["columns"]["fields"]["q"] == "transform(array('a'), symbol -> upper(symbol))"


def test_measures_that_nobody_named_have_names_that_nobody_wrote() -> None:
    found = steps(f"SELECT symbol, sum(price) + 1 AS sum, count(*) AS count {KEYED} HAVING max(size) > 1")
    assert found["grouped"]["measures"] == {"sum_2": "sum(price)", "count": "count()", "max": "max(size)"}


def test_parentheses_around_keys() -> None:
    assert step("SELECT symbol, size, count(*) AS n FROM trades GROUP BY (symbol, size)")["by"] == [
        "symbol",
        "size",
    ]


@pytest.mark.parametrize(
    "listed", ["window_start AS s, window_end, count(*) AS n", "window_end, count(*) AS n"]
)
def test_a_field_of_the_window_that_is_left_out_is_told_at_the_select_list(listed: str) -> None:
    text = f"SELECT {listed} FROM TUMBLE(TABLE trades, INTERVAL '1' HOUR) GROUP BY window_start, window_end"
    found = read_sql(text, CATALOG)
    assert found.document is not None
    (told,) = plan_job({"name": "test", **found.document}, CATALOG).problems
    assert (told.message, told.hint) == (
        "Key field window_start can't be dropped.",
        "Keep window_start in the rows, under this name.",
    )
    assert found.located(told) == (7, 7 + len(listed.removesuffix(" AS n")))
    assert steps(f"{text} EMIT FINAL")


def test_with_hides_a_stream_from_its_own_query_only() -> None:
    found = read(
        "CREATE VIEW x AS WITH clicks AS (SELECT * FROM searches WHERE word = 'a') SELECT * FROM clicks; "
        "CREATE SINK y AS SELECT * FROM clicks WITH (topic = 'y'); SELECT * FROM x"
    )
    assert found["outputs"]["y"]["input"] == "clicks"
    assert found["sources"]["clicks"] == {"stream": "clicks"}
    assert found["steps"][found["outputs"]["result"]["input"]]["input"] == "searches"
    own = steps("WITH trades AS (SELECT * FROM trades WHERE price > 1) SELECT symbol FROM trades")
    assert own["columns"]["input"] == "trades_filtered"


def test_views_that_come_later_tell_their_fields() -> None:
    """A join must know which of them both sides have."""
    found = steps(
        f"SELECT s.word, c.user AS clicker FROM searches s JOIN many c ON {WITHIN}; "
        "CREATE VIEW many AS SELECT * FROM clicks WHERE n > 1"
    )
    assert found["columns"]["fields"] == {"word": "word", "clicker": "`c_user`"}


def test_sources_may_come_after_the_queries_that_read_them() -> None:
    found = read("SELECT * FROM t; CREATE SOURCE t FROM STREAM trades WITH (delay = '5s')")
    assert found["sources"] == {"t": {"stream": "trades", "delay": "5s"}}


def test_a_join_before_the_options_of_a_sink() -> None:
    found = read(
        "CREATE SINK s AS SELECT o.id FROM orders o JOIN rates r ON o.currency = r.code WITH (topic = 'x')"
    )
    assert found["outputs"]["s"]["to"] == {"topic": "x"}


def test_comments_are_blanks() -> None:
    text = "SELECT price -- per unit\n FROM trades /* all */ WHERE price > 1 /* why */ AND prize > 2 -- end"
    found = read_sql(text, CATALOG)
    assert found.document is not None
    where = found.document["steps"]["filtered"]["where"]
    assert where.split() == ["price", ">", "1", "AND", "prize", ">", "2"]
    (unknown,) = plan_job({"name": "t", **found.document}, CATALOG).problems
    span = found.located(unknown)
    assert span is not None
    assert text[slice(*span)] == "prize"


def test_time_of_a_joined_row() -> None:
    found = steps(f"SELECT s._time AS seen_at {JOINED} WITH (time = 'left')")
    assert found["columns"]["fields"] == {"seen_at": "_time"}
    table = steps("SELECT o._time AS seen_at FROM orders o JOIN rates r ON o.currency = r.code")
    assert table["columns"]["fields"] == {"seen_at": "_time"}


def test_the_fields_of_using_are_one() -> None:
    found = steps("SELECT *, s.id || 'x' AS y FROM orders o JOIN searches s USING (id)")
    assert found["columns"]["fields"] == {"y": "`s_id` || 'x'"}
    assert (found["columns_2"]["op"], found["columns_2"]["fields"]) == ("drop", ["s_id"])
    both = steps("SELECT id, s.id AS same FROM orders o JOIN searches s USING (id)")
    assert both["columns"]["fields"] == {"id": "id", "same": "`s_id`"}


def test_two_quotes_in_a_text_are_one() -> None:
    """As in every SQL; expressions of documents write it with a backslash."""
    text = "SET 'name' = 'it''s'; SELECT symbol FROM trades WHERE symbol = 'it''s ''A''' AND prize > 1"
    found = read_sql(text, CATALOG)
    assert found.document is not None
    assert found.document["name"] == "it's"
    assert found.document["steps"]["filtered"]["where"] == r"symbol = 'it\'s \'A\'' AND prize > 1"
    (unknown,) = plan_job(found.document, CATALOG).problems
    span = found.located(unknown)
    assert span is not None
    assert text[slice(*span)] == "prize"


def test_values_as_names() -> None:
    assert step("SELECT true AS `true` FROM trades")["fields"] == {"true": "true"}


@pytest.mark.parametrize(
    ("text", "message", "hint", "place"),
    [
        # fields of relations
        (f"SELECT s.url {JOINED}", "s has no field url", "Available", "s.url"),
        (f"SELECT c.word {JOINED}", "c has no field word", "Available", "c.word"),
        (f"SELECT user {JOINED}", "a field of s and of c", "s.user or c.user", "user"),
        (f"SELECT s.word {JOINED} AND user = 'x'", "a field of s and of c", "s.user or c.user", "user"),
        (
            "SELECT word FROM searches s RIGHT JOIN clicks c USING (user)",
            "USING goes with JOIN and LEFT JOIN",
            "Use ON",
            "user",
        ),
        (f"SELECT c._time AS t {JOINED}", "no _time of c", "before the join", "c._time"),
        (
            f"SELECT s.word {JOINED} AND c._time - s._time < INTERVAL '5' SECOND",
            "ON doesn't compare the difference of both times",
            "Use c._time BETWEEN s._time - ",
            "c._time - s._time",
        ),
        (
            "SELECT s.word FROM searches s JOIN clicks c ON s.id = c.search "
            "AND (c._time - s._time) BETWEEN INTERVAL '0' SECOND AND INTERVAL '1' MINUTE",
            "ON doesn't compare the difference of both times",
            "Use c._time BETWEEN s._time - ",
            "(c._time - s._time)",
        ),
        (
            "SELECT o.id FROM orders o JOIN rates r ON o.currency = r.code "
            "AND o._time - r._time > INTERVAL '0' SECOND",
            "not compared in ON",
            "FOR SYSTEM_TIME",
            "o._time - r._time",
        ),
        (
            "SELECT r._offset AS o FROM orders o JOIN rates r ON o.currency = r.code",
            "no _offset of r",
            "before the join",
            "r._offset",
        ),
        (
            f"SELECT s.word {JOINED} JOIN trades t ON s.id = t.symbol AND t._time >= c._time "
            "AND t._time <= c._time + INTERVAL '1' MINUTE",
            "a time of their own, not that of c",
            "Make the first join a view",
            "c._time",
        ),
        (
            f"SELECT s.word {JOINED} JOIN rates FOR SYSTEM_TIME AS OF s._time AS r ON s.word = r.code",
            "a time of their own, not that of s",
            "Make the first join a view",
            "s._time",
        ),
        (
            f"SELECT s.word {JOINED} JOIN trades t ON user = t.symbol",
            "a field of s and of c",
            "s.user or c.user",
            "user",
        ),
        (
            f"SELECT s.word {JOINED} JOIN trades t ON s.url = t.symbol",
            "s has no field url",
            "Available",
            "s.url",
        ),
        (
            "SELECT filter(array(orders), o -> o.amount > 1) AS x FROM orders o",
            "a variable of a lambda",
            "another name",
            "o",
        ),
        ("SELECT price + size FROM trades AS price", "has no name", "AS total", "size"),
        # results
        (f"SELECT symbol || '!', count(*) AS n {KEYED}", "has no name", "AS ratio", "symbol || '!'"),
        (f"SELECT price || '!', count(*) AS n {KEYED}", "price is neither grouped", "GROUP BY", "price"),
        (
            "SELECT symbol, count(*) AS n FROM trades GROUP BY upper(symbol)",
            "symbol is neither",
            "key1",
            "symbol",
        ),
        (
            f"SELECT symbol, sum(size) AS price, trades.price + 1 AS y {KEYED}",
            "price is neither grouped",
            "Add it to GROUP BY",
            "trades.price",
        ),
        (
            f"SELECT symbol, sum(price) + 1 AS sum {KEYED} HAVING sum > 10",
            "computed after HAVING",
            "Repeat its expression",
            "sum",
        ),
        (
            f"SELECT symbol, count(*) AS n {KEYED} HAVING price > 1",
            "price is neither grouped",
            "GROUP BY",
            "price",
        ),
        (
            "SELECT symbol AS k, size AS k, count(*) AS n FROM trades GROUP BY symbol, size",
            "twice",
            "AS",
            "s",
        ),
        (f"SELECT symbol, sum(DISTINCT price) AS s {KEYED}", "goes with count only", "DEDUPL", "DISTINCT"),
        (f"SELECT symbol, count(DISTINCT price, 5) AS s {KEYED}", "takes one expression", "||", "count"),
        ("SELECT symbol, count(*) AS n FROM trades GROUP BY ALL", "aren't available", "List", "ALL"),
        (
            "SELECT symbol, count(*) AS n FROM trades GROUP BY ROLLUP (symbol)",
            "aren't available",
            "List",
            "ROLLUP",
        ),
        ("SELECT sum(price) OVER (PARTITION BY symbol) AS s FROM trades", "OVER", "top_rows", "OVER"),
        # star
        ("SELECT * EXCEPT (price), price * 2 AS price FROM trades", "leaves out", "REPLACE", "price * 2"),
        ("SELECT * REPLACE (price AS prize) FROM trades", "no field prize", "AS prize", "price"),
        ("SELECT * RENAME (price AS p, price AS q) FROM trades", "given twice", "Remove", "price"),
        ("SELECT * EXCEPT (price, price) FROM trades", "given twice", "Remove", "price"),
        ("SELECT * EXCEPT (price) REPLACE (size AS price) FROM trades", "given twice", "Remove", "price"),
        # unions
        (
            "SELECT symbol, price FROM trades UNION ALL SELECT price, symbol FROM trades WHERE size > 1",
            "in another order",
            "BY NAME",
            "SELECT",
        ),
        ("SELECT symbol FROM trades UNION (SELECT symbol FROM trades)", "without duplicates", "ALL", "UNION"),
        ("SELECT id FROM searches INTERSECT SELECT id FROM orders", "INTERSECT", "SEMI", "INTERSECT"),
        ("SELECT id FROM searches EXCEPT SELECT id FROM orders", "EXCEPT", "ANTI", "EXCEPT"),
        ("SELECT id FROM searches WHERE id > '' EXCEPT SELECT id FROM orders", "EXCEPT", "ANTI", "EXCEPT"),
        (
            "SELECT symbol, price FROM trades UNION ALL SELECT id, amount FROM orders",
            "called otherwise than those of the first query: symbol, price",
            "those names with AS",
            "SELECT",
        ),
        # joins
        (
            "SELECT s.word FROM searches s JOIN (SELECT id, currency FROM orders) ON s.id = id",
            "id is a field of s and of the query in parentheses.",
            "Write s.id. Give the query in parentheses an alias, (SELECT …) AS q, for q.id.",
            "id",
        ),
        ("SELECT * FROM searches NATURAL JOIN clicks", "NATURAL joins", "with ON", "NATURAL"),
        ("SELECT * FROM searches SEMI JOIN clicks ON id = search", "SEMI joins", "LEFT SEMI", "SEMI"),
        ("SELECT * FROM searches ASOF JOIN clicks ON id = search", "ASOF joins", "with ON", "ASOF"),
        (
            "SELECT count(*) AS n FROM TUMBLE(TABLE searches, INTERVAL '1' MINUTE) s JOIN clicks c "
            f"ON {WITHIN}",
            "Windows don't go with JOIN",
            "Join first",
            "JOIN",
        ),
        (
            "SELECT o.id FROM orders o JOIN rates FOR SYSTEM_TIME AS OF o._time - INTERVAL '1' HOUR AS r "
            "ON o.currency = r.code",
            "isn't the event time",
            "orders._time",
            "o._time - INTERVAL '1' HOUR",
        ),
        (
            "SELECT o.id FROM orders o JOIN rates FOR SYSTEM_TIME AS OF x._time AS r ON o.currency = r.code",
            "isn't the event time",
            "orders._time",
            "x._time",
        ),
        # windows that nothing names
        (
            "SELECT symbol, count(*) AS n FROM TUMBLE(TABLE trades, INTERVAL '1' MINUTE) GROUP BY symbol "
            "EMIT FINAL",
            "The window is neither grouped nor selected.",
            "GROUP BY window_start, window_end",
            "symbol",
        ),
        (
            "SELECT count(*) AS n FROM SESSION(TABLE trades, INTERVAL '1' MINUTE) EMIT FINAL",
            "The window is neither grouped nor selected.",
            "GROUP BY window_start, window_end",
            "SELECT",
        ),
        # windows in other functions
        (
            "SELECT symbol, count(*) AS n FROM DEDUPLICATE(TABLE TUMBLE(TABLE trades, INTERVAL '1' MINUTE), "
            "by => (symbol), within => INTERVAL '1' HOUR) GROUP BY symbol",
            "A window is the outermost table function",
            "Put it around the others",
            "TUMBLE",
        ),
        (
            "SELECT count(*) AS n FROM HOP(TABLE SESSION(TABLE trades, INTERVAL '1' MINUTE), "
            "INTERVAL '1' MINUTE, INTERVAL '1' HOUR)",
            "A window is the outermost table function",
            "a query each",
            "SESSION",
        ),
        (
            "CREATE VIEW v AS SELECT * FROM SAMPLE(TABLE TUMBLE(TABLE trades, INTERVAL '1' MINUTE), 0.1)",
            "A window is the outermost table function",
            "Put it around the others",
            "TUMBLE",
        ),
        # subqueries
        ("SELECT * FROM trades WHERE price IN (SELECT rate FROM rates)", "Queries inside", "SEMI", "SELECT"),
        ("SELECT * FROM trades WHERE NOT EXISTS (SELECT 1 FROM rates)", "Queries inside", "ANTI", "SELECT"),
        # what would be cut off
        ("SELECT symbol FROM trades OFFSET 5", "no end", "top_rows", "OFFSET"),
        ("SELECT symbol FROM trades WHERE price > 1 OFFSET 5", "no end", "top_rows", "OFFSET"),
        ("SELECT symbol FROM trades FETCH FIRST 5 ROWS ONLY", "no end", "top_rows", "FETCH"),
        ("SELECT symbol FROM trades TABLESAMPLE (10 PERCENT)", "TABLESAMPLE", "SAMPLE(", "TABLESAMPLE"),
        # arguments
        (
            "SELECT count(*) AS n FROM TUMBLE(TABLE trades, INTERVAL '1' MINUTE, size => INTERVAL '1' HOUR)",
            "size is given twice",
            "Remove",
            "INTERVAL '1' HOUR",
        ),
        (
            "SELECT * FROM CAST(TABLE trades, fields => (price AS int, price AS long))",
            "price is given twice",
            "Remove",
            "price",
        ),
        (
            "SELECT * FROM BRANCH(TABLE trades, branches => (price > 1 AS a, price > 2 AS a))",
            "a is given twice",
            "Remove",
            "a",
        ),
        (
            "CREATE SINK s AS SELECT * FROM trades WITH (topic = 'x', names = (price = 'p', price = 'q'))",
            "price is given twice",
            "Remove",
            "price",
        ),
        (
            "SELECT count(*) AS n FROM TUMBLE(TABLE trades, DESCRIPTOR(at) - INTERVAL '1' HOUR, '1m')",
            "Unexpected -",
            "",
            "-",
        ),
        (
            "CREATE SINK s AS SELECT * FROM trades WITH (topic = 'x', names = (price = 'p\\d'))",
            "\\d isn't an escape",
            "write \\\\d",
            "\\d",
        ),
        ("SELECT * FROM SAMPLE(TABLE trades, 1e999)", "too large", "", "1e999"),
        (f"SELECT * FROM SAMPLE(TABLE trades, {'1' * 5000})", "too large", "", "1"),
        # names
        ("SELECT * FROM trades WHERE \"symbol\" = 'A'", "Double quotes", "backticks", '"symbol"'),
        ('SELECT "symbol" AS s FROM trades', "Double quotes", "backticks", '"symbol"'),
        ("SELECT from, price FROM trades", "Expected an expression, got from", "backticks", "from"),
        ("SELECT t.from FROM trades t", "Expected a name behind the dot, got from", "backticks", "from"),
        ("SELECT * FROM trades WHERE limit > 1", "Expected a condition, got limit", "backticks", "limit"),
        (
            "CREATE MATERIALIZED VIEW live AS SELECT * FROM trades; "
            "CREATE SINK s AS SELECT * FROM live WITH (topic = 'x')",
            "an output of this job",
            "CREATE VIEW",
            "live",
        ),
        (
            "CREATE VIEW x AS WITH big AS (SELECT * FROM trades WHERE price > 1) SELECT * FROM big; "
            "SELECT * FROM big",
            "Only the query that defines big",
            "CREATE VIEW big",
            "big",
        ),
    ],
)
def test_what_would_mean_something_else_is_refused(text: str, message: str, hint: str, place: str) -> None:
    told, remedy, where = refused(text)
    assert message in told
    assert hint in remedy
    assert where.startswith(place)


def test_a_setting_of_many_digits_is_a_problem_of_the_setting() -> None:
    found = read_sql(f"SET 'retention' = '{'1' * 5000}'; SELECT * FROM trades", CATALOG)
    assert found.document is not None
    codes = [problem.path for problem in plan_job({"name": "t", **found.document}, CATALOG).problems]
    assert ("settings", "retention") in codes


@pytest.mark.parametrize(
    ("join", "place"),
    [
        ("JOIN m ON s.id = m.id AND m.at BETWEEN s._time AND s._time + INTERVAL '1' HOUR", "s._time"),
        (
            "LEFT ANTI JOIN m ON s.id = m.id AND m.at >= s._time AND m.at < s._time + INTERVAL '1' HOUR",
            "s._time",
        ),
    ],
)
def test_a_field_that_may_be_null_is_no_event_time_of_a_join(join: str, place: str) -> None:
    """Where it is null, `_time` is the Kafka timestamp: the record matched by it, which null never does."""
    times = {"kind": "field", "field": "at", "on_missing": "kafka_timestamp"}
    loose = contract({"id": "string", "at": "timestamp"}, event_time=times)
    text = f"SELECT s.id AS a FROM searches s {join}"
    (found, *_) = read_sql(text, {**CATALOG, "m": loose}).problems
    assert found.span is not None
    assert text[slice(*found.span)] == place
    strict = contract({"id": "string", "at": "timestamp"}, event_time={**times, "on_missing": "malformed"})
    assert not read_sql(text, {**CATALOG, "m": strict}).problems


def test_an_alias_that_is_also_a_field_is_one_thing_in_a_query() -> None:
    """ON took customer.id for the relation's field, WHERE for a member of its field customer."""
    fields = {"id": "string", "customer": "struct<id:string,name:string>"}
    text = (
        "SELECT k.url AS url FROM clicks k JOIN customer ON k.search = customer.id WHERE customer.id <> 'x'"
    )
    (found, *_) = read_sql(text, {**CATALOG, "customer": contract(fields)}).problems
    assert found.span is not None
    assert text[slice(*found.span)] == "k.search = customer.id"
    assert "another alias" in found.hint


def test_brackets_in_texts_enclose_nothing() -> None:
    """Between them, OR was not seen, and one side of it became a key."""
    text = (
        "SELECT s.word FROM searches s JOIN clicks c ON s.id = c.search AND c.url LIKE '(' "
        "OR c.n > 1 AND c.url LIKE ')'"
    )
    found = read(text)["steps"]["joined"]
    assert not found["on"]
    assert found["where"] == "id = search AND url LIKE '(' OR n > 1 AND url LIKE ')'"
    bounded = steps(
        "SELECT s.word FROM searches s JOIN clicks c ON s.id = c.search AND c.url <> '(' "
        "AND c._time BETWEEN s._time AND s._time + INTERVAL '1' MINUTE"
    )["joined"]
    assert (bounded["on"], bounded["where"]) == ({"id": "search"}, "url <> '('")
    assert bounded["between"] == {"before": "0s", "after": "1m"}


@pytest.mark.parametrize("name", ["case", "end", "or", "and", "between"])
def test_fields_called_like_words_that_connect_conditions_connect_nothing(name: str) -> None:
    odd = contract({"id": "string", name: "string"})
    text = (
        f"SELECT a.id AS x FROM a JOIN b ON a.{name} = b.{name} AND a.id = b.id "
        "AND b._time BETWEEN a._time AND a._time + INTERVAL '1' MINUTE"
    )
    catalog = {"a": odd, "b": odd}
    found = read_sql(text, catalog)
    assert not found.problems, found.problems
    assert found.document is not None
    assert found.document["steps"]["joined"]["on"] == {name: name, "id": "id"}
    assert plan_job({"name": "t", **found.document}, catalog).ok


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "SELECT t.true AS a, t.case || 'x' AS b, t.interval + 1 AS c FROM t WHERE t.true",
            {
                "filtered": {"where": "`true`"},
                "columns": {"fields": {"a": "`true`", "b": "`case` || 'x'", "c": "`interval` + 1"}},
            },
        ),
        (
            "SELECT t.`true` AS a, t.null, t.id FROM t",
            {"columns": {"fields": {"a": "`true`", "null": "`null`", "id": "id"}}},
        ),
        (
            "SELECT t.case, t.true, count(*) AS n FROM t GROUP BY t.case, t.true",
            {"grouped": {"by": ["case", "true"], "measures": {"n": "count()"}}},
        ),
        (
            "SELECT t.id, max(t.null) AS m, sum(t.interval) FILTER (WHERE t.true) AS s FROM t GROUP BY t.id",
            {
                "grouped": {
                    "by": ["id"],
                    "measures": {"m": "max(`null`)", "s": "sum(`interval`) where `true`"},
                }
            },
        ),
        (
            "SELECT o.*, t.null + 1 AS more FROM u o JOIN t ON o.w = t.id "
            "AND t._time BETWEEN o._time AND o._time",
            {"columns": {"fields": {"w": "w", "true": "`true`", "case": "`case`", "more": "`null` + 1"}}},
        ),
    ],
)
def test_a_field_called_like_a_word_stays_a_field_without_its_alias(
    text: str, expected: dict[str, Any]
) -> None:
    words = contract({"id": "string", "true": "boolean", "case": "string", "interval": "int", "null": "int"})
    catalog = {"t": words, "u": contract({"w": "string", "true": "boolean", "case": "string"})}
    found = read_sql(text, catalog)
    assert not found.problems, found.problems
    assert found.document is not None
    plan = plan_job({"name": "t", **found.document}, catalog)
    assert all(one.code == "STATE_UNBOUNDED" for one in plan.problems), plan.problems
    made = found.document["steps"]
    assert {step: {part: made[step][part] for part in parts} for step, parts in expected.items()} == expected


def test_a_constant_is_no_field_of_its_name() -> None:
    catalog = {"t": contract({"true": "boolean", "id": "string"})}
    found = read_sql("SELECT t.true, true AS always, count(*) AS n FROM t GROUP BY t.true, true", catalog)
    assert found.document is not None
    assert found.document["steps"]["grouped"]["by"] == {"true": "`true`", "always": "true"}


@pytest.mark.parametrize(
    ("select", "having", "hint", "mended"),
    [
        (
            "symbol || 'x' AS q",
            "",
            "Select its key under a name that no field has, and use that: upper(symbol) AS key1.",
            ("upper(symbol) AS key1, key1 || 'x' AS q", ""),
        ),
        (
            "upper(symbol) AS symbol",
            "HAVING lower(symbol) = 'a'",
            "Select its key under a name that no field has, and use that: upper(symbol) AS key1.",
            ("upper(symbol) AS key1", "HAVING lower(key1) = 'a'"),
        ),
        (
            "upper(symbol) AS k",
            "HAVING lower(symbol) = 'a'",
            "Use the name of its key: k instead of upper(symbol).",
            ("upper(symbol) AS k", "HAVING lower(k) = 'a'"),
        ),
    ],
)
def test_the_hint_at_a_part_of_a_key_keeps_the_groups(
    select: str, having: str, hint: str, mended: tuple[str, str]
) -> None:
    """Grouping by the field, too, would make other groups."""
    text = (
        "SELECT window_start, window_end, {}, count(*) AS n FROM TUMBLE(TABLE trades, INTERVAL '1' MINUTE) "
        "GROUP BY window_start, window_end, upper(symbol) {}"
    )
    message, remedy, place = refused(text.format(select, having))
    assert (message, remedy, place) == ("symbol is neither grouped nor a measure.", hint, "symbol")
    assert list(steps(text.format(*mended))["grouped"]["by"].values()) == ["upper(symbol)"]


@pytest.mark.parametrize(
    ("text", "step", "where"),
    [
        (
            "SELECT id, max(v) AS m FROM ev GROUP BY id "
            "HAVING max(timestamp) > timestamp '2026-01-01T00:00:00Z'",
            "having",
            "max > timestamp '2026-01-01T00:00:00Z'",
        ),
        (
            "SELECT id, date AS d, count(*) AS n FROM ev GROUP BY id, date HAVING date > date '2026-01-01'",
            "having",
            "d > date '2026-01-01'",
        ),
        (
            "SELECT id, interval AS i, count(*) AS n FROM ev GROUP BY id, interval "
            "HAVING interval > 1 AND max(timestamp) - min(timestamp) > interval -5 minute",
            "having",
            "i > 1 AND max - min > interval -5 minute",
        ),
        (
            "SELECT a.id AS x FROM ev a JOIN other b ON a.id = b.id AND b.date > date '2026-01-01' "
            "AND a.timestamp > timestamp '2026-01-01T00:00:00Z' AND b._time BETWEEN a._time AND a._time",
            "joined",
            "`b_date` > date '2026-01-01' AND `timestamp` > timestamp '2026-01-01T00:00:00Z'",
        ),
    ],
)
def test_a_typed_literal_is_no_field_of_its_types_name(text: str, step: str, where: str) -> None:
    fields = {"id": "string", "v": "int", "timestamp": "timestamp", "date": "date", "interval": "int"}
    catalog = {"ev": contract(fields), "other": contract(fields)}
    found = read_sql(text, catalog)
    assert not found.problems, found.problems
    assert found.document is not None
    assert found.document["steps"][step]["where"] == where
    plan = plan_job({"name": "t", **found.document}, catalog)
    assert all(one.code == "STATE_UNBOUNDED" for one in plan.problems), plan.problems


LISTS = {"t": contract({"xs": "array<int>", "x": "int", "sum": "int"})}


@pytest.mark.parametrize(
    ("expression", "place"),
    [
        ("transform(t.xs, x -> x * t.x)", "t.x"),
        ("exists(t.xs, x -> x > t.x)", "t.x"),
        ("reduce(t.xs, 0, (sum, e) -> sum + e * t.sum)", "t.sum"),
        ("transform(t.xs, x -> x + reduce(t.xs, 0, (a, b) -> a + b * t.x))", "t.x"),
        ("transform(t.xs, x -> reduce(t.xs, 0, (a, x) -> a + x) + t.x)", "t.x"),
    ],
)
def test_a_field_is_no_variable_of_a_lambda(expression: str, place: str) -> None:
    """Without its alias it was taken for the variable."""
    text = f"SELECT {expression} AS y FROM t"
    (found,) = read_sql(text, LISTS).problems
    assert found.span is not None
    assert (text[slice(*found.span)], found.hint) == (place, "Give the variable another name.")


def test_variables_of_lambdas_hide_nothing_outside_of_them() -> None:
    text = "SELECT transform(t.xs, e -> e * t.x) AS y, exists(t.xs, x -> x > 1) AND t.x > 1 AS z FROM t"
    found = read_sql(text, LISTS)
    assert not found.problems
    assert found.document is not None
    assert found.document["steps"]["columns"]["fields"] == {
        "y": "transform(xs, e -> e * x)",
        "z": "exists(xs, x -> x > 1) AND x > 1",
    }


def test_two_equals_signs_are_one() -> None:
    found = steps("SELECT s.word FROM searches s JOIN clicks c ON s.id == c.search")
    assert found["joined"]["on"] == {"id": "search"}


@pytest.mark.parametrize("moment", ["o._time", "_time", "o._time AS r", "o._time r"])
@pytest.mark.parametrize("condition", ["ON o.currency = {}.code", "USING (code)"])
def test_the_time_of_a_table_may_be_a_plain_field(moment: str, condition: str) -> None:
    """The field was taken for an alias before ON."""
    table = "r" if moment.endswith("r") else "rates"
    orders = "orders" if "ON" in condition else "(SELECT *, currency AS code FROM orders)"
    found = read(
        f"SELECT o.id, {table}.rate FROM {orders} AS o JOIN rates FOR SYSTEM_TIME AS OF {moment} "
        + condition.format(table)
    )
    (joined,) = [step for step in found["steps"].values() if step["op"] == "table_join"]
    assert joined["version"] == "as_of"


def test_equal_event_times_are_a_bound_of_time() -> None:
    found = read("SELECT a.id, b.n FROM searches a JOIN clicks b ON a.id = b.search AND b._time = a._time")
    (joined,) = [step for step in found["steps"].values() if step["op"] == "join"]
    assert (joined["on"], joined["between"]) == ({"id": "search"}, {"before": "0s", "after": "0s"})
    other = (
        "SELECT a.id, b.n FROM searches a JOIN clicks b ON a.id = b.search AND b._offset = a._offset AND {}"
    )
    message, _, _ = refused(other.format("b._time BETWEEN a._time AND a._time + INTERVAL '1' MINUTE"))
    assert "_offset" in message
