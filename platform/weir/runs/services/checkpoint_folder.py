"""Where on this host a checkpoint is, or the root of all (`CHECKPOINT_URL`)."""

from pathlib import Path
from urllib.parse import unquote, urlsplit


def local_folder(url: str) -> Path | None:
    """The folder of an address; None: it is in a store of another kind."""
    parts = urlsplit(url)
    if parts.scheme not in ("", "file"):
        return None
    return Path(unquote(parts.path) if parts.scheme else url)
