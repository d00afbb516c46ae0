"""A page of records: what it shows, what its scan found, and the cursor that continues after it."""

import base64
import json
import zlib
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from confluent_kafka import Message

from jobs.formats.json_text import bounded_json
from weir.streams.services.record_filter import KeyAs
from weir.streams.services.scan import Budget, OffsetRange
from weir.workspaces.errors import ServiceError

Origin = Literal["newest", "earliest", "offset", "time"]
MAX_CURSOR: Final = 60_000  # characters: of some 5,900 partitions with offsets of ten digits
_MAX_CURSOR_BYTES: Final = 1_000_000  # once it is unpacked
PIECE: Final = 2_000  # records per partition that are read at once when scanning backwards


@dataclass(frozen=True)
class BrowseQuery:
    """Which records to show.

    Attributes:
        origin: where to start; ``newest`` scans backwards, the others forwards.
        partition: the only one to read; None: all.
        offset: for origin ``offset``: the first offset in each of these partitions.
        time_ms: first Kafka timestamp, ms since the epoch: where origin ``time`` starts and
            ``newest`` ends; None: no bound.
        until_ms: upper bound of the Kafka timestamp, excluded; None: no bound.
        key: only records with this key.
        key_as: how `key` is written.
        where: only records that meet this condition of the job language.
        limit: maximum number of records of a page.
        cursor: `next` of the previous page; it replaces origin and offset, all other
            parameters must be the same again.
        budget: limits of one scan.
    """

    origin: Origin = "newest"
    partition: int | None = None
    offset: int = 0
    time_ms: int | None = None
    until_ms: int | None = None
    key: str | None = None
    key_as: KeyAs = "text"
    where: str | None = None
    limit: int = 50
    cursor: str | None = None
    budget: Budget = field(default_factory=Budget)


@dataclass(frozen=True)
class Cursor:
    """Where a page starts.

    Attributes:
        backwards: newest first.
        at: partition → offset where the scan starts; None: where the query does.
        piece: records per partition that are read at once when scanning backwards.
    """

    backwards: bool
    at: dict[int, int] | None = None
    piece: int = PIECE

    @property
    def text(self) -> str:
        """As clients get it: compressed, because it stands in an address, and a topic may have thousands of
        partitions.
        """
        numbers = [number for pair in sorted((self.at or {}).items()) for number in pair]
        values = json.dumps([self.backwards, self.piece, numbers], separators=(",", ":"))
        return base64.urlsafe_b64encode(zlib.compress(values.encode(), 9)).decode("ascii")


def read_cursor(text: str) -> Cursor:
    """The cursor that a client sent.

    Raises:
        ServiceError: it is none of ours.
    """
    try:
        packed = base64.urlsafe_b64decode(text.encode("ascii"))
        backwards, piece, given = bounded_json(zlib.decompressobj().decompress(packed, _MAX_CURSOR_BYTES))
        numbers = [_integer(number) for number in given]
        at = dict(zip(numbers[::2], numbers[1::2], strict=True))
        return Cursor(backwards is True, at, min(PIECE, max(1, _integer(piece))))
    except (ValueError, TypeError, zlib.error) as error:
        raise ServiceError("CURSOR_INVALID", "Cursor expired or invalid. Restart without it.") from error


def _integer(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**63:
        raise ValueError(f"{value!r} is not an integer of at most 63 bits")
    return value


@dataclass(frozen=True)
class Page:
    """The result of one scan; `next_offsets` is where the next one starts, empty at the end.
    `piece`: records read at once.
    """

    messages: list[Message]
    scan: dict[str, Any]
    next_offsets: dict[int, int]
    backwards: bool
    piece: int = PIECE

    @property
    def next(self) -> str | None:
        """The cursor of the next page."""
        if not self.next_offsets:
            return None
        return Cursor(self.backwards, self.next_offsets, self.piece).text


def with_bounds(
    scanned: dict[str, Any], bounds: dict[int, OffsetRange], query: BrowseQuery
) -> dict[str, Any]:
    """Add the range of offsets that the whole query covers; one scan may be a part of it."""
    for row in scanned["partitions"]:
        bound = bounds[row["partition"]]
        start = max(bound.start, query.offset) if query.origin == "offset" else bound.start
        row["range_start"], row["range_end"] = min(start, bound.end), bound.end
    return scanned
