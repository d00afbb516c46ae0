"""Feeds: programs that generate records of examples. The embedded stack runs a feed while a job
uses its example's streams.
"""

from pathlib import Path
from typing import Any

import yaml
from django.conf import settings
from django.utils.module_loading import import_string

from weir.streams.models import StreamUse


def read_feed(folder: Path) -> dict[str, Any]:
    """An example's `feed.yaml`: module, arguments, and whether it belongs to the demo."""
    return dict(yaml.safe_load((folder / "feed.yaml").read_text(encoding="utf-8")))


def auto_feed_enabled() -> bool:
    """True when the platform can start feeds; otherwise users start them by hand."""
    return bool(settings.EXAMPLE_FEEDER)


def start_feed(example_id: str) -> None:
    """Start an example's feed, if the platform can start feeds; a running feed is kept.

    Raises:
        UnreachableError: it cannot be started.
    """
    if auto_feed_enabled():
        import_string(settings.EXAMPLE_FEEDER)(example_id, on=True)


def stop_unused_feeds() -> None:
    """Stop the feeds of examples whose streams no job uses any more; those of the demo keep running.

    Raises:
        UnreachableError: they cannot be stopped.
    """
    if not auto_feed_enabled():
        return
    used = used_feeds()
    stopped = [folder.name for folder in _folders() if folder.name not in used]
    for name in stopped:
        import_string(settings.EXAMPLE_FEEDER)(name, on=False)
    # A job that was made meanwhile may have found its feed running.
    for name in set(used_feeds()).intersection(stopped):
        start_feed(name)


def used_feeds() -> list[str]:
    """The examples whose feeds should run: those of the demo, and those with a stream that a job uses."""
    topics = set(StreamUse.objects.values_list("stream__topic", flat=True))
    return [
        folder.name
        for folder in _folders()
        if read_feed(folder).get("demo", False) or topics & _topics(folder)
    ]


def _folders() -> list[Path]:
    return sorted(file.parent for file in Path(settings.EXAMPLES_DIR).glob("*/feed.yaml"))


def _topics(folder: Path) -> set[str]:
    return {
        stream["topic"] for stream in yaml.safe_load((folder / "streams.yaml").read_text(encoding="utf-8"))
    }
