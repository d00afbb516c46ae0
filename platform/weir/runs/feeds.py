"""The programs that feed templates with records: whoever started the system runs them, one while a job uses its template's streams."""

from pathlib import Path
from typing import Any

import yaml
from django.conf import settings
from django.utils.module_loading import import_string

from weir.streams.models import StreamUse


def read_feed(folder: Path) -> dict[str, Any]:
    """A template's `feed.yaml`: module, arguments, and whether it belongs to the demo."""
    return dict(yaml.safe_load((folder / "feed.yaml").read_text(encoding="utf-8")))


def feeds_are_run() -> bool:
    """True when whoever started the system runs feeds too; otherwise people start them by hand."""
    return bool(settings.EXAMPLE_FEEDER)


def start_feed(example_id: str) -> None:
    """Start a template's feed, if anybody runs feeds here; one that runs is left alone.

    Raises:
        UnreachableError: it cannot be started.
    """
    if feeds_are_run():
        import_string(settings.EXAMPLE_FEEDER)(example_id, on=True)


def stop_unused_feeds() -> None:
    """Stop the feeds of templates whose streams no job uses any more; the demo's go on.

    Raises:
        UnreachableError: they cannot be stopped.
    """
    if not feeds_are_run():
        return
    used = used_feeds()
    for folder in _folders():
        if folder.name not in used:
            import_string(settings.EXAMPLE_FEEDER)(folder.name, on=False)


def used_feeds() -> list[str]:
    """The templates that want feeding: the demo's, and those with a stream that a job uses."""
    topics = set(StreamUse.objects.values_list("stream__topic", flat=True))
    return [folder.name for folder in _folders() if read_feed(folder).get("demo", False) or topics & _topics(folder)]


def _folders() -> list[Path]:
    return sorted(file.parent for file in Path(settings.EXAMPLES_DIR).glob("*/feed.yaml"))


def _topics(folder: Path) -> set[str]:
    return {stream["topic"] for stream in yaml.safe_load((folder / "streams.yaml").read_text(encoding="utf-8"))}
