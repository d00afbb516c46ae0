"""Looks for the records of one key among the newest of a topic, within limits."""

import json
from dataclasses import dataclass, field
from typing import Any, Final

from confluent_kafka import Message

from jobs.formats.records import Malformed, Row, json_value
from weir.diagnosis.services.source_facts import KeyScan
from weir.streams.services.browse import scan_page
from weir.streams.services.browse_page import BrowseQuery
from weir.streams.services.decoding import decoded_or_refused, timestamp_us
from weir.streams.services.row_sample import SampledRecord, in_order
from weir.streams.services.scan import Budget
from weir.streams.services.topic_ref import TopicRef
from weir.workspaces.errors import ServiceError

KEY_RECORDS: Final = 20_000  # of all sources together
KEY_SECONDS: Final = 3.0
KEY_BYTES: Final = 8 * 1024 * 1024
MAX_ROWS: Final = 500


def scan_for_key(
    ref: TopicRef, key: str, fields: tuple[str, ...], records: int
) -> tuple[tuple[SampledRecord, ...], KeyScan]:
    """The newest rows that have a key, in the order in which they were written, and what was scanned.

    Args:
        ref: a stream's topic.
        key: a value as text, or a JSON list of values that a row must have together.
        fields: of the contract, which may have it.
        records: scanned at most.

    Raises:
        NotFoundError: the topic doesn't exist.
        UnreachableError: the cluster doesn't answer.
    """
    search = _Search(ref, key, fields)
    query = BrowseQuery(limit=MAX_ROWS, budget=Budget(records, KEY_BYTES, KEY_SECONDS))
    page = scan_page(ref, query, search.accepts)
    rows = tuple(search.rows[message.partition(), message.offset()] for message in in_order(page.messages))
    return rows, KeyScan(
        fields=fields,
        read=page.scan["records"],
        found=len(rows),
        complete=not page.next_offsets,
        oldest_us=search.oldest_us,
        malformed=search.malformed,
        near=search.near,
        too_large=search.too_large,
    )


@dataclass
class _Search:
    ref: TopicRef
    key: str
    fields: tuple[str, ...]
    rows: dict[tuple[int | None, int | None], SampledRecord] = field(default_factory=dict)
    oldest_us: int | None = None
    malformed: int = 0
    near: str = ""
    too_large: int = 0

    def __post_init__(self) -> None:
        self._wanted = _values(self.key)
        self._folded = {_folded(value) for value in self._wanted}
        self._raw = self.key.encode()

    def accepts(self, message: Message) -> bool:
        """Whether a record is a row with the key."""
        at_us = timestamp_us(message)
        self.oldest_us = at_us if self.oldest_us is None else min(self.oldest_us, at_us)
        contract = self.ref.contract
        assert contract is not None
        try:
            row = decoded_or_refused(message, contract, self.ref.schema_of)
        except ServiceError:
            self.too_large += 1
            return False
        if isinstance(row, Malformed) and message.key() == self._raw:
            self.malformed += 1
        if not isinstance(row, Row) or row.deleted:
            return False
        texts = {_text(row.values.get(name)) for name in self.fields}
        if not self._wanted <= texts:
            self.near = self.near or next(filter(self._is_near, texts), "")
            return False
        place = (message.partition() or 0, message.offset() or 0)
        self.rows[place] = SampledRecord(row, *place, at_us)
        return True

    def _is_near(self, text: str) -> bool:
        return text not in self._wanted and _folded(text) in self._folded


def _values(key: str) -> frozenset[str]:
    """The values of a key: one as text, or those of a JSON list."""
    found = _json_list(key)
    return frozenset((key,)) if found is None else frozenset(map(_text, found))


def _json_list(key: str) -> list[Any] | None:
    try:
        found = json.loads(key) if key.startswith("[") else None
        _compact([found]).encode()  # an escape may stand for half a character, which no text can have
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) and found else None


def _text(value: Any) -> str:
    """A value as people write it."""
    plain = json_value(value)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)


def _folded(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold())).lstrip("0")


def identity_texts(key: str) -> tuple[str, ...]:
    """The identities that a result's row with this key may have, as JSON texts.

    Args:
        key: as in `scan_for_key`.
    """
    found = _json_list(key)
    return (_compact(found),) if found is not None else (_compact([key]), f"[{key}]")


def _compact(values: list[Any]) -> str:
    return json.dumps(values, separators=(",", ":"), ensure_ascii=False)
