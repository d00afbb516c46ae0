"""Records as a file, in pieces: as they lie between two places of the topic, all or those that match."""

import csv
import io
import json
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, Final

from asgiref.sync import sync_to_async
from confluent_kafka import Message

from weir.streams.browsing import Page, Question, look
from weir.streams.cells import cell
from weir.streams.decoding import record_json
from weir.streams.places import Place
from weir.workspaces.errors import ServiceError

FORMATS: Final = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}
MOST_RECORDS: Final = 100_000
_PIECE: Final = 500
_SECONDS: Final = 120
_PLACE: Final = ("_partition", "_offset", "_timestamp", "_event_time", "_key")


async def export(name: str, place: Place, question: Question, most: int) -> AsyncIterator[str]:
    """The file's text, piece by piece; a last line says so when there is more than was written.

    Args:
        name: one of `FORMATS`.
        place: whose records.
        question: which of them; its limit does not matter.
        most: records at most.
    """
    write = _Lines() if name == "jsonl" else _Table(place)
    yield write.heading()
    ask = sync_to_async(look, thread_sensitive=False)
    deadline, written, cursor = time.monotonic() + _SECONDS, 0, question.cursor
    while True:
        try:
            page: Page = await ask(place, replace(question, limit=min(_PIECE, most - written), cursor=cursor))
        except ServiceError as error:
            # The status is sent already; whoever reads the file must not take it for the whole.
            yield write.ending(f"{written} records, then the cluster failed: {error.detail}")
            return
        written += len(page.shown)
        yield "".join(write.record(message, place) for message in page.shown)
        cursor = page.next
        if cursor is None:
            return
        if written >= most or time.monotonic() > deadline:
            why = "the record limit" if written >= most else f"the limit of {_SECONDS} s"
            yield write.ending(f"{written} records ({why} was reached); there are more")
            return


class _Lines:
    def heading(self) -> str:
        return ""

    def record(self, message: Message, place: Place) -> str:
        return json.dumps(record_json(message, place.contract, place.schema_of, whole=True), ensure_ascii=False) + "\n"

    def ending(self, why: str) -> str:
        return json.dumps({"stopped": why}) + "\n"


class _Table:
    """Declared fields as columns; a topic without a contract has its value in one."""

    def __init__(self, place: Place) -> None:
        self._fields = place.contract.schema_of_rows.names if place.contract else ()

    def heading(self) -> str:
        return _row([*_PLACE, *self._fields, *(() if self._fields else ("_value",)), "_malformed"])

    def record(self, message: Message, place: Place) -> str:
        record = record_json(message, place.contract, place.schema_of, whole=True)
        row: dict[str, Any] = record["row"] or {}
        values = [row.get(name) for name in self._fields] if self._fields else [record["value"]]
        reason = f"{record['malformed']['reason']} {record['malformed']['detail']}" if record["malformed"] else None
        places = [record["partition"], record["offset"], record["timestamp"], record["event_time"], record["key"]]
        return _row([*places, *values, reason])

    def ending(self, why: str) -> str:
        return _row([f"stopped: {why}"])


def _row(values: list[Any]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow([cell(value) for value in values])
    return out.getvalue()
