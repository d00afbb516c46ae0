"""Remembers which migrations a data folder has seen, so that a start need not ask the databases. Standard library only."""

import hashlib
import os
from pathlib import Path

from weir.embedded.layout import Layout


def is_migrated(layout: Layout) -> bool:
    """True when this data folder has seen exactly today's migrations, on today's database addresses."""
    return _stamp(layout).exists() and _stamp(layout).read_text() == _wanted(layout)


def remember(layout: Layout) -> None:
    """Write down that today's migrations are done."""
    _stamp(layout).write_text(_wanted(layout))


def _stamp(layout: Layout) -> Path:
    return layout.data / "migrated"


def _wanted(layout: Layout) -> str:
    files = sorted((layout.repository / "platform" / "weir").glob("*/migrations/*.py"))
    addresses = [os.environ.get(name, "") for name in ("DATABASE_URL", "RESULTS_DATABASE_URL")]
    return hashlib.sha256("\n".join([*addresses, *map(_content, files)]).encode()).hexdigest()


def _content(file: Path) -> str:
    return f"{file.parent.parent.name}/{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()}"
