"""Sums over the batches of a play."""

from collections.abc import Iterable, Mapping

from jobs.play import PlayedRow, PlayedRows, PlayResult


class PlayTotals:
    """What a play gave in all.

    Args:
        result: of the play.
    """

    def __init__(self, result: PlayResult) -> None:
        batches = result.batches
        self.batches = batches
        self.late = sum(batch.late for batch in batches)
        self.late_by_step = sums(batch.late_by_step for batch in batches)
        self.nulls = sums(batch.nulls for batch in batches)
        self.keyless = sums(batch.keyless for batch in batches)
        self.watermarks = [at for batch in batches for at in batch.watermark_us.values() if at]
        self.steps = _lists(batch.steps for batch in batches)
        self.outputs = _lists(batch.outputs for batch in batches)

    def nulls_of(self, step: str) -> dict[str, int]:
        """By expression."""
        return sums(batch.nulls_by_expression.get(step, {}) for batch in self.batches)

    def records(self, source: str) -> int:
        """Records that were read of a source."""
        return sum(batch.sources[source].records for batch in self.batches if source in batch.sources)

    def malformed(self, source: str) -> int:
        """Malformed records of a source."""
        return sum(
            sum(batch.sources[source].malformed.values()) for batch in self.batches if source in batch.sources
        )

    def rows(self, reference: str) -> int | None:
        """Rows that a node gave; None: it is not seen."""
        found = self.steps.get(reference)
        return None if found is None else sum(rows.rows for rows in found)

    def tombstones(self, reference: str) -> int:
        """Deletions that a node gave."""
        return sum(rows.tombstones for rows in self.steps.get(reference, ()))

    def kept(self, reference: str) -> tuple[PlayedRow, ...]:
        """The rows of a node that came with the answer, tombstones included."""
        return tuple(row for rows in self.steps.get(reference, ()) for row in rows.first)

    def is_whole(self, reference: str) -> bool:
        """Whether all of its rows came with the answer."""
        return not any(rows.truncated for rows in self.steps.get(reference, ()))


def sums(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The sum of each name."""
    found: dict[str, int] = {}
    for one in counts:
        for name, count in one.items():
            found[name] = found.get(name, 0) + count
    return found


def _lists(rows: Iterable[Mapping[str, PlayedRows]]) -> dict[str, list[PlayedRows]]:
    found: dict[str, list[PlayedRows]] = {}
    for one in rows:
        for name, played in one.items():
            found.setdefault(name, []).append(played)
    return found
