"""A play against what its test expects: a difference row by row."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jobs.base.problems import DocumentPath
from jobs.base.types import TIMESTAMP, DataType
from jobs.formats.written_names import NO_NAMES
from jobs.job_tests.document import Expectation, ExpectedRows, JobTest
from jobs.job_tests.played_content import (
    DELETED,
    TIME,
    Content,
    RowForm,
    ShownRow,
    content_of,
    output_form,
)
from jobs.job_tests.played_counts import count_differences
from jobs.job_tests.results import MAX_DIFFERENCES, Difference, FieldDifference, JobTestResult
from jobs.job_tests.row_matching import pair_rows
from jobs.job_tests.row_values import Comparison
from jobs.job_tests.times import read_start
from jobs.plan import Plan
from jobs.play import PlayedBatch, PlayedRows, PlayResult

_RAW_CHARS = 500
_MOST_PAIRS = 1_000_000  # of an expected row and a row: some ten seconds
_SAME_IDENTITY = 1_000_000  # more than a row has fields


@dataclass(frozen=True, slots=True)
class _Place:
    """One output or step, in one batch or at the end."""

    of: str
    name: str
    path: DocumentPath
    batch: int | None

    @property
    def text(self) -> str:
        when = "at the end" if self.batch is None else f"in batch {self.batch + 1}"
        return f"{'output' if self.of == 'outputs' else 'step'} {self.name} {when}"

    @property
    def sentence_start(self) -> str:
        """The text with a capital letter."""
        return self.text[0].upper() + self.text[1:]

    def difference(self, kind: Any, path: DocumentPath, message: str, **said: Any) -> Difference:
        return Difference(
            kind=kind, path=path, of=self.of, name=self.name, batch=self.batch, message=message, **said
        )


def compare(test: JobTest, plan: Plan, played: PlayResult) -> JobTestResult:
    """The result of a test.

    Args:
        test: checked against the plan (`jobs.job_tests.check`).
        plan: of the job document that was played.
        played: what it gave.
    """
    if played.problem is not None:
        raw = played.problem.raw.partition("\n")[0][:_RAW_CHARS]
        message = played.problem.message + (f"\n{raw}" if raw else "")
        return JobTestResult(name=test.name, status="error", message=message, elapsed_ms=played.elapsed_ms)
    look = Comparison(read_start(test.start), test.tolerance)
    found: list[Difference] = []
    for number, batch in enumerate(test.batches):
        given = played.batches[number : number + 1]
        found += _differences(batch.expect, ("batches", str(number), "expect"), given, number, plan, look)
    found += _differences(test.expect, ("expect",), played.batches, None, plan, look)
    return JobTestResult(
        name=test.name,
        status="failed" if found else "passed",
        differences=tuple(found[:MAX_DIFFERENCES]),
        total=len(found),
        elapsed_ms=played.elapsed_ms,
    )


def _differences(
    expect: Expectation,
    path: DocumentPath,
    given: tuple[PlayedBatch, ...],
    batch: int | None,
    plan: Plan,
    look: Comparison,
) -> list[Difference]:
    found: list[Difference] = []
    for name, rows in expect.outputs.items():
        place = _Place("outputs", name, (*path, "outputs", name), batch)
        form = output_form(plan, name)
        found += _of_rows(rows, place, [part.outputs.get(name) for part in given], form, look)
    for name, rows in expect.steps.items():
        place = _Place("steps", name, (*path, "steps", name), batch)
        form = RowForm(plan.relation(name), NO_NAMES)
        found += _of_rows(rows, place, [part.steps.get(name) for part in given], form, look)
    return found + count_differences(expect, path, given, batch)


def _of_rows(
    expected: ExpectedRows,
    place: _Place,
    given: list[PlayedRows | None],
    form: RowForm,
    look: Comparison,
) -> list[Difference]:
    content = content_of(
        [rows for rows in given if rows is not None], form, deletions=place.batch is not None
    )
    if content.truncated:
        message = f"The rows of {place.text} are too many to be kept, so that they cannot be compared."
        return [place.difference("incomplete", place.path, message)]
    if expected.size * len(content.rows) > _MOST_PAIRS:
        message = (
            f"{place.sentence_start} has {len(content.rows):,} rows, too many to compare with"
            f" {expected.size:,} expected ones."
        )
        return [place.difference("incomplete", place.path, message)]
    judge = _Judge(expected.strict, form, look)
    found: list[Difference] = []
    if expected.rows is not None:
        found += _paired(expected.rows, "rows", content, place, judge, only=True)
    found += _paired(expected.contains, "contains", content, place, judge, only=False)
    for at, unwanted in enumerate(expected.absent):
        message = f"{place.sentence_start} has a row that must not come."
        found += [
            place.difference(
                "forbidden", (*place.path, "absent", str(at)), message, expected=unwanted, got=row.plain
            )
            for row in content.rows
            if judge.fits(unwanted, row)
        ]
    return found


def _paired(
    expected: list[dict[str, Any]],
    part: str,
    content: Content,
    place: _Place,
    judge: "_Judge",
    *,
    only: bool,
) -> list[Difference]:
    rows = content.rows
    pairs = pair_rows(
        len(expected),
        len(rows),
        lambda one, row: judge.fits(expected[one], rows[row]),
        lambda one, row: judge.likeness(expected[one], rows[row]),
    )
    found = [
        place.difference(
            "differs",
            (*place.path, part, str(one)),
            f"A row of {place.text} has other values.",
            expected=expected[one],
            got=rows[row].plain,
            fields=judge.field_differences(expected[one], rows[row]),
        )
        for one, row in pairs.differing
    ]
    found += [
        place.difference(
            "missing",
            (*place.path, part, str(one)),
            f"A row of {place.text} is missing.",
            expected=expected[one],
        )
        for one in pairs.missing
    ]
    if only:
        found += [
            place.difference(
                "unexpected",
                (*place.path, part),
                f"{place.sentence_start} has a row that nobody expected.",
                got=rows[row].plain,
            )
            for row in pairs.unexpected
        ]
    return found


@dataclass(frozen=True, slots=True)
class _Judge:
    """Compares an expected row with a row."""

    strict: bool
    form: RowForm
    look: Comparison

    def fits(self, expected: Mapping[str, Any], row: ShownRow) -> bool:
        """True when the row is the expected one. A deleted row has to be named as one."""
        return not any(True for _ in self._differing(expected, row))

    def field_differences(self, expected: Mapping[str, Any], row: ShownRow) -> tuple[FieldDifference, ...]:
        """The fields that are not as expected."""
        return tuple(self._differing(expected, row))

    def likeness(self, expected: Mapping[str, Any], row: ShownRow) -> int:
        """How much a row is like an expected one: by identity where the expected row names it, or else by the
        number of equal fields.
        """
        if _says_deletion(row) and bool(expected.get(DELETED)) != row.deleted:
            return 0
        keys = [path[0] for path in self.form.key if len(path) == 1]
        named = [name for name in keys if name in expected and name in row.values]
        if any(not self._equal(name, expected, row) for name in named):
            return 0
        alike = sum(name in row.values and self._equal(name, expected, row) for name in expected)
        return alike + (_SAME_IDENTITY if keys and len(named) == len(self.form.key) else 0)

    def _differing(self, expected: Mapping[str, Any], row: ShownRow) -> list[FieldDifference]:
        wanted = dict(expected) if DELETED in expected or not row.deleted else {**expected, DELETED: False}
        found = [
            FieldDifference(
                field=name, expected=value, got=row.values.get(name), absent=name not in row.values
            )
            for name, value in wanted.items()
            if not self._equal(name, wanted, row)
        ]
        if self.strict:
            found += [
                FieldDifference(field=name, expected=None, got=value)
                for name, value in row.values.items()
                if name not in row.beside and name not in wanted
            ]
        return found

    def _equal(self, name: str, expected: Mapping[str, Any], row: ShownRow) -> bool:
        if name == DELETED and _says_deletion(row):
            return bool(expected[name]) == row.deleted
        if name not in row.values:
            return False
        return self.look.equal(expected[name], row.values[name], self._type(name, row))

    def _type(self, name: str, row: ShownRow) -> DataType | None:
        if name in row.beside:
            return TIMESTAMP if name == TIME else None
        return self.form.types.get(name)


def _says_deletion(row: ShownRow) -> bool:
    """Whether `_deleted` says that a row was taken away, and is no field that is written under that name."""
    return row.deleted or DELETED not in row.values
