"""Remembers for which migrations and data folder the databases were prepared, to save a start the query.
Standard library only.
"""

import hashlib
import os
from pathlib import Path

from weir.embedded.layout import Layout


def is_migrated(layout: Layout) -> bool:
    """True when the current migrations were applied to the databases at the current addresses, and the data
    folder is where it was then.
    """
    return _stamp(layout).exists() and _stamp(layout).read_text() == _digest(layout)


def remember(layout: Layout) -> None:
    """Record that the current migrations were applied."""
    _stamp(layout).write_text(_digest(layout))


def _stamp(layout: Layout) -> Path:
    return layout.data / "migrated"


def _digest(layout: Layout) -> str:
    files = sorted((layout.repository / "platform" / "weir").glob("*/migrations/*.py"))
    addresses = [os.environ.get(name, "") for name in ("DATABASE_URL", "RESULTS_DATABASE_URL")]
    known = [str(layout.data), *addresses, *map(_content, files)]
    return hashlib.sha256("\n".join(known).encode()).hexdigest()


def _content(file: Path) -> str:
    return f"{file.parent.parent.name}/{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()}"
