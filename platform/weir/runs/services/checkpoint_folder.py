"""Where on this host a checkpoint is, or the root of all (`CHECKPOINT_URL`)."""

from pathlib import Path

from django.conf import settings


def checkpoint_root() -> str:
    """`CHECKPOINT_URL`, without a slash at its end."""
    return str(settings.CHECKPOINT_URL).rstrip("/")


def local_folder(url: str) -> Path | None:
    """The folder of an address; None: it is in a store of another kind.

    Addresses are read as Hadoop reads them for Spark: nothing in them is escaped, so ``%20`` is in the
    folder's name.
    """
    scheme, colon, rest = url.partition(":")
    if not colon or "/" in scheme:
        return Path(url)
    if scheme != "file":
        return None
    return Path("/" + rest[2:].partition("/")[2] if rest.startswith("//") else rest)
