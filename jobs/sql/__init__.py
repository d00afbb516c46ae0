"""SQL as a face of job documents: text to document and back. See ``docs/reference/sql.md``."""

from jobs.sql.document import SqlReading, read_sql
from jobs.sql.write import SqlText, write_sql

__all__ = ["SqlReading", "SqlText", "read_sql", "write_sql"]
