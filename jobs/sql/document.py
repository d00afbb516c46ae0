"""SQL text as a document: ``docs/reference/sql.md``."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jobs.base.budget import Budget, OverBudget, bounded
from jobs.base.problems import DocumentPath, Problem, problem
from jobs.document import MAX_PROBLEMS
from jobs.formats.contract import StreamContract
from jobs.plan.pipeline import MAX_WORK
from jobs.sql.builder import Builder
from jobs.sql.draft import Expression, SqlDraft
from jobs.sql.order import in_order
from jobs.sql.parse import parse
from jobs.sql.statements import CreateOutput, CreateView
from jobs.sql.tokens import PATH, SqlError


@dataclass(frozen=True)
class SqlReading:
    """What a text says.

    Attributes:
        document: plain values, as far as the text could be read; None if it says nothing.
        problems: of statements that could not be read; their spans are characters of the text.
        places: by path in the document, what was written there.
    """

    document: dict[str, Any] | None
    problems: tuple[Problem, ...]
    places: Mapping[DocumentPath, Expression]

    def located(self, found: Problem) -> tuple[int, int] | None:
        """The characters of the text that a problem of the document is about."""
        for length in range(len(found.path), 0, -1):
            place = self.places.get(found.path[:length])
            if place is not None:
                if found.span is None or not place.verbatim or length < len(found.path):
                    return place.span
                return place.span[0] + found.span[0], place.span[0] + found.span[1]
        return None


def read_sql(text: str, catalog: Mapping[str, StreamContract], *, seconds: float | None = None) -> SqlReading:
    """Turn statements into a document.

    Args:
        text: statements, each ended by a semicolon.
        catalog: contracts of the streams and tables that FROM may name, by name.
        seconds: processor time that finding out the fields of joined rows may take; None: only its work is
            limited.

    Returns:
        The document, whose meaning the planner checks, and the problems of what could not be read.
    """
    with bounded(Budget(MAX_WORK, seconds)):
        return _read(text, catalog)


def _read(text: str, catalog: Mapping[str, StreamContract]) -> SqlReading:
    statements, problems = parse(text)
    if not statements and not problems:
        problems.append(
            problem("SQL_INVALID", PATH, "There is no statement.", "Example: SELECT * FROM trades")
        )
    views = frozenset(one.name.text for one in statements if isinstance(one, CreateView))
    outputs = frozenset(one.name.text for one in statements if isinstance(one, CreateOutput) and one.is_named)
    builder = Builder(SqlDraft(catalog, views, outputs))
    for one in in_order(statements):
        try:
            builder.add(one)
        except SqlError as error:
            problems.append(error.problem)
        except OverBudget as over:
            message = f"The text is too large to be read: {over}."
            problems.append(problem("DOCUMENT_TOO_LARGE", PATH, message, "Split it into several jobs."))
            break
    document = builder.draft.document() if statements else None
    return SqlReading(document, tuple(problems[:MAX_PROBLEMS]), builder.draft.places)
