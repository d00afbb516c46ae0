"""The rows of a result that were stored and not evaluated, read a part at a time."""

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from itertools import islice
from typing import Final, NamedTuple

from weir.results.models import ALIAS, ResultOffset, ResultRow
from weir.results.services.queries import StoredRow, consistent_snapshot, read_rows
from weir.results.services.records import key_digest

MAX_MISSED: Final = 50_000  # rows of one result that are looked at after a pause; the newest
_PIECE_ROWS: Final = 200
_PIECE_CHARACTERS: Final = 1024 * 1024

Offset = tuple[int, int]  # id of the stored topic, offset


class _Place(NamedTuple):
    """Where a row was when the missed rows were listed, in the order of rows, and the digest of its key."""

    timestamp_ms: int
    partition: int
    offset: int
    digest: str


class MissedRows:
    """Missed rows in the order in which they were written, as far as Kafka tells.

    Args:
        job_id: of the result.
        generation: of that job.
        places: of the rows.
        ends: partition → where all of them will have been evaluated.
    """

    def __init__(
        self, job_id: str, generation: int, places: Iterable[_Place], ends: Mapping[int, Offset]
    ) -> None:
        self._job_id = job_id
        self._generation = generation
        self._left = deque(sorted(places))
        self._ends = dict(ends)

    @property
    def done(self) -> bool:
        """Whether no row is left."""
        return not self._left

    def next_rows(self) -> list[StoredRow]:
        """Some of the rows that are left, in order; none at the end. Those replaced or deleted since are left
        out.
        """
        while self._left:
            piece = list(islice(self._left, _PIECE_ROWS))
            rows = read_rows(
                self._job_id,
                self._generation,
                {(place.partition, place.offset): place.digest for place in piece},
                _PIECE_CHARACTERS,
            )
            if rows:
                return rows
            self._drop(piece[-1])
        return []

    def advance(self, rows: Sequence[StoredRow]) -> None:
        """These, the first of `next_rows`, have been evaluated."""
        last = rows[-1]
        self._drop(_Place(last.timestamp_ms, last.partition, last.offset, last.digest))

    def _drop(self, last: _Place) -> None:
        while self._left and self._left[0] <= last:
            self._left.popleft()

    def offsets(self) -> dict[int, Offset]:
        """Partition → where evaluation has to go on."""
        found = dict(self._ends)
        for place in self._left:
            topic, offset = found[place.partition]
            found[place.partition] = (topic, min(offset, place.offset))
        return found


def read_missed(job_id: str, generation: int, known: Mapping[int, Offset]) -> MissedRows:
    """The rows of a result that lie beyond what was evaluated; two queries, and one for each partition.

    Args:
        job_id: of the result.
        generation: of that job.
        known: partition → how far it was evaluated.
    """
    with consistent_snapshot():
        ends = {
            row.partition: (row.topic_id, row.next_offset)
            for row in ResultOffset.objects.using(ALIAS).filter(
                topic__job_id=job_id, topic__generation=generation
            )
        }
        places: list[_Place] = []
        for partition, (topic, end) in ends.items():
            at = known.get(partition)
            start = 0 if at is None or at[0] != topic else at[1]
            if start < end:
                found = ResultRow.objects.using(ALIAS).filter(
                    job_id=job_id, generation=generation, partition=partition, offset__gte=start
                )
                newest = found.order_by("-offset").values_list(*_Place._fields)[:MAX_MISSED]
                places += [_Place(*values) for values in newest]
    places.sort()
    return MissedRows(job_id, generation, places[-MAX_MISSED:], ends)


def stored_ends(results: Collection[tuple[str, int]]) -> dict[tuple[str, int], dict[int, Offset]]:
    """How far the rows of results are stored, by partition; one query. Results whose topic is not stored are
    left out.

    Args:
        results: job id and generation of each.
    """
    found: dict[tuple[str, int], dict[int, Offset]] = {}
    rows = ResultOffset.objects.using(ALIAS).filter(topic__job_id__in={job_id for job_id, _ in results})
    columns = ("topic__job_id", "topic__generation", "partition", "topic_id", "next_offset")
    for job_id, generation, partition, topic, end in rows.values_list(*columns):
        if (job_id, generation) in results:
            found.setdefault((job_id, generation), {})[partition] = (topic, end)
    return found


def absent_keys(job_id: str, generation: int, keys: Set[str]) -> set[str]:
    """Those of some keys that have no stored row any more; one query, none without keys."""
    digests = {key_digest(key): key for key in keys}
    if not digests:
        return set()
    stored = set(
        ResultRow.objects.using(ALIAS)
        .filter(job_id=job_id, generation=generation, digest__in=digests)
        .values_list("digest", flat=True)
    )
    return {key for digest, key in digests.items() if digest not in stored}
