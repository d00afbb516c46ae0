"""One reader's view of a tailed stream: rows decoded by its contract, and only records that match its filter.

Records are filtered on the consumer's thread, where database queries are allowed; they are decoded on the
event loop, without queries.
"""

import logging
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from confluent_kafka import Message
from django.db import DatabaseError, close_old_connections

from jobs.base.budget import Budget, bounded
from jobs.formats.framing import unframed
from jobs.formats.record_formats import AvroEncoding, DebeziumEncoding, Encoding, KeyEncoding
from jobs.formats.records import Malformed
from weir.live.lookups import StreamInfo
from weir.streams.services.decoding import NOT_DECODED, record_json
from weir.streams.services.record_filter import record_filter
from weir.streams.services.scan import size_of
from weir.streams.services.topic_ref import TopicRef
from weir.workspaces.errors import ServiceError

MAX_RECORDS_PER_BATCH: Final = 500  # no client gets more records per second
# Records that a filter is evaluated on: decoding all of them would delay other readers of the cluster
EVALUATED_PER_SECOND: Final = 2_000
FILTER_TIME_S: Final = 0.2  # CPU time per batch: a slower filter is evaluated on fewer records
FRAME_VALUES: Final = (
    20_000  # elements and members of the records of one frame, of which there are four a second
)
FRAME_CPU_S: Final = 0.1
DECODED_BYTES: Final = 64 * 1024
_MAX_SCHEMAS_PER_BATCH: Final = 10  # records with invented schema ids must not cause a query each
_MAX_SCHEMAS: Final = 1_000

_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A filtered batch: how many records arrived, on how many the filter was evaluated, and those
    that match, oldest first.
    """

    arrived: int
    evaluated: int
    matches: list[Message]


class TailView:
    """One reader's view of a stream."""

    def __init__(self, stream: StreamInfo, where: str | None = None) -> None:
        """Create the view.

        Args:
            stream: the stream; its `schema_of` queries the database.
            where: a filter in the job language, as for browsing; None: all records.

        Raises:
            ServiceError: the filter is invalid.
        """
        self._contract = stream.contract
        self._schema_of = stream.schema_of
        self._framed = stream.contract is not None and any(
            map(_is_framed, (stream.contract.encoding, stream.contract.key_encoding))
        )
        self._known: dict[int, str | None] = {}
        ref = TopicRef(stream.profile, stream.topic, 0, stream.contract, self._known.get)
        self._keep = None if where is None else record_filter(ref, None, where)
        self._allowed = float(MAX_RECORDS_PER_BATCH)
        self._allowed_at = time.monotonic()

    @property
    def chooses(self) -> bool:
        """True when there is a filter."""
        return self._keep is not None

    def choose(self, messages: list[Message]) -> Chosen:
        """The records of a batch that may be shown: the newest. Called on the consumer's thread."""
        newest = messages[-MAX_RECORDS_PER_BATCH:]
        if self._framed:
            self._learn(newest)
        if self._keep is None:
            return Chosen(len(messages), len(messages), newest)
        evaluated = newest[-self._take_evaluations(len(newest)) :]
        matches, count, deadline = [], 0, time.thread_time() + FILTER_TIME_S
        for message in reversed(evaluated):
            if time.thread_time() > deadline:
                break
            count += 1
            try:
                if self._keep(message):
                    matches.append(message)
            except ServiceError as slow:
                _LOG.info("the filter was not evaluated on a record: %s", slow)
        return Chosen(len(messages), count, matches[::-1])

    def show(self, messages: Iterable[Message]) -> list[dict[str, Any]]:
        """The records of one frame as JSON of the API. On the event loop, which everybody needs: what is too
        large for a frame is shown undecoded.
        """
        with bounded(Budget(FRAME_VALUES, FRAME_CPU_S)):
            return [self._shown(message) for message in messages]

    def _shown(self, message: Message) -> dict[str, Any]:
        if self._contract is None or size_of(message) <= DECODED_BYTES:
            return record_json(message, self._contract, self._known.get)
        detail = (
            f"Records above {DECODED_BYTES} bytes aren't decoded while they are followed. Browse to see it."
        )
        return {
            **record_json(message, None),
            "malformed": {"reason": NOT_DECODED, "detail": detail, "field": ""},
        }

    def _take_evaluations(self, requested: int) -> int:
        """How many records the filter may be evaluated on now; at least one, so that a stream that is
        always too fast is sampled too.
        """
        now = time.monotonic()
        self._allowed = min(
            float(MAX_RECORDS_PER_BATCH), self._allowed + (now - self._allowed_at) * EVALUATED_PER_SECOND
        )
        self._allowed_at = now
        granted = max(1, min(requested, int(self._allowed)))
        self._allowed -= granted
        return granted

    def _learn(self, messages: list[Message]) -> None:
        """Look up writer schemas that were not seen before: one may be registered while
        the stream is tailed.
        """
        unknown = [number for number in dict.fromkeys(_ids(messages)) if number not in self._known][
            :_MAX_SCHEMAS_PER_BATCH
        ]
        if not unknown:
            return
        if len(self._known) > _MAX_SCHEMAS:
            self._known.clear()
        try:
            for number in unknown:
                self._known[number] = self._schema_of(number)
        except DatabaseError as error:  # retried with the next record
            _LOG.info("schemas of a tailed stream: %s", error)
        finally:
            close_old_connections()


def _is_framed(encoding: Encoding | KeyEncoding) -> bool:
    """True where a schema id in front of the value names the writer schema."""
    inner = encoding.inner if isinstance(encoding, DebeziumEncoding) else encoding
    return isinstance(inner, AvroEncoding) and inner.framing == "confluent"


def _ids(messages: list[Message]) -> Iterator[int]:
    """Schema ids in front of keys and values; unframed bytes may look the same, but then there is
    rarely a schema of that id.
    """
    for message in messages:
        for raw in (message.value(), message.key()):
            frame = unframed(raw) if isinstance(raw, bytes) else None
            if frame is not None and not isinstance(frame, Malformed):
                yield frame[0]
