"""Pages of a table's current rows in the order of their keys, one row by its key, the size and how fresh it is."""

from typing import Any, Final

from jobs.base.instants import Instant, instant_text
from jobs.formats.contract import StreamContract
from jobs.formats.records import Row
from weir.streams.browsing import Question, look
from weir.streams.decoding import decoded
from weir.streams.models import Stream
from weir.streams.places import Place, place_of
from weir.streams.scanning import Budget
from weir.streams.tables.keys import Key, given_key, key_of, key_text
from weir.streams.tables.passing import Entry, Pass, begin, entry_of, go_on, rows_of
from weir.streams.tables.waiting import forget, keep, take
from weir.workspaces.errors import ServiceError

_PASS: Final = "pass:"
_AFTER: Final = "after:"


def table_page(stream: Stream, limit: int, cursor: str | None, budget: Budget) -> dict[str, Any]:
    """The next rows of a table, or how far the pass for them has come.

    Args:
        stream: a table.
        limit: keys of a page; some of them may have been deleted, so rows may be fewer.
        cursor: ``next`` of the answer before; None: the first page, which also counts.
        budget: of this look.

    Returns:
        ``complete``: whether the whole topic was looked at for this page; only then there are ``rows``. ``size`` (of the first
        page): ``rows`` and whether it is ``exact``. ``newest``: the newest Kafka timestamp seen. ``malformed``, ``looked``, ``next``.

    Raises:
        ServiceError: no table, or a cursor that is none or too old.
        UnreachableError: the cluster does not answer.
    """
    contract, place = _table(stream), place_of(stream)
    found, token = _begun(stream, contract, cursor, place, limit)
    looked = go_on(place, contract, found, budget)
    answer = {
        "complete": found.complete,
        "rows": rows_of(found) if found.complete else [],
        "size": {"rows": found.sketch.rows(), "exact": not found.sketch.full} if found.sketch is not None and found.complete else None,
        "newest": instant_text(Instant(found.newest_us)) if found.newest_us else None,
        "malformed": found.malformed,
        "looked": looked.looked(),
    }
    if not found.complete:
        return {**answer, "next": _waiting(stream, found, token)}
    forget(stream, token)
    return {**answer, "next": _AFTER + key_text(found.order[-1]) if found.bound is not None else None}


def table_row(stream: Stream, key: str, cursor: str | None, budget: Budget) -> dict[str, Any]:
    """The current row of a key, or how far the search for it has come.

    Args:
        stream: a table.
        key: as `given_key` reads it.
        cursor: ``next`` of the answer before; None: from the newest record.
        budget: of this look.

    Returns:
        ``state``: found, deleted, absent (the whole topic was looked at), or searching (``next`` goes on). ``entry`` where it is
        found or deleted; ``looked``, ``next``.

    Raises:
        ServiceError: no table, no key of it, or a cursor that is none or too old.
        UnreachableError: the cluster does not answer.
    """
    contract, place = _table(stream), place_of(stream)
    wanted = given_key(key, contract)
    if contract.version_by == "event_time":
        return _newest_by_time(stream, contract, place, wanted, cursor, budget)

    def is_wanted(message: Any) -> bool:
        fits = key_of(message.key(), contract, place.schema_of) == wanted
        return fits and isinstance(decoded(message, contract, place.schema_of), Row)

    page = look(place, Question(origin="newest", limit=1, cursor=cursor, budget=budget), is_wanted)
    if not page.shown:
        return _answer(None, page.looked, page.next)
    message = page.shown[0]
    row = decoded(message, contract, place.schema_of)
    return _answer(entry_of(message, wanted, row) if isinstance(row, Row) else None, page.looked, None)


def _newest_by_time(
    stream: Stream, contract: StreamContract, place: Place, wanted: Key, cursor: str | None, budget: Budget
) -> dict[str, Any]:
    """Where event time decides, any record may hold the newest entry, so all of them are looked at."""
    found, token = _resumed(stream, cursor) if cursor else (begin(place, only=wanted), "")
    looked = go_on(place, contract, found, budget).looked()
    if not found.complete:
        return _answer(None, looked, _waiting(stream, found, token))
    forget(stream, token)
    return _answer(found.held.get(wanted), looked, None)


def _answer(entry: Entry | None, looked: dict[str, Any], following: str | None) -> dict[str, Any]:
    unknown = "searching" if following else "absent"
    state = unknown if entry is None else "deleted" if entry.deleted else "found"
    return {"state": state, "entry": entry.shown if entry else None, "looked": looked, "next": following}


def _table(stream: Stream) -> StreamContract:
    contract = stream.stream_contract
    if contract.kind != "table":
        raise ServiceError("NOT_A_TABLE", f"{stream.name} is append-only, so it has no current rows. Browse its records instead.")
    return contract


def _begun(stream: Stream, contract: StreamContract, cursor: str | None, place: Place, limit: int) -> tuple[Pass, str]:
    if cursor is None:
        return begin(place, limit=limit, counts=True), ""
    if cursor.startswith(_AFTER):
        return begin(place, after=given_key(cursor.removeprefix(_AFTER), contract), limit=limit), ""
    return _resumed(stream, cursor)


def _resumed(stream: Stream, cursor: str) -> tuple[Pass, str]:
    token = cursor.removeprefix(_PASS) if cursor.startswith(_PASS) else ""
    return take(stream, token), token


def _waiting(stream: Stream, found: Pass, token: str) -> str:
    """The cursor by which a pass is found at the next look."""
    return _PASS + keep(stream, found, token)
