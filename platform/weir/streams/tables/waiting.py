"""Unfinished passes, kept between two looks where every web process finds them: in the database, as compressed JSON.

A pass is no secret of one process: the next look may be answered by another. What is kept is bounded: each pass by what it may hold
(`passing.MAX_HELD_BYTES`, the sketch), all of them by `MOST_BYTES` and `MOST_OF_A_STREAM`; the oldest go first, and whoever comes back
for one of those begins again.
"""

import hashlib
import json
import secrets
import zlib
from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from jobs.formats.contract import StreamContract
from weir.streams.models import Stream, WaitingPass
from weir.streams.scanning import Stretch
from weir.streams.tables.keys import Key, given_key, key_text
from weir.streams.tables.passing import Entry, Pass
from weir.streams.tables.sketch import KeySketch
from weir.workspaces.errors import ServiceError

KEPT: Final = timedelta(minutes=10)
MOST_OF_A_STREAM: Final = 16
MOST_BYTES: Final = 64 * 1024 * 1024


def keep(stream: Stream, found: Pass, token: str) -> str:
    """Keep a pass for the next look; the token by which it is found.

    Args:
        stream: whose table.
        found: as far as it has come.
        token: that it had before; empty for a new one.
    """
    name = token or secrets.token_urlsafe(12)
    state = zlib.compress(json.dumps(pass_json(found), ensure_ascii=False, separators=(",", ":")).encode(), 1)
    now = timezone.now()
    kept = {"stream": stream, "contract": _print_of(stream.stream_contract), "state": state, "size": len(state), "at": now}
    with transaction.atomic():
        WaitingPass.objects.update_or_create(token=name, defaults=kept)
        _make_room(stream)
    return name


def take(stream: Stream, token: str) -> Pass:
    """The pass of a token.

    Raises:
        ServiceError: CURSOR_INVALID: there is none, it has waited too long, or the table's contract is another by now.
    """
    row = WaitingPass.objects.filter(stream=stream, token=token, at__gte=timezone.now() - KEPT).first()
    if row is None or row.contract != _print_of(stream.stream_contract):
        raise ServiceError("CURSOR_INVALID", "Cursor expired or invalid. Restart without it.")
    return read_pass(json.loads(zlib.decompress(row.state)), stream.stream_contract)


def forget(stream: Stream, token: str) -> None:
    """The pass is complete."""
    WaitingPass.objects.filter(stream=stream, token=token).delete()


def _make_room(stream: Stream) -> None:
    WaitingPass.objects.filter(at__lt=timezone.now() - KEPT).delete()
    newest = WaitingPass.objects.order_by("-at", "-pk")
    gone = list(newest.filter(stream=stream).values_list("pk", flat=True)[MOST_OF_A_STREAM:])
    size = 0
    for pk, own in newest.values_list("pk", "size"):
        size += own
        if size > MOST_BYTES:
            gone.append(pk)
    WaitingPass.objects.filter(pk__in=gone).delete()


def _print_of(contract: StreamContract) -> str:
    """What tells contracts apart: keys and values that were read by one mean nothing by another."""
    return hashlib.sha256(json.dumps(contract.as_json(), sort_keys=True).encode()).hexdigest()


def pass_json(found: Pass) -> dict[str, Any]:
    """A pass as JSON values."""
    return {
        "after": _text(found.after),
        "only": _text(found.only),
        "bound": _text(found.bound),
        "limit": found.limit,
        "stretches": [[p, s.first, s.end, s.log_start, s.log_end] for p, s in found.stretches.items()],
        "positions": list(found.positions.items()),
        "held": [[key_text(key), entry.event_time, entry.shown, entry.size] for key in found.order if (entry := found.held[key])],
        "sketch": None if found.sketch is None else {"full": found.sketch.full, "entries": list(found.sketch.entries.items())},
        "newest_us": found.newest_us,
        "malformed": found.malformed,
    }


def read_pass(told: dict[str, Any], contract: StreamContract) -> Pass:
    """The pass that `pass_json` wrote, of a table with this contract."""
    held = {given_key(key, contract): Entry(event_time, shown, size) for key, event_time, shown, size in told["held"]}
    return Pass(
        after=_key(told["after"], contract),
        only=_key(told["only"], contract),
        limit=told["limit"],
        stretches={p: Stretch(first, end, log_start, log_end) for p, first, end, log_start, log_end in told["stretches"]},
        positions=dict(told["positions"]),
        held=held,
        order=list(held),  # as it was written: ascending
        bound=_key(told["bound"], contract),
        sketch=_sketch(told["sketch"]),
        newest_us=told["newest_us"],
        malformed=told["malformed"],
        size=sum(entry.size for entry in held.values()),
    )


def _sketch(told: dict[str, Any] | None) -> KeySketch | None:
    if told is None:
        return None
    return KeySketch.of({number: (version, alive) for number, (version, alive) in told["entries"]}, full=told["full"])


def _text(key: Key | None) -> str | None:
    return None if key is None else key_text(key)


def _key(text: str | None, contract: StreamContract) -> Key | None:
    return None if text is None else given_key(text, contract)
