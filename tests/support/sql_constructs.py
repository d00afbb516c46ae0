"""The page docs/reference/sql-constructs.md: each construct of SQL with its names in Flink SQL and ksqlDB.

``python -m tests.support.sql_constructs docs/reference/sql-constructs.md`` writes it.
"""

import sys
from pathlib import Path
from typing import Final, NamedTuple

from tests.support.plan_helpers import contract

CATALOG: Final = {
    "trades": contract({"symbol": "string", "price": "double", "size": "int", "tags": "array<string>"}),
    "orders": contract({"symbol": "string", "amount": "int"}),
    "rates": contract({"symbol": "string!", "rate": "double"}, kind="table", key=("symbol",)),
}
"""What the examples read."""


class Construct(NamedTuple):
    """A construct.

    Attributes:
        title: what it does.
        flink: how Flink SQL says it; empty: not at all.
        ksqldb: the same of ksqlDB.
        example: a whole job; empty where there is no such thing here.
        instead: what to use where there is no such thing here, or what differs.
    """

    title: str
    flink: str
    ksqldb: str
    example: str
    instead: str = ""


def _windowed(window: str, emit: str = "CHANGES") -> str:
    return (
        f"SELECT window_start, window_end, symbol, count(*) AS n\nFROM {window}\n"
        f"GROUP BY window_start, window_end, symbol\nEMIT {emit};"
    )


