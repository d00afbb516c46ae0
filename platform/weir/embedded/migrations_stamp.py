"""Remembers for which migrations, and for which host, the databases in the data folder were prepared, so that
a start need not load Django for it. Standard library only.
"""

import hashlib
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final
from urllib.parse import quote

from weir.embedded.host_queue import host_queue
from weir.embedded.layout import Layout

_FILES: Final = ("weir.sqlite3", "results.sqlite3")


def is_migrated(layout: Layout) -> bool:
    """True when the current migrations were applied to the databases in the data folder, under this queue of
    the host. The databases are asked for what they have: one may be from a backup. False where they are
    elsewhere, as that is not known here.
    """
    if any(os.environ.get(name) for name in ("DATABASE_URL", "RESULTS_DATABASE_URL")):
        return False
    return _stamp(layout).exists() and _stamp(layout).read_text() == _digest(layout)


def remember(layout: Layout) -> None:
    """Record that the current migrations were applied, under this queue of the host."""
    _stamp(layout).write_text(_digest(layout))


def _stamp(layout: Layout) -> Path:
    return layout.data / "migrated"


def _digest(layout: Layout) -> str:
    files = sorted((layout.repository / "platform" / "weir").glob("*/migrations/*.py"))
    applied = [_applied(layout.data / name) for name in _FILES]
    known = [str(layout.data), host_queue(layout), *applied, *map(_content, files)]
    return hashlib.sha256("\n".join(known).encode()).hexdigest()


def _applied(database: Path) -> str:
    """The migrations that a database has; nothing where it can't be read."""
    try:
        with closing(sqlite3.connect(f"file:{quote(str(database))}?mode=ro", uri=True)) as connection:
            rows = connection.execute("SELECT app, name FROM django_migrations ORDER BY app, name")
            return " ".join(f"{app}.{name}" for app, name in rows)
    except sqlite3.Error:
        return ""


def _content(file: Path) -> str:
    return f"{file.parent.parent.name}/{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()}"
