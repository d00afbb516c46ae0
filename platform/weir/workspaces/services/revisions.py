"""Revisions of what several people edit: nobody overwrites what they have not seen."""

from weir.workspaces.errors import ConflictError


def require_revision(now: int, seen: int | None, what: str) -> None:
    """Refuse a change of something that somebody else has changed since.

    Args:
        now: its revision, read under a lock.
        seen: the revision that the change was made on; None: whatever it is.
        what: it is, in words: "stream".

    Raises:
        ConflictError: REVISION_OUTDATED.
    """
    if seen is not None and seen != now:
        raise outdated(what)


def outdated(what: str) -> ConflictError:
    """The error of a change of something, in words, that somebody else has changed since."""
    return ConflictError(
        "REVISION_OUTDATED", f"Somebody else changed this {what}. Reload it, then edit again."
    )
