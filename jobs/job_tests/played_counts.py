"""Counts of a play against expected ones."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from jobs.base.problems import DocumentPath
from jobs.job_tests.document import Expectation
from jobs.job_tests.results import Difference
from jobs.play import PlayedBatch


def count_differences(
    expect: Expectation, path: DocumentPath, given: tuple[PlayedBatch, ...], batch: int | None
) -> list[Difference]:
    """Counts that are not as expected; what an expectation does not name is not looked at."""
    when = "at the end" if batch is None else f"in batch {batch + 1}"

    def difference(of: str, name: str, expected: int, got: int, what: str) -> Difference:
        place = (*path, of, name) if name else (*path, of)
        where = f"{name} has " if name else "There are "
        message = f"{where}{got:,} {what} {when} instead of {expected:,}."
        return Difference(
            kind="count",
            path=place,
            of=of,
            name=name,
            batch=batch,
            message=message,
            expected=expected,
            got=got,
        )

    late = sum(part.late for part in given)
    found: list[Difference] = []
    if expect.late is not None and not late_fits(expect.late, late):
        found.append(difference("late", "", expect.late, late, "late rows"))
    by_step = _summed(given, lambda part: part.late_by_step)
    not_known = late - sum(by_step.values())
    for name, count in expect.late_by_step.items():
        may_be_its_own = not by_step[name] and not_known > 0
        if not late_fits(count, by_step[name]) and not (count and may_be_its_own):
            found.append(difference("late_by_step", name, count, by_step[name], "late rows"))
    for of, expected, got, what in (
        ("malformed", expect.malformed, _summed(given, _malformed), "malformed records"),
        (
            "errors",
            expect.errors,
            _summed(given, lambda part: part.nulls),
            "rows with an error that became null",
        ),
        ("keyless", expect.keyless, _summed(given, lambda part: part.keyless), "rows without a key"),
    ):
        found += [
            difference(of, name, count, got[name], what)
            for name, count in expected.items()
            if count != got[name]
        ]
    return found


def late_fits(expected: int, got: int) -> bool:
    """True where Spark's count of late rows can be the expected one: rows that it has grouped before count as
    one, so that it may be less, but neither none nor more.
    """
    return min(1, expected) <= got <= expected


def _malformed(batch: PlayedBatch) -> Mapping[str, int]:
    return {name: sum(source.malformed.values()) for name, source in batch.sources.items()}


def _summed(given: Iterable[PlayedBatch], of: Callable[[PlayedBatch], Mapping[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for part in given:
        total.update(of(part))
    return total
