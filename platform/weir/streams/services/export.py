"""Streams records into a file: those of a range of offsets or times, all or those that match a filter."""

import csv
import io
import json
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, Final

from channels.db import database_sync_to_async
from confluent_kafka import Message

from weir.streams.services.browse import scan_page
from weir.streams.services.browse_page import BrowseQuery, Page
from weir.streams.services.decoding import page_budget, record_json
from weir.streams.services.ownership import allowed_readings
from weir.streams.services.topic_ref import TopicRef
from weir.workspaces.errors import ServiceError, UnreachableError
from weir.workspaces.models import Membership
from weir.workspaces.roles import Role
from weir.workspaces.services.csv_cells import cell
from weir.workspaces.services.turns import Turns

FORMATS: Final = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}
MAX_EXPORT_RECORDS: Final = 100_000
_PIECE: Final = 500
_TIMEOUT_S: Final = 120
_TURNS: Final = Turns(1)
_COORDINATES: Final = ("_partition", "_offset", "_timestamp", "_event_time", "_key")


async def export(
    name: str, ref: TopicRef, query: BrowseQuery, max_records: int, member: Membership
) -> AsyncIterator[str]:
    """Yield the text of the file. If it may not hold all records, the last line says so and why.
    Several exports of one person take turns. It ends where the person may no longer read the topic.

    Args:
        name: one of `FORMATS`.
        ref: the topic.
        query: which records; its limit is ignored.
        max_records: maximum number of records.
        member: who exports.
    """
    write = _Lines() if name == "jsonl" else _Table(ref)
    yield write.heading()
    fetch = database_sync_to_async(_written, thread_sensitive=False)
    deadline, written, cursor = time.monotonic() + _TIMEOUT_S, 0, query.cursor
    unread = _Unread()
    while True:
        try:
            async with _TURNS.of(member.user_id):
                page, text = await fetch(
                    write,
                    ref,
                    replace(query, limit=min(_PIECE, max_records - written), cursor=cursor),
                    member,
                )
        except _AccessLostError:
            yield write.ending(f"{written:,} records, then access to the topic ended")
            return
        except ServiceError as error:
            # The status was sent already, so only the file itself can say that it is incomplete.
            failed = "the cluster failed: " if isinstance(error, UnreachableError) else ""
            yield write.ending(f"{written:,} records, then {failed}{error.detail}")
            return
        written += len(page.messages)
        yield text
        cursor = page.next
        unread.note(page)
        if cursor is None:
            if unread.lost:
                yield write.ending(f"{written:,} records; retention deleted others while these were exported")
            return
        if written >= max_records or time.monotonic() > deadline:
            reason = "the record limit" if written >= max_records else f"the limit of {_TIMEOUT_S} s"
            yield write.ending(f"{written:,} records ({reason} was reached); there may be more")
            return


class _Unread:
    """What the pages so far have left to be read, and whether retention took some of it."""

    def __init__(self) -> None:
        self.lost = False
        self._left: dict[int, tuple[int, int]] = {}  # partition → first offset and end

    def note(self, page: Page) -> None:
        """Take in a page."""
        rows = {row["partition"]: row for row in page.scan["partitions"]}
        self.lost |= any(
            first < end and first < rows[partition]["log_start"]
            for partition, (first, end) in self._left.items()
            if partition in rows
        )
        self._left = {}
        for partition, at in page.next_offsets.items():
            if (row := rows.get(partition)) is not None:
                left = (row["range_start"], at) if page.backwards else (at, row["range_end"])
                self._left[partition] = left


class _AccessLostError(Exception):
    """The person may no longer read the topic."""


def _written(
    write: "_Lines | _Table", ref: TopicRef, query: BrowseQuery, member: Membership
) -> tuple[Page, str]:
    """A page and its text: decoding takes processor time, which the event loop has for everybody.

    Rights are looked at after the page was read: a topic has its owner before it exists.
    """
    page = scan_page(ref, query)
    if not _may_read(ref, member):
        raise _AccessLostError
    with page_budget():
        return page, "".join(write.record(message, ref) for message in page.messages)


def _may_read(ref: TopicRef, member: Membership) -> bool:
    role = (
        Membership.objects.filter(pk=member.pk, user__is_active=True).values_list("role", flat=True).first()
    )
    return (
        ref.reading is not None
        and role is not None
        and Role(role).may(ref.reading.right)
        and ref.reading in allowed_readings([ref.reading])
    )


class _Lines:
    def heading(self) -> str:
        return ""

    def record(self, message: Message, ref: TopicRef) -> str:
        return (
            json.dumps(record_json(message, ref.contract, ref.schema_of, full=True), ensure_ascii=False)
            + "\n"
        )

    def ending(self, reason: str) -> str:
        return json.dumps({"stopped": reason}) + "\n"


class _Table:
    """A column per declared field, or one for the value if the topic has no contract."""

    def __init__(self, ref: TopicRef) -> None:
        self._fields = ref.contract.schema_of_rows.names if ref.contract else ()
        self._is_table = ref.contract is not None and ref.contract.kind == "table"

    def heading(self) -> str:
        values = self._fields or ("_value",)
        return _row([*_COORDINATES, *values, *(["_deleted"] if self._is_table else []), "_malformed"])

    def record(self, message: Message, ref: TopicRef) -> str:
        record = record_json(message, ref.contract, ref.schema_of, full=True)
        row: dict[str, Any] = record["row"] or {}
        values = [row.get(name) for name in self._fields] if self._fields else [record["value"]]
        reason = (
            f"{record['malformed']['reason']} {record['malformed']['detail']}"
            if record["malformed"]
            else None
        )
        coordinates = [
            record["partition"],
            record["offset"],
            record["timestamp"],
            record["event_time"],
            record["key"],
        ]
        # The fields alone of a record that deletes its row are those of a row of nulls.
        deleted = [record["deleted"]] if self._is_table else []
        return _row([*coordinates, *values, *deleted, reason])

    def ending(self, reason: str) -> str:
        return _row([f"stopped: {reason}"])


def _row(values: list[Any]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow([cell(value) for value in values])
    return out.getvalue()