CONSTRUCTS: Final = (
    Construct(
        "Tumbling window",
        "TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTES)",
        "WINDOW TUMBLING (SIZE 1 MINUTE)",
        _windowed("TUMBLE(TABLE trades, INTERVAL '1' MINUTE)"),
        "`DESCRIPTOR(ts)` may be said; the event time is that of the stream's contract.",
    ),
    Construct(
        "Hopping window",
        "HOP(TABLE t, DESCRIPTOR(ts), slide, size)",
        "WINDOW HOPPING (SIZE 1 MINUTE, ADVANCE BY 10 SECONDS)",
        _windowed("HOP(TABLE trades, INTERVAL '10' SECOND, INTERVAL '1' MINUTE)"),
    ),
    Construct(
        "Session window",
        "SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), gap)",
        "WINDOW SESSION (10 MINUTES)",
        _windowed("SESSION(TABLE trades, INTERVAL '10' MINUTE)", "FINAL"),
        "The keys are those of `GROUP BY`. Results come once, when the session has ended.",
    ),
    Construct(
        "The last hour of each row",
        "OVER (… RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW)",
        "",
        _windowed("SLIDE(TABLE trades, INTERVAL '1' HOUR)", "FINAL"),
    ),
    Construct(
        "Local days, weeks, months",
        "",
        "",
        _windowed("CALENDAR(TABLE trades, unit => 'day', zone => 'Europe/Berlin')"),
    ),
    Construct(
        "Cumulating window",
        "CUMULATE(TABLE t, DESCRIPTOR(ts), step, size)",
        "",
        "",
        "`TUMBLE` with `EMIT CHANGES` shows the running total of a window.",
    ),
    Construct(
        "Time for late rows",
        "by the watermark of the table",
        "GRACE PERIOD 5 SECONDS",
        _windowed("TUMBLE(TABLE trades, INTERVAL '1' MINUTE, grace => INTERVAL '5' SECOND)", "FINAL"),
    ),
    Construct(
        "When results come",
        "once, for window functions",
        "EMIT CHANGES, EMIT FINAL",
        _windowed("TUMBLE(TABLE trades, INTERVAL '1' MINUTE)", "FINAL"),
        "`EMIT CHANGES` gives results on every update, `EMIT FINAL` once, when the window closes.",
    ),
    Construct(
        "Join of two streams in time",
        "AND o.ts BETWEEN t.ts AND t.ts + INTERVAL '1' MINUTE",
        "JOIN … WITHIN 1 MINUTE ON …",
        "SELECT t.symbol AS symbol, t.price AS price, o.amount AS amount\n"
        "FROM trades AS t\nJOIN orders AS o\n"
        "ON t.symbol = o.symbol AND o._time BETWEEN t._time AND t._time + INTERVAL '1' MINUTE;",
    ),
    Construct(
        "Table at a row's time",
        "FOR SYSTEM_TIME AS OF t.ts, with a versioned table",
        "",
        "SELECT t.symbol AS symbol, t.price * r.rate AS price\nFROM trades AS t\n"
        "JOIN rates FOR SYSTEM_TIME AS OF t._time AS r ON t.symbol = r.symbol;",
    ),
    Construct(
        "Table as it is now",
        "lookup join: FOR SYSTEM_TIME AS OF t.proctime",
        "JOIN of a stream with a table",
        "SELECT t.symbol AS symbol, t.price * r.rate AS price\nFROM trades AS t\n"
        "JOIN rates FOR SYSTEM_TIME AS OF PROCTIME() AS r ON t.symbol = r.symbol;",
    ),
    Construct(
        "One row per key and time",
        "ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) = 1",
        "",
        "SELECT * FROM DEDUPLICATE(TABLE trades, by => (symbol), within => INTERVAL '1' HOUR);",
    ),
    Construct(
        "Newest row per key",
        "ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) = 1",
        "LATEST_BY_OFFSET(field), per field",
        "SELECT * FROM LATEST(TABLE trades, by => (symbol));",
    ),
    Construct(
        "First n rows of a group",
        "ROW_NUMBER() OVER (…) <= 10",
        "TOPK(field, 10), of one field",
        "SELECT symbol, top_rows(10, by price, [price, size]) AS best\nFROM trades\nGROUP BY symbol;",
    ),
    Construct(
        "Array to rows",
        "CROSS JOIN UNNEST(tags)",
        "EXPLODE(tags) in SELECT",
        "SELECT * FROM EXPLODE(TABLE trades, field => tags, as => tag);",
    ),
    Construct(
        "Result to look at",
        "a sink table",
        "CREATE TABLE … AS SELECT",
        "CREATE MATERIALIZED VIEW live AS\nSELECT symbol, count(*) AS n FROM trades GROUP BY symbol;",
    ),
    Construct(
        "Result to a topic",
        "INSERT INTO a table with the Kafka connector",
        "CREATE STREAM … WITH (kafka_topic = …) AS SELECT",
        "CREATE VIEW positive AS\nSELECT * FROM trades WHERE price > 0;\n\n"
        "CREATE MATERIALIZED VIEW live AS\nSELECT * FROM positive;\n\n"
        "CREATE SINK copies AS\nSELECT * FROM positive\nWITH (topic = 'prices', format = 'json');",
        "A job has a live result beside its topics.",
    ),
)


def page() -> str:
    """The page as Markdown."""
    lines = [
        "# SQL beside Flink SQL and ksqlDB",
        "",
        "What each construct is called there, and here as a whole job. The page is written from",
        "`tests/support/sql_constructs.py`; a test plans each example. Clauses: docs/reference/sql.md.",
        "",
    ]
    for one in CONSTRUCTS:
        lines += [f"## {one.title}", ""]
        lines += ["| Flink SQL | ksqlDB |", "|---|---|", f"| {_name(one.flink)} | {_name(one.ksqldb)} |", ""]
        lines += (
            ["```sql", *one.example.split("\n"), "```", ""] if one.example else ["Not available here.", ""]
        )
        lines += [one.instead, ""] if one.instead else []
    lines += [
        "Sources: Flink 2 documentation, *Windowing table-valued functions*, *Joins*, *Deduplication*,",
        "*Top-N* (nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sql/queries); ksqlDB reference",
        "(docs.ksqldb.io/en/latest/developer-guide/ksqldb-reference).",
    ]
    return "\n".join(lines) + "\n"


def _name(text: str) -> str:
    if not text:
        return "not available"
    return f"`{text}`" if text.split(" ")[0].rstrip("(").isupper() or "(" in text else text


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
