"""Unfinished table scans between two requests, in the database as compressed JSON: any web process
may serve the next request.

Storage is bounded: each scan by `table_scan.MAX_ENTRY_BYTES` and its sketch, all scans by
`SAVED_SCANS_MAX_BYTES` and `SAVED_SCANS_PER_STREAM`, those of a workspace by its share. The oldest are
deleted first; a client that continues a deleted scan has to start again.
"""

import hashlib
import json
import secrets
import zlib
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from jobs.formats.contract import StreamContract
from weir.retention import SAVED_SCAN_TTL, SAVED_SCANS_MAX_BYTES, SAVED_SCANS_PER_STREAM
from weir.streams.models import SavedScan, Stream
from weir.streams.services.scan import OffsetRange
from weir.streams.services.table_keys import Key, given_key, key_text
from weir.streams.services.tables.sketch import KeySketch
from weir.streams.services.tables.table_scan import Entry, TableScan
from weir.workspaces.errors import ServiceError

_SHARE: Final = 0.25  # of all that is stored, a workspace's: one that scans much ends its own scans first


def save(stream: Stream, state: TableScan, token: str) -> str:
    """Store a scan until the next request, and return its token.

    Args:
        stream: the table.
        state: the scan so far.
        token: its token; empty for a new scan.
    """
    name = token or secrets.token_urlsafe(12)
    compressed = zlib.compress(
        json.dumps(state_json(state), ensure_ascii=False, separators=(",", ":")).encode(), 1
    )
    now = timezone.now()
    row = {
        "stream": stream,
        "contract": _fingerprint(stream.stream_contract),
        "state": compressed,
        "size": len(compressed),
        "at": now,
    }
    with transaction.atomic():
        SavedScan.objects.update_or_create(token=name, defaults=row)
        _delete_oldest(stream)
    return name


def load(stream: Stream, token: str) -> TableScan:
    """The scan of a token.

    Raises:
        ServiceError: CURSOR_INVALID: there is none, it has expired, or the table's contract changed.
    """
    row = SavedScan.objects.filter(
        stream=stream, token=token, at__gte=timezone.now() - SAVED_SCAN_TTL
    ).first()
    if row is None or row.contract != _fingerprint(stream.stream_contract):
        raise ServiceError("CURSOR_INVALID", "Cursor expired or invalid. Restart without it.")
    return parse_state(json.loads(zlib.decompress(row.state)), stream.stream_contract)


def delete(stream: Stream, token: str) -> None:
    """Delete a scan once it is complete."""
    SavedScan.objects.filter(stream=stream, token=token).delete()


def _delete_oldest(stream: Stream) -> None:
    SavedScan.objects.filter(at__lt=timezone.now() - SAVED_SCAN_TTL).delete()
    newest = SavedScan.objects.order_by("-at", "-pk")
    expired = list(newest.filter(stream=stream).values_list("pk", flat=True)[SAVED_SCANS_PER_STREAM:])
    size = of_workspace = 0
    for pk, workspace_id, own in newest.values_list("pk", "stream__workspace", "size"):
        is_own = workspace_id == stream.workspace_id
        size += own
        of_workspace += own if is_own else 0
        if size > SAVED_SCANS_MAX_BYTES or (is_own and of_workspace > _SHARE * SAVED_SCANS_MAX_BYTES):
            expired.append(pk)
    SavedScan.objects.filter(pk__in=expired).delete()


def _fingerprint(contract: StreamContract) -> str:
    """Hash of a contract: keys and values that were decoded by one contract are meaningless under another."""
    return hashlib.sha256(json.dumps(contract.as_json(), sort_keys=True).encode()).hexdigest()


def state_json(state: TableScan) -> dict[str, Any]:
    """A scan as JSON values."""
    return {
        "after": _text(state.after),
        "only": _text(state.only),
        "bound": _text(state.bound),
        "limit": state.limit,
        "ranges": [[p, s.start, s.end, s.log_start, s.log_end] for p, s in state.ranges.items()],
        "positions": list(state.positions.items()),
        "entries": [
            [key_text(key), entry.event_time, entry.json, entry.size]
            for key in state.order
            if (entry := state.entries[key])
        ],
        "sketch": None
        if state.sketch is None
        else {"full": state.sketch.full, "entries": list(state.sketch.entries.items())},
        "newest_us": state.newest_us,
        "malformed": state.malformed,
    }


def parse_state(values: dict[str, Any], contract: StreamContract) -> TableScan:
    """The scan that `state_json` wrote, of a table with this contract."""
    entries = {
        given_key(key, contract): Entry(event_time, content, size)
        for key, event_time, content, size in values["entries"]
    }
    return TableScan(
        after=_key(values["after"], contract),
        only=_key(values["only"], contract),
        limit=values["limit"],
        ranges={
            p: OffsetRange(start, end, log_start, log_end)
            for p, start, end, log_start, log_end in values["ranges"]
        },
        positions=dict(values["positions"]),
        entries=entries,
        order=list(entries),  # as it was written: ascending
        bound=_key(values["bound"], contract),
        sketch=_sketch(values["sketch"]),
        newest_us=values["newest_us"],
        malformed=values["malformed"],
        size=sum(entry.size for entry in entries.values()),
    )


def _sketch(values: dict[str, Any] | None) -> KeySketch | None:
    if values is None:
        return None
    return KeySketch.of(
        {number: (version, alive) for number, (version, alive) in values["entries"]}, full=values["full"]
    )


def _text(key: Key | None) -> str | None:
    return None if key is None else key_text(key)


def _key(text: str | None, contract: StreamContract) -> Key | None:
    return None if text is None else given_key(text, contract)
