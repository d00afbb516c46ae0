"""The database backend: what `ENGINE` names.

Django stores a `JSONField` as `jsonb`. That sorts the keys of an object, and refuses an escaped NUL. In a
job document the order of keys has a meaning (of branches the first that matches takes the row, and columns
come in their order), and records of users may contain anything. So JSON is stored as `json`, which keeps the
text. `jsonb` columns of an earlier version are read and written, too, until they are migrated.

A server that was restarted leaves a pool of dead connections. One that is found dead is replaced, with all
the others, before anybody uses it. And one that a thread took to its end goes back.
"""

import json
from typing import Any, Final

from django.db.backends.postgresql import base
from django.db.backends.postgresql.operations import DatabaseOperations
from django.db.backends.postgresql.schema import DatabaseSchemaEditor
from psycopg import OperationalError
from psycopg.types.string import TextLoader
from psycopg_pool import ConnectionPool

_COMPARING: Final = frozenset({"exact", "in"})


class Operations(DatabaseOperations):
    """Writes and compares JSON."""

    def adapt_json_value(self, value: Any, encoder: Any) -> str:
        """The text, without a type: it becomes whatever it is written to or compared with."""
        return json.dumps(value, cls=encoder)

    def lookup_cast(self, lookup_type: str, internal_type: str | None = None) -> str:
        """Values of JSON are compared as `jsonb`, because `json` has no equality."""
        if internal_type == "JSONField" and lookup_type in _COMPARING:
            return "(%s)::jsonb"
        return super().lookup_cast(lookup_type, internal_type)


class SchemaEditor(DatabaseSchemaEditor):
    """Changes tables for as long as it takes: an index over all results is not made in the time that a query
    of a page may take. The limit of waiting for a lock stays.
    """

    def __enter__(self) -> "SchemaEditor":
        editor: SchemaEditor = super().__enter__()
        if self.atomic_migration and not self.collect_sql:
            self.execute("SET LOCAL statement_timeout = 0")
        return editor


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection to PostgreSQL."""

    data_types = {**base.DatabaseWrapper.data_types, "JSONField": "json"}
    ops_class = Operations
    SchemaEditorClass = SchemaEditor

    def get_connection_params(self) -> dict[str, Any]:
        """Parameters of connections, which give JSON as text: `JSONField` reads it."""
        found: dict[str, Any] = super().get_connection_params()
        found["context"].register_loader("json", TextLoader)
        return found

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A connection that answers, of the pool where there is one.

        The pool's own check waits a second after each dead connection that it meets.
        """
        connection = super().get_new_connection(conn_params)
        if self.pool is None:
            return connection
        try:
            ConnectionPool.check_connection(connection)
        except OperationalError:
            self.pool.putconn(connection)  # which closes it
            self.pool.drain()
            return super().get_new_connection(conn_params)
        return connection

    def __del__(self) -> None:
        """Give a connection back that a thread took to its end: the pool would miss it for ever."""
        held = getattr(self, "connection", None)
        pool = getattr(held, "_pool", None)
        if pool is not None:
            pool.putconn(held)
