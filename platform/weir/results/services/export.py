"""Exports a stored result as a file, in chunks."""

import csv
import io
import json
from collections.abc import AsyncIterator
from typing import Final

from channels.db import database_sync_to_async

from jobs.base.identities import identity_parts
from weir.results.services.queries import StoredRow, read_by_key
from weir.workspaces.models import Membership
from weir.workspaces.services.csv_cells import cell
from weir.workspaces.services.turns import Turns

FORMATS: Final = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}
CHUNK_ROWS: Final = 2_000
_TURNS: Final = Turns(1)


async def export(name: str, job_id: str, generation: int, member: Membership) -> AsyncIterator[str]:
    """The file's text in chunks; several exports of one person take turns. It ends where the person may no
    longer read.

    Args:
        name: one of `FORMATS`.
        job_id: of the result.
        generation: of that job.
        member: who exports.
    """
    write = _Lines() if name == "jsonl" else _Table()
    # On a thread, with the writing: the event loop serves everybody.
    next_chunk = database_sync_to_async(_chunk, thread_sensitive=False)
    after: str | None = ""
    while after is not None:
        async with _TURNS.of(member.user_id):
            text, after = await next_chunk(write, job_id, generation, after, member)
        yield text


def _chunk(
    write: "_Lines | _Table", job_id: str, generation: int, after: str, member: Membership
) -> tuple[str, str | None]:
    """The text of the rows after a digest, and the digest of the last of them; None at the end."""
    if after and not Membership.objects.filter(pk=member.pk, user__is_active=True).exists():
        return "", None
    rows = read_by_key(job_id, generation, CHUNK_ROWS, after)
    return (write(rows), rows[-1].digest) if rows else ("", None)


class _Lines:
    def __call__(self, rows: list[StoredRow]) -> str:
        return "".join(
            f'{{"key":{row.key},"value":{row.value},"newest_input_us":{row.newest_input_us},'
            f'"partial":{json.dumps(row.partial)}}}\n'
            for row in rows
        )


class _Table:
    """CSV with the fields of the first row as columns."""

    def __init__(self) -> None:
        self._columns: list[str] | None = None

    def __call__(self, rows: list[StoredRow]) -> str:
        out = io.StringIO()
        writer = csv.writer(out)
        columns = self._columns
        if columns is None:
            columns = self._columns = list(json.loads(rows[0].value))
            writer.writerow(["_key", *columns, "_newest_input_us", "_partial"])
        for row in rows:
            value = json.loads(row.value)
            key = json.dumps(identity_parts(row.key), ensure_ascii=False)
            writer.writerow(
                [key, *(cell(value.get(column)) for column in columns), row.newest_input_us, row.partial]
            )
        return out.getvalue()
