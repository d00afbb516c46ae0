"""The rows of a play as a test looks at them: of one batch, or what there is at the end."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from jobs.base.identities import identity_parts
from jobs.base.instants import Instant, instant_text
from jobs.operators.relation import Relation
from jobs.play import PlayedRow, PlayedRows

DELETED: Final = "_deleted"
TIME: Final = "_time"
IDENTITY: Final = "_id"
SYSTEM: Final = (DELETED, TIME, IDENTITY)
"""What a row has beside its fields, as an expected row may name it."""


@dataclass(frozen=True, slots=True)
class Content:
    """Rows by identity; `truncated`: some are not known."""

    rows: tuple[dict[str, Any], ...]
    truncated: bool


def content_of(batches: Iterable[PlayedRows], relation: Relation, *, deletions: bool) -> Content:
    """The newest row of each identity.

    Args:
        batches: what one output or step gave, in order.
        relation: of its rows.
        deletions: rows that were taken away are rows with ``_deleted: true``; otherwise they are gone.
    """
    newest: dict[str, PlayedRow] = {}
    keyless: list[PlayedRow] = []
    truncated = False
    for given in batches:
        truncated = truncated or given.truncated
        for row in given.first:
            if row.key is None:
                keyless.append(row)
            elif row.value is not None or deletions:
                newest.pop(row.key, None)
                newest[row.key] = row
            else:
                newest.pop(row.key, None)
    return Content(tuple(_shown(row, relation) for row in (*newest.values(), *keyless)), truncated)


def _shown(row: PlayedRow, relation: Relation) -> dict[str, Any]:
    shown: dict[str, Any] = dict(row.value or {})
    parts = identity_parts(row.key) if row.key is not None else None
    if row.value is None:
        shown[DELETED] = True
        if parts is not None and relation.identity_kind == "key":
            shown.update(zip(relation.identity, parts, strict=False))
    if row.at_us is not None:
        shown[TIME] = instant_text(Instant(row.at_us))
    if parts is not None:
        shown[IDENTITY] = parts
    return shown


def plain_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row without what it has beside its fields, but for ``_deleted``: as people look at it."""
    return {name: value for name, value in row.items() if name not in (TIME, IDENTITY)}
