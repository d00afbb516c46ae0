"""Frames of the server, as text. Rows are encoded before, once for all clients."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

MAX_FRAME_CHARACTERS: Final = 256 * 1024  # a longer list of rows is split into several frames

GapReason = str  # cursor_too_old | topic_changed | below_start | beyond_end | overflow


def frame(op: str, **fields: Any) -> str:
    """A frame of plain values."""
    return json.dumps({"op": op, **fields}, separators=(",", ":"), ensure_ascii=False)


def error(code: str, message: str, subscription: int | None = None, **fields: Any) -> str:
    """An error frame; `subscription` None means the whole connection."""
    return frame("error", id=subscription, code=code, message=message, **fields)


def snapshot(
    subscription: int, generation: int, rows: list[str], cursor: str | None, total: int, total_exact: bool
) -> Iterator[str]:
    """Snapshot frames: all but the last have ``more``; only the last has the cursor, if there is one."""
    parts = list(_parts(rows))
    # Where not all are counted, not all were read either: a limit may be as great as what is counted.
    is_truncated = not total_exact or total > len(rows)
    count = f'"total":{total},"total_exact":{_bool(total_exact)},"truncated":{_bool(is_truncated)}'
    head = f'{{"op":"snapshot","id":{subscription},"generation":{generation},"rows":['
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        end = f'],"cursor":{_text(cursor if last else None)},"more":{_bool(not last)},{count}}}'
        yield head + ",".join(part) + end


def deltas(subscription: int, rows: list[str], cursor: str, at_us: int, conflated: int) -> Iterator[str]:
    """Delta frames. Only the last has the cursor and the number of conflated changes."""
    parts = list(_parts(rows))
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        count = conflated if last else 0
        end = f'],"cursor":{_text(cursor if last else None)},"at_us":{at_us},"conflated":{count}}}'
        yield f'{{"op":"delta","id":{subscription},"rows":[' + ",".join(part) + end


def _parts(rows: Iterable[str]) -> Iterator[list[str]]:
    part: list[str] = []
    size = 0
    for row in rows:
        if part and size + len(row) > MAX_FRAME_CHARACTERS:
            yield part
            part, size = [], 0
        part.append(row)
        size += len(row)
    yield part


def _text(text: str | None) -> str:
    return "null" if text is None else f'"{text}"'


def _bool(value: bool) -> str:
    return "true" if value else "false"
