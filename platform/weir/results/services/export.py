"""Exports a stored result as a file, in chunks."""

import csv
import io
import json
from collections.abc import AsyncIterator
from typing import Final

from asgiref.sync import sync_to_async

from jobs.base.identities import identity_parts
from weir.results.services.queries import StoredRow, read_by_key
from weir.streams.services.csv_cells import cell

FORMATS: Final = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}
CHUNK_ROWS: Final = 2_000


async def export(name: str, job_id: str, generation: int) -> AsyncIterator[str]:
    """The file's text in chunks.

    Args:
        name: one of `FORMATS`.
        job_id: of the result.
        generation: of that job.
    """
    after, columns = "", None
    read = sync_to_async(read_by_key, thread_sensitive=False)
    while rows := await read(job_id, generation, CHUNK_ROWS, after):
        after = rows[-1].digest
        if name == "jsonl":
            yield "".join(_line(row) for row in rows)
            continue
        first = columns is None
        columns = columns or list(json.loads(rows[0].value))
        yield _table(rows, columns, heading=first)


def _line(row: StoredRow) -> str:
    newest, partial = row.newest_input_us, json.dumps(row.partial)
    return f'{{"key":{row.key},"value":{row.value},"newest_input_us":{newest},"partial":{partial}}}\n'


def _table(rows: list[StoredRow], columns: list[str], *, heading: bool) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    if heading:
        writer.writerow(["_key", *columns, "_newest_input_us", "_partial"])
    for row in rows:
        value = json.loads(row.value)
        key = json.dumps(identity_parts(row.key), ensure_ascii=False)
        writer.writerow(
            [key, *(cell(value.get(column)) for column in columns), row.newest_input_us, row.partial]
        )
    return out.getvalue()
