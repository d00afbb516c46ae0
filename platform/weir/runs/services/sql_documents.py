"""SQL as a face of documents: text to document with problems at their place, and back."""

from dataclasses import dataclass, replace
from typing import Any

from jobs.base.problems import Problem
from jobs.document import read_document
from jobs.sql import read_sql, write_sql
from weir.runs.services.planning import CHECK_TIMEOUT_S, plan_in
from weir.streams.services.streams import catalog
from weir.workspaces.models import Workspace


@dataclass(frozen=True)
class SqlDocument:
    """What SQL text says.

    Attributes:
        document: plain values; None if a statement could not be read.
        problems: of the text and of the document's meaning; spans are characters of the text, None for what
            the text does not say.
    """

    document: dict[str, Any] | None
    problems: tuple[Problem, ...]


def document_of(workspace: Workspace, text: str, name: str) -> SqlDocument:
    """Read SQL text and check the document that it is.

    Args:
        workspace: whose streams FROM may name.
        text: statements.
        name: of the job, if the text sets none.
    """
    reading = read_sql(text, catalog(workspace), seconds=CHECK_TIMEOUT_S)
    if reading.problems or reading.document is None:
        return SqlDocument(None, reading.problems)
    document = {**reading.document, "name": reading.document.get("name") or name}
    found = plan_in(workspace, document).problems
    return SqlDocument(document, tuple(replace(one, span=reading.located(one)) for one in found))


def sql_of(
    workspace: Workspace, document: str | dict[str, Any]
) -> tuple[str, tuple[Problem, ...], tuple[tuple[str, str], ...]]:
    """A document as SQL.

    Args:
        workspace: whose streams the document names.
        document: text or plain values.

    Returns:
        The text, "" if there is none; the problems of the document's form, because of which there is none;
        and the parts that SQL has no words for: path and reason.
    """
    reading = read_document(document)
    errors = tuple(found for found in reading.problems if found.severity == "error")
    if reading.document is None or errors:
        return "", errors, ()
    written = write_sql(reading.document, catalog(workspace))
    return written.text, (), tuple((".".join(path), reason) for path, reason in written.refusals)
