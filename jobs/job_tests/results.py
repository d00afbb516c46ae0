"""What a test gave: passed, or how it differs, row by row."""

import json
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict

MAX_DIFFERENCES: Final = 200

Status = Literal["passed", "failed", "error"]
DifferenceKind = Literal["missing", "unexpected", "differs", "forbidden", "count", "incomplete"]


class _Result(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class FieldDifference(_Result):
    """A field of a row that has another value; `absent`: the row has no such field."""

    field: str
    expected: Any = None
    got: Any = None
    absent: bool = False


class Difference(_Result):
    """One thing that is not as expected.

    Attributes:
        kind: a row is missing, nobody expected it, has other values (`fields`), or is forbidden; a count is
            another; or not all rows are known (`incomplete`), so that nothing can be said.
        path: of the expectation in the test document.
        of: ``outputs``, ``steps`` or what was counted.
        name: of the output, step or source.
        batch: from 0; None: at the end.
        expected: the row or count.
        got: the row or count.
        message: one sentence.
    """

    kind: DifferenceKind
    path: tuple[str, ...]
    of: str
    name: str
    batch: int | None
    message: str
    expected: Any = None
    got: Any = None
    fields: tuple[FieldDifference, ...] = ()

    def detail_lines(self) -> list[str]:
        """The rows, or for a row with other values its fields."""
        if self.kind == "differs":
            lines = [
                f"{field.field}: expected {_json(field.expected)}, got"
                f" {'no such field' if field.absent else _json(field.got)}"
                for field in self.fields
            ]
            return [*lines, f"row: {_json(self.got)}"]
        if self.kind in ("count", "incomplete"):
            return []
        row = self.expected if self.kind == "missing" else self.got
        return [f"{'-' if self.kind == 'missing' else '+'} {_json(row)}"]


class Divergence(_Result):
    """Where rows first went another way than when the test passed last: step and batch, from 0."""

    step: str
    batch: int


class JobTestResult(_Result):
    """The result of one test.

    Attributes:
        name: of the test.
        status: error: it could not be played to its end, or is not valid; `message` says why.
        differences: the first of them.
        total: how many there are.
        diverged: None: nothing to compare with, or the rows of all steps are the same.
        elapsed_ms: of the play.
    """

    name: str
    status: Status
    message: str = ""
    differences: tuple[Difference, ...] = ()
    total: int = 0
    diverged: Divergence | None = None
    elapsed_ms: int = 0

    def as_json(self) -> dict[str, Any]:
        """The form of the API."""
        return self.model_dump(mode="json")

    def text_lines(self) -> list[str]:
        """What is to be said of it in a terminal or a CI's report, the most important first."""
        lines = [self.message] if self.message else []
        for found in self.differences:
            lines.append(found.message)
            lines += [f"  {line}" for line in found.detail_lines()]
        if self.total > len(self.differences):
            lines.append(f"… and {self.total - len(self.differences):,} more differences.")
        if self.diverged is not None:
            lines.append(
                f"Rows first differ from those of the last passing run in step {self.diverged.step},"
                f" batch {self.diverged.batch + 1}."
            )
        return lines


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
