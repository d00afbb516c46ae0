"""Problems: located findings about a document (`docs/reference/problems.md`).

Checking returns them; it does not raise.
"""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from jobs.base.names import ProblemCode

Severity = Literal["error", "warning"]

DocumentPath = tuple[str, ...]
"""Where in a document: keys and indexes from the outside in, indexes as text; () is the whole."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding.

    Attributes:
        code: fixed name from `docs/reference/problems.md`, such as ``FIELD_UNKNOWN``.
        path: where in the document, such as ``("steps", "stats", "measures", "avg_ask")``; list indexes
            are numbers as text.
        message: what is wrong, in one sentence.
        hint: what to do about it; may be empty.
        severity: an error prevents submitting the document, a warning does not.
        span: range of characters in the text at `path`, the end exclusive; None for the whole value.
    """

    code: ProblemCode
    path: DocumentPath
    message: str
    hint: str = ""
    severity: Severity = "error"
    span: tuple[int, int] | None = None

    def as_json(self) -> dict[str, Any]:
        """The problem as the API returns it, with path and span as lists."""
        row = asdict(self)
        row["path"] = list(self.path)
        row["span"] = list(self.span) if self.span else None
        return row


def problem(
    code: str, path: DocumentPath, message: str, hint: str = "", *, span: tuple[int, int] | None = None
) -> Problem:
    """An error at `path`."""
    return Problem(ProblemCode(code), path, message, hint, "error", span)


def warning(
    code: str, path: DocumentPath, message: str, hint: str = "", *, span: tuple[int, int] | None = None
) -> Problem:
    """A warning at `path`."""
    return Problem(ProblemCode(code), path, message, hint, "warning", span)


def has_errors(problems: list[Problem]) -> bool:
    """True when any of them is an error, not a warning."""
    return any(found.severity == "error" for found in problems)
