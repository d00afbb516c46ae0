"""The current rows of a table: pages in the order of their keys, one row by its key, and
the number of rows.
"""

from typing import Any, Final

from jobs.base.instants import instant_text, nearest_instant
from jobs.formats.contract import StreamContract
from jobs.formats.records import Row
from weir.streams.models import Stream
from weir.streams.services.browse import scan_page
from weir.streams.services.browse_page import BrowseQuery
from weir.streams.services.decoding import decoded_or_refused
from weir.streams.services.scan import Budget
from weir.streams.services.table_keys import Key, given_key, key_of, key_text
from weir.streams.services.tables.scan_store import delete, load, save
from weir.streams.services.tables.table_scan import Entry, TableScan, entry_of, resume, rows_of, start
from weir.streams.services.topic_ref import TopicRef, stream_ref
from weir.workspaces.errors import ServiceError

_SCAN: Final = "scan:"
_AFTER: Final = "after:"


def table_page(stream: Stream, limit: int, cursor: str | None, budget: Budget) -> dict[str, Any]:
    """The next rows of a table, or how far the scan for them has come.

    Args:
        stream: a table.
        limit: keys of a page; some of them may have been deleted, so there may be fewer rows.
        cursor: ``next`` of the previous response; None: the first page, which also counts the rows.
        budget: limits of this scan.

    Returns:
        ``complete``: whether the whole topic was scanned for this page; only then there are ``rows``.
        ``size`` (of the first page): ``rows`` and whether it is ``exact``. ``newest``: the newest Kafka
        timestamp seen. ``malformed``, ``scan``, ``next``.

    Raises:
        ServiceError: the stream is no table, or the cursor is invalid or expired.
        UnreachableError: the cluster does not answer.
    """
    contract, ref = _table(stream), stream_ref(stream)
    state, token = _open(stream, contract, cursor, ref, limit)
    part = resume(ref, contract, state, budget)
    response = {
        "complete": state.complete,
        "rows": rows_of(state) if state.complete else [],
        "size": {"rows": state.sketch.rows(), "exact": not state.sketch.full}
        if state.sketch is not None and state.complete
        else None,
        "newest": instant_text(nearest_instant(state.newest_us)) if state.newest_us else None,
        "malformed": state.malformed,
        "scan": part.as_json(),
    }
    if not state.complete:
        return {**response, "next": _cursor(stream, state, token)}
    delete(stream, token)
    return {**response, "next": _AFTER + key_text(state.order[-1]) if state.bound is not None else None}


def table_row(stream: Stream, key: str, cursor: str | None, budget: Budget) -> dict[str, Any]:
    """The current row of a key, or how far the search for it has come.

    Args:
        stream: a table.
        key: as `given_key` reads it.
        cursor: ``next`` of the previous response; None: from the newest record.
        budget: limits of this scan.

    Returns:
        ``state``: found, deleted, absent (the whole topic was scanned), or searching (``next`` continues).
        ``entry`` if it was found or deleted; ``scan``, ``next``.

    Raises:
        ServiceError: the stream is no table, the key is invalid, or the cursor is invalid or expired.
        UnreachableError: the cluster does not answer.
    """
    contract, ref = _table(stream), stream_ref(stream)
    wanted = given_key(key, contract)
    if contract.version_by == "event_time":
        return _newest_by_time(stream, contract, ref, wanted, cursor, budget)

    def is_wanted(message: Any) -> bool:
        matches = key_of(message.key(), contract, ref.schema_of) == wanted
        return matches and isinstance(decoded_or_refused(message, contract, ref.schema_of), Row)

    page = scan_page(ref, BrowseQuery(origin="newest", limit=1, cursor=cursor, budget=budget), is_wanted)
    if not page.messages:
        return _row_json(None, page.scan, page.next)
    message = page.messages[0]
    row = decoded_or_refused(message, contract, ref.schema_of)
    return _row_json(entry_of(message, wanted, row) if isinstance(row, Row) else None, page.scan, None)


def _newest_by_time(
    stream: Stream, contract: StreamContract, ref: TopicRef, wanted: Key, cursor: str | None, budget: Budget
) -> dict[str, Any]:
    """If event time decides, any record may be the newest entry, so the whole topic is scanned."""
    state, token = _load(stream, cursor) if cursor else (start(ref, only=wanted), "")
    scanned = resume(ref, contract, state, budget).as_json()
    if not state.complete:
        return _row_json(None, scanned, _cursor(stream, state, token))
    delete(stream, token)
    return _row_json(state.entries.get(wanted), scanned, None)


def _row_json(entry: Entry | None, scanned: dict[str, Any], cursor: str | None) -> dict[str, Any]:
    unknown = "searching" if cursor else "absent"
    state = unknown if entry is None else "deleted" if entry.deleted else "found"
    return {"state": state, "entry": entry.json if entry else None, "scan": scanned, "next": cursor}


def _table(stream: Stream) -> StreamContract:
    contract = stream.stream_contract
    if contract.kind != "table":
        raise ServiceError(
            "NOT_A_TABLE",
            f"{stream.name} is append-only, so it has no current rows. Browse its records instead.",
        )
    return contract


def _open(
    stream: Stream, contract: StreamContract, cursor: str | None, ref: TopicRef, limit: int
) -> tuple[TableScan, str]:
    if cursor is None:
        return start(ref, limit=limit, counts=True), ""
    if cursor.startswith(_AFTER):
        return start(ref, after=given_key(cursor.removeprefix(_AFTER), contract), limit=limit), ""
    return _load(stream, cursor)


def _load(stream: Stream, cursor: str) -> tuple[TableScan, str]:
    token = cursor.removeprefix(_SCAN) if cursor.startswith(_SCAN) else ""
    return load(stream, token), token


def _cursor(stream: Stream, state: TableScan, token: str) -> str:
    """The cursor with which the next request continues a scan."""
    return _SCAN + save(stream, state, token)
