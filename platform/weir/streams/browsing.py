"""Pages of records: newest, from the beginning, from an offset, from a time; all or those that match; onwards by an opaque cursor.

A page is one look: bounded by records found, records and bytes read, and seconds. It always says how far it looked and why it
stopped, and its cursor goes on exactly there, whether anything was found or not.
"""

import base64
import json
import time
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from confluent_kafka import Message, TopicPartition
from confluent_kafka.admin import OffsetSpec

from jobs.formats.json_text import bounded_json
from weir.clusters.topics import offsets, watermarks
from weir.streams.decoding import record_json
from weir.streams.matching import KeyAs, matcher
from weir.streams.places import Place
from weir.streams.scanning import Because, Budget, Keep, Scan, Stretch, scan
from weir.streams.whole_texts import whole_texts
from weir.workspaces.errors import NotFoundError, ServiceError

Origin = Literal["newest", "earliest", "offset", "time"]
_PIECE: Final = 2_000  # records per partition that are read at once when looking backwards for matches


@dataclass(frozen=True)
class Question:
    """What to show.

    Attributes:
        origin: where to begin; ``newest`` goes backwards, the others forwards.
        partition: only this one; None: all.
        offset: for origin ``offset``: first offset in every partition asked for.
        time_ms: first Kafka timestamp, ms since the epoch: where origin ``time`` begins and ``newest`` ends; None: no bound.
        until_ms: Kafka timestamp before which records must be; None: no bound.
        key: only records with this key.
        key_as: how `key` is written.
        where: only records that meet this condition of the job language.
        limit: records on a page.
        cursor: `next` of the page before; it replaces origin and offset, the rest is asked again.
        budget: what one look may cost.
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
class Page:
    """What one look found; `following` is where the next one begins, empty at the end. `piece` is what it reads at once."""

    shown: list[Message]
    looked: dict[str, Any]
    following: dict[int, int]
    backwards: bool
    piece: int = _PIECE

    @property
    def next(self) -> str | None:
        """The cursor of the next page."""
        if not self.following:
            return None
        cursor = {"back": self.backwards, "at": self.following, "piece": self.piece}
        return base64.urlsafe_b64encode(json.dumps(cursor).encode()).decode("ascii")


def browse(place: Place, question: Question) -> dict[str, Any]:
    """A page in the API's form: ``records``, how far it ``looked``, and ``next`` (None at the end).

    Raises:
        ServiceError: no such partition, a cursor that is none, a condition with faults.
        NotFoundError: the topic is gone.
        UnreachableError: the cluster does not answer.
    """
    page = look(place, question)
    records = [record_json(message, place.contract, place.schema_of) for message in page.shown]
    return {"records": records, "looked": page.looked, "next": page.next}


def look(place: Place, question: Question, keep: Keep | None = None) -> Page:
    """A page as messages; see `browse`. `keep` stands in for the question's own key and condition."""
    keep = keep or matcher(place, question.key, question.where, question.key_as)
    logs = {at[1]: both for at, both in watermarks(place.profile, {place.topic: place.partitions}).items()}
    if question.partition is not None and question.partition not in logs:
        raise ServiceError("PARTITION_UNKNOWN", f"{place.topic} has only partitions 0 to {len(logs) - 1}.")
    cursor = _read_cursor(question.cursor) if question.cursor else None
    backwards = cursor["back"] if cursor else question.origin == "newest"
    bounds = _bounds(place, logs, question, backwards=backwards)
    chosen = cursor["at"] if cursor else {p: _begin(bound, question) for p, bound in bounds.items()}
    begins = {p: min(max(at, bounds[p].first), bounds[p].end) for p, at in chosen.items() if p in bounds}
    if not backwards:
        return _forwards(place, bounds, begins, question, keep)
    piece = min(cursor["piece"] if cursor else _PIECE, max(1, question.budget.records // max(1, len(begins))))
    return _Backwards(place, bounds, begins, question, keep).run(min(piece, question.limit) if keep is None else piece)


def one_record(place: Place, partition: int, offset: int) -> dict[str, Any]:
    """A record whole, with its raw bytes and its decoded parts as texts.

    Raises:
        NotFoundError: no such partition, or the broker holds no record at that offset (any more).
        UnreachableError: the cluster does not answer.
    """
    logs = watermarks(place.profile, {place.topic: place.partitions})
    low, high = logs.get((place.topic, partition), (0, 0))
    found = scan(place.profile, place.topic, {partition: Stretch(offset, offset + 1, low, high)}, 1) if low <= offset < high else None
    if found is None or not found.messages:
        raise NotFoundError("RECORD_GONE", f"Partition {partition} has no record at offset {offset}; its offsets are {low} to {high}.")
    message = found.messages[0]
    shown = record_json(message, place.contract, place.schema_of, whole=True)
    return {**shown, **whole_texts(message, place.contract, place.schema_of)}


def _bounds(place: Place, logs: dict[int, tuple[int, int]], question: Question, *, backwards: bool) -> dict[int, Stretch]:
    """What may be looked at at all, by the times that bound the question."""
    chosen = [question.partition] if question.partition is not None else sorted(logs)
    lows = _at_time(place, logs, chosen, question.time_ms) if backwards or question.origin == "time" else {}
    highs = _at_time(place, logs, chosen, question.until_ms)
    found = {}
    for p in chosen:
        low, high = logs[p]
        first, end = max(low, lows.get(p, low)), min(high, highs.get(p, high))
        found[p] = Stretch(min(first, end), end, low, high)
    return found


def _at_time(place: Place, logs: dict[int, tuple[int, int]], chosen: list[int], at_ms: int | None) -> dict[int, int]:
    """First offset at or after an instant in each partition; its end where nothing is that new."""
    if at_ms is None:
        return {}
    found = offsets(place.profile, {TopicPartition(place.topic, p): OffsetSpec.for_timestamp(at_ms) for p in chosen})
    return {p: found[place.topic, p] if found[place.topic, p] >= 0 else logs[p][1] for p in chosen}


def _begin(bound: Stretch, question: Question) -> int:
    return {"newest": bound.end, "offset": question.offset}.get(question.origin, bound.first)


def _forwards(place: Place, bounds: dict[int, Stretch], begins: dict[int, int], question: Question, keep: Keep | None) -> Page:
    stretches = {p: replace(bounds[p], first=at) for p, at in begins.items()}
    found = scan(place.profile, place.topic, stretches, question.limit, keep=keep, budget=question.budget)
    following = found.positions if any(at < bounds[p].end for p, at in found.positions.items()) else {}
    if not following and any(bound.end < bound.log_end for bound in bounds.values()):
        found.because = "time"
    return Page(found.messages, _within(found.looked(), bounds, question), following, backwards=False)


def _within(looked: dict[str, Any], bounds: dict[int, Stretch], question: Question) -> dict[str, Any]:
    """With the stretch that the whole question is about, of which a look may be a part."""
    for row in looked["partitions"]:
        bound = bounds[row["partition"]]
        first = max(bound.first, question.offset) if question.origin == "offset" else bound.first
        row["first"], row["last"] = min(first, bound.end), bound.end
    return looked


class _Backwards:
    """Piece by piece towards the start; of each piece the newest matches are shown, and the cursor stays above those that are not."""

    def __init__(self, place: Place, bounds: dict[int, Stretch], begins: dict[int, int], question: Question, keep: Keep | None) -> None:
        self._place = place
        self._bounds = bounds
        self._begins = begins
        self._question = question
        self._keep = keep
        self._at = dict(begins)
        self._total = Scan({p: replace(bounds[p], end=at) for p, at in begins.items()}, positions=dict(begins))
        self._deadline = time.monotonic() + question.budget.seconds

    def run(self, piece: int) -> Page:
        """Look until there is a reason to stop; `piece` is how many records of each partition are read at once."""
        total = self._total
        while self._left() and total.because == "end":
            room = (self._question.budget.records - total.read) // len(self._at)
            if room < 1 and total.read:
                total.because = "records"
                break
            part = self._read(max(1, min(piece, room)))
            if part.because == "end":
                total.read, total.size = total.read + part.read, total.size + part.size
                self._show(part)
                total.because = self._reason()
            elif total.read:
                total.because = part.because  # what is left of the budget is too little for a piece
            elif piece > 1 and part.because != "timeout":
                piece = max(1, piece // 8)  # too heavy to be read whole; a piece that is cut cannot be shown newest first
            else:
                total.because, piece = part.because, max(1, piece // 8)
            total.elapsed_ms += part.elapsed_ms
        if total.because == "end" and any(bound.first > bound.log_start for bound in self._bounds.values()):
            total.because = "time"
        looked = total.looked()
        for row in looked["partitions"]:
            row["from"], row["to"] = self._at[row["partition"]], self._begins[row["partition"]]
        return Page(
            total.messages, _within(looked, self._bounds, self._question), self._at if self._left() else {}, backwards=True, piece=piece
        )

    def _left(self) -> bool:
        return any(top > self._bounds[p].first for p, top in self._at.items())

    def _read(self, piece: int) -> Scan:
        budget, total = self._question.budget, self._total
        left = Budget(max(1, budget.records - total.read), max(1, budget.size - total.size), self._deadline - time.monotonic())
        stretches = {p: replace(self._bounds[p], first=max(self._bounds[p].first, top - piece), end=top) for p, top in self._at.items()}
        return scan(self._place.profile, self._place.topic, stretches, piece * len(stretches) + 1, keep=self._keep, budget=left)

    def _show(self, part: Scan) -> None:
        """Take the newest of a piece, and go on below what was looked at, or right above the newest match that found no space."""
        ordered = sorted(part.messages, key=lambda message: (message.timestamp()[1], message.offset() or 0), reverse=True)
        space = self._question.limit - len(self._total.messages)
        self._total.messages += ordered[:space]
        self._at = {p: stretch.first for p, stretch in part.stretches.items()}
        for message in ordered[space:]:
            p = message.partition()
            if p is not None:
                self._at[p] = max(self._at[p], (message.offset() or 0) + 1)

    def _reason(self) -> Because:
        budget, total = self._question.budget, self._total
        if len(total.messages) >= self._question.limit:
            return "limit"
        if total.size >= budget.size:
            return "bytes"
        return "records" if total.read >= budget.records else "end"


def _read_cursor(text: str) -> dict[str, Any]:
    try:
        cursor = bounded_json(base64.urlsafe_b64decode(text.encode("ascii")))
        at = {int(p): int(offset) for p, offset in cursor["at"].items()}
        return {"back": bool(cursor["back"]), "at": at, "piece": min(_PIECE, max(1, int(cursor["piece"])))}
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ServiceError("CURSOR_INVALID", "Cursor expired or invalid. Restart without it.") from error
