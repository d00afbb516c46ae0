"""Writes many rows of results with few statements: of thousands a second, what Django's models and their SQL
cost would be most of the work.
"""

from collections.abc import Iterable
from itertools import chain
from typing import Any, Final

from django.db import connections

from weir.results.models import ALIAS, ResultRow

RowValues = tuple[Any, ...]

COLUMNS: Final = tuple(field.attname for field in ResultRow._meta.concrete_fields if not field.primary_key)
"""The order of a row's values: job, generation and digest, and then as in `ResultRecord`."""
_KEY: Final = ("job_id", "generation", "digest")
_STAGING: Final = "staged_result_rows"


def upsert(rows: Iterable[RowValues]) -> None:
    """Insert rows, or replace what is stored of the same key. The caller holds the transaction.

    Args:
        rows: in the order of `COLUMNS`, at most one of each key.
    """
    remaining = iter(rows)
    first = next(remaining, None)
    if first is None:
        return
    write = _copy if connections[ALIAS].vendor == "postgresql" else _insert
    write(chain((first,), remaining))


def _insert(rows: Iterable[RowValues]) -> None:
    """One prepared statement, which SQLite executes for each row."""
    values = ", ".join(["%s"] * len(COLUMNS))
    with connections[ALIAS].cursor() as cursor:
        statement = f"INSERT INTO {_table()} ({_names()}) VALUES ({values}) {_on_conflict()}"
        cursor.executemany(statement, list(rows))


def _copy(rows: Iterable[RowValues]) -> None:
    """Stream the rows into a table of this session, and from there with one statement."""
    connection = connections[ALIAS]
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE TEMPORARY TABLE IF NOT EXISTS {_STAGING} ON COMMIT DELETE ROWS AS"
            f" SELECT {_names()} FROM {_table()} WITH NO DATA"
        )
        cursor.execute(f"DELETE FROM {_STAGING}")  # of an earlier call in the same transaction
        # Django knows nothing of COPY: its errors would be psycopg's own, which nobody expects.
        copying = cursor.copy(f"COPY {_STAGING} ({_names()}) FROM STDIN")
        with connection.wrap_database_errors, copying as copy:
            for row in rows:
                copy.write_row(row)
        cursor.execute(
            f"INSERT INTO {_table()} ({_names()}) SELECT {_names()} FROM {_STAGING} {_on_conflict()}"
        )


def _on_conflict() -> str:
    key = ", ".join(map(_quoted, _KEY))
    changed = (_quoted(name) for name in COLUMNS if name not in (*_KEY, "key"))
    return f"ON CONFLICT ({key}) DO UPDATE SET {', '.join(f'{name} = EXCLUDED.{name}' for name in changed)}"


def _names() -> str:
    return ", ".join(map(_quoted, COLUMNS))


def _table() -> str:
    return _quoted(ResultRow._meta.db_table)


def _quoted(name: str) -> str:
    return f'"{name}"'
