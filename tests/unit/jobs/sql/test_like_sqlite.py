"""What Weir plans of random SQL means what it means for SQLite; what SQLite refuses, Weir refuses."""

import os
import sqlite3
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

from jobs.plan import plan_job
from jobs.sql import read_sql
from tests.support.plan_helpers import contract
from tests.support.random_sql import TABLES, TEXTS, RandomSql
from tests.support.sql_steps import answer

MANY = int(os.environ.get("WEIR_RANDOM_SQL_TEXTS", "300"))
SEED = int(os.environ.get("WEIR_RANDOM_SEED", "5"))
CONTRACTS = {
    table: contract({name: "string" if name in TEXTS else "long" for name in fields})
    for table, fields in TABLES.items()
}


def rows_of(table: str) -> Iterator[dict[str, Any]]:
    """Some of all combinations of few values, null among them."""
    values = [("a", "Ab", "", None) if name in TEXTS else (0, 1, 2, None) for name in TABLES[table]]
    for at, row in enumerate(product(*values)):
        if at % 5 == len(table + TABLES[table][-1]) % 5:
            yield dict(zip(TABLES[table], row, strict=True))


ROWS = {table: list(rows_of(table)) for table in TABLES}


def database() -> sqlite3.Connection:
    """The tables in SQLite, with LIKE as in Weir."""
    found = sqlite3.connect(":memory:")
    found.execute("PRAGMA case_sensitive_like = ON")
    for table, fields in TABLES.items():
        types = ", ".join(f"{name} {'TEXT' if name in TEXTS else 'INTEGER'}" for name in fields)
        found.execute(f"CREATE TABLE {table} ({types})")
        marks = ", ".join("?" * len(fields))
        found.executemany(
            f"INSERT INTO {table} VALUES ({marks})", [tuple(row.values()) for row in ROWS[table]]
        )
    return found


def test_random_queries_mean_what_they_mean_for_sqlite() -> None:
    like = database()
    planned = 0
    for number in range(MANY):
        drawn = RandomSql(SEED * 1_000_000 + number)
        text = drawn.query()
        found = read_sql(text, CONTRACTS)
        if found.problems or found.document is None:
            continue
        plan = plan_job({"name": "t", **found.document}, CONTRACTS)
        if not plan.ok:
            continue
        planned += 1
        plain = text
        for written, other in drawn.others.items():
            plain = plain.replace(written, other)
        try:
            expected = Counter(like.execute(plain).fetchall())
        except sqlite3.Error as error:
            raise AssertionError((number, text, found.document["steps"])) from error
        rows = [tuple(row.values()) for row in answer(plan, found.document, ROWS)]
        assert Counter(rows) == expected, (number, text, found.document["steps"])
    assert planned > MANY / 3
