"""Exports a stored result as a file, in chunks."""

import csv
import io
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from channels.db import database_sync_to_async
from pydantic_core import from_json

from jobs.base.identities import identity_parts
from weir.results.models import ALIAS, ResultTopic
from weir.results.services.queries import StoredRow, read_by_key
from weir.workspaces.models import Membership
from weir.workspaces.services.csv_cells import cell
from weir.workspaces.services.turns import Turns

FORMATS: Final = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}
CHUNK_ROWS: Final = 2_000
_TURNS: Final = Turns(1)


class ResultFormChangedError(RuntimeError):
    """A row has a field that no row had when the export began, so the file has no column for it. The file
    ends incomplete, and its reader sees that the connection broke.
    """


class RowsLostError(RuntimeError):
    """The person may no longer read, or the rows are being deleted because the job has begun anew, is
    deleted, or its result is read from its topic again. As above, a file that ended well would be taken for
    the whole.
    """


def _always() -> bool:
    return True


async def export(
    name: str,
    job_id: str,
    generation: int,
    member: Membership,
    fields: Sequence[str] = (),
    is_current: Callable[[], bool] = _always,
) -> AsyncIterator[str]:
    """The file's text in chunks; several exports of one person take turns.

    Args:
        name: one of `FORMATS`.
        job_id: of the result.
        generation: of that job.
        member: who exports.
        fields: of the rows that are written now, the first columns of a table. Rows that were written before
            an edit keep their form: what only they have follows.
        is_current: whether the generation is still the job's, so that its rows are kept. Asked on a thread.

    Raises:
        RowsLostError: there are no more rows, or none that the person may read, before all were written.
        ResultFormChangedError: a table got rows of another form meanwhile.
    """
    source = _Source(job_id, generation, member, is_current)
    if name == "jsonl":
        async for rows in source.chunks():
            yield "".join(map(_line, rows))
        return
    columns = dict.fromkeys(fields)
    async for rows in source.chunks():
        columns |= dict.fromkeys(column for row in rows for column in from_json(row.value))
    yield _table([["_key", *columns, "_newest_input_us", "_partial"]])
    async for rows in source.chunks():
        yield _table(_cells(row, columns) for row in rows)


class _Source:
    """The rows of a result, in chunks."""

    def __init__(
        self, job_id: str, generation: int, member: Membership, is_current: Callable[[], bool]
    ) -> None:
        self._result = (job_id, generation)
        self._member = member
        self._is_current = is_current
        self._reading: int | None = None  # id of the topic's row, which another reading has another of

    async def chunks(self) -> AsyncIterator[list[StoredRow]]:
        """All rows, by digest."""
        # On a thread: the event loop serves everybody.
        next_chunk = database_sync_to_async(self._chunk, thread_sensitive=False)
        after = ""
        while True:
            async with _TURNS.of(self._member.user_id):
                rows = await next_chunk(after)
            if not rows:
                return
            yield rows
            after = rows[-1].digest

    def _chunk(self, after: str) -> list[StoredRow]:
        if after and not Membership.objects.filter(pk=self._member.pk, user__is_active=True).exists():
            raise RowsLostError("the person may no longer read")
        rows = read_by_key(*self._result, CHUNK_ROWS, after)
        if (rows or self._reading is not None) and not self._is_same_reading():
            raise RowsLostError("the result is read from its topic again")
        if not self._is_current():  # asked afterwards: rows are deleted after it has changed
            raise RowsLostError("the job has begun anew, or is deleted")
        return rows

    def _is_same_reading(self) -> bool:
        """False where the rows were deleted since the first chunk, or are being deleted, to be read again."""
        job_id, generation = self._result
        found = ResultTopic.objects.using(ALIAS).filter(job_id=job_id, generation=generation)
        now = found.values_list("pk", flat=True).first()
        self._reading = self._reading or now
        return now is not None and now == self._reading


def _line(row: StoredRow) -> str:
    return (
        f'{{"key":{row.key},"value":{row.value},"newest_input_us":{row.newest_input_us},'
        f'"partial":{json.dumps(row.partial)}}}\n'
    )


def _table(rows: Iterable[Sequence[Any]]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue()


def _cells(row: StoredRow, columns: Mapping[str, None]) -> list[Any]:
    value = json.loads(row.value)
    unknown = value.keys() - columns.keys()
    if unknown:
        raise ResultFormChangedError(f"no column for {', '.join(sorted(unknown))}")
    key = json.dumps(identity_parts(row.key), ensure_ascii=False)
    return [cell(key), *(cell(value.get(column)) for column in columns), row.newest_input_us, row.partial]
