"""What one reader of a followed stream sees: rows by its contract, and only records that meet its condition.

Records are chosen on the feed's thread, where the database may be asked; they are shown on the event loop, which asks nothing.
"""

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from confluent_kafka import Message
from django.db import DatabaseError, close_old_connections

from jobs.formats.encodings import AvroEncoding, DebeziumEncoding, Encoding, KeyEncoding
from jobs.formats.framing import unframed
from jobs.formats.records import Malformed
from weir.live.lookups import StreamInfo
from weir.streams.decoding import record_json
from weir.streams.record_filter import record_filter
from weir.streams.topic_ref import TopicRef
from weir.workspaces.errors import ServiceError

NEWEST: Final = 500  # of a batch; nobody is sent more records per second
TRIED_PER_SECOND: Final = 2_000  # records against a condition: decoding them all would hold up whoever else follows the cluster
CHOOSING_S: Final = 0.2  # of processor time for a batch: a condition that takes longer is tried on fewer records
_ASKED_AT_ONCE: Final = 10  # schemas per batch: frames with made-up ids must not become a query each
_KNOWN: Final = 1_000

_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Of a batch: how many records arrived, how many were tried against the condition, and those that met it, oldest first."""

    arrived: int
    tried: int
    matches: list[Message]


class TailView:
    """One reader's view of a stream."""

    def __init__(self, stream: StreamInfo, where: str | None = None) -> None:
        """Begin.

        Args:
            stream: which stream; its `schema_of` asks the database.
            where: a condition of the job language, as for browsing; None: all records.

        Raises:
            ServiceError: the condition has faults.
        """
        self._contract = stream.contract
        self._ask = stream.schema_of
        self._framed = stream.contract is not None and any(map(_is_framed, (stream.contract.encoding, stream.contract.key_encoding)))
        self._known: dict[int, str | None] = {}
        ref = TopicRef(stream.profile, stream.topic, 0, stream.contract, self._known.get)
        self._keep = None if where is None else record_filter(ref, None, where)
        self._allowed = float(NEWEST)
        self._allowed_at = time.monotonic()

    @property
    def chooses(self) -> bool:
        """True when there is a condition."""
        return self._keep is not None

    def choose(self, messages: list[Message]) -> Chosen:
        """Which records of a batch may be shown: the newest. Called on the feed's thread."""
        newest = messages[-NEWEST:]
        if self._framed:
            self._learn(newest)
        if self._keep is None:
            return Chosen(len(messages), len(messages), newest)
        tried = newest[-self._take_tries(len(newest)) :]
        matches, count, deadline = [], 0, time.thread_time() + CHOOSING_S
        for message in reversed(tried):
            if time.thread_time() > deadline:
                break
            count += 1
            try:
                if self._keep(message):
                    matches.append(message)
            except ServiceError as slow:
                _LOG.info("a record was not tried: %s", slow)
        return Chosen(len(messages), count, matches[::-1])

    def show(self, message: Message) -> dict[str, Any]:
        """A record in the API's form."""
        return record_json(message, self._contract, self._known.get)

    def _take_tries(self, wanted: int) -> int:
        """How many records may be tried now; at least one, so that a stream that is always too fast is looked at all the same."""
        now = time.monotonic()
        self._allowed = min(float(NEWEST), self._allowed + (now - self._allowed_at) * TRIED_PER_SECOND)
        self._allowed_at = now
        tries = max(1, min(wanted, int(self._allowed)))
        self._allowed -= tries
        return tries

    def _learn(self, messages: list[Message]) -> None:
        """Look up the schemas of writers that were not met before: one may be registered while the stream is followed."""
        unknown = [number for number in dict.fromkeys(_ids(messages)) if number not in self._known][:_ASKED_AT_ONCE]
        if not unknown:
            return
        if len(self._known) > _KNOWN:
            self._known.clear()
        try:
            for number in unknown:
                self._known[number] = self._ask(number)
        except DatabaseError as error:  # asked again with the next record
            _LOG.info("schemas of a followed stream: %s", error)
        finally:
            close_old_connections()


def _is_framed(encoding: Encoding | KeyEncoding) -> bool:
    """True where an id says by which schema a record was written."""
    inner = encoding.inner if isinstance(encoding, DebeziumEncoding) else encoding
    return isinstance(inner, AvroEncoding) and inner.framing == "confluent"


def _ids(messages: list[Message]) -> Iterator[int]:
    """Ids that stand before keys and values; bytes that are not framed may look so too, and mostly no schema has their id."""
    for message in messages:
        for raw in (message.value(), message.key()):
            frame = unframed(raw) if isinstance(raw, bytes) else None
            if frame is not None and not isinstance(frame, Malformed):
                yield frame[0]
