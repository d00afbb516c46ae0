"""The dashboard document: panels, and what all of them share. Checked strictly, all problems at once."""

import json
import re
from typing import Annotated, Any, Final, Literal

from pydantic import Field, ValidationError, field_validator

from jobs.base.problems import Problem, problem
from weir.dashboards.services.panels import Filters, Panel, Part
from weir.workspaces.errors import ServiceError

MAX_PANELS: Final = 40
MAX_BYTES: Final = 64 * 1024
KINDS: Final = ("line", "area", "bar", "number", "top_list", "state_timeline", "map", "table")
_MAX_PROBLEMS: Final = 50
_WINDOW: Final = re.compile(r"[1-9][0-9]{0,4}[smhd]")


class DashboardDocument(Part):
    """A dashboard.

    Attributes:
        format: of this document; 1.
        window: how much event time panels show, such as ``15m``; None: all rows that are kept.
        filters: hold for every panel whose rows have the field.
        panels: in the order in which a screen reader reads them.
    """

    format: Literal[1] = 1
    window: str | None = None
    filters: Filters = []
    panels: Annotated[list[Annotated[Panel, Field(discriminator="kind")]], Field(max_length=MAX_PANELS)] = []

    @field_validator("window")
    @classmethod
    def _duration(cls, text: str | None) -> str | None:
        if text is not None and not _WINDOW.fullmatch(text):
            raise ValueError("must be a whole number with s, m, h or d, such as 15m")
        return text

    def as_json(self) -> dict[str, Any]:
        """The document with all its members, as it is stored."""
        return self.model_dump(mode="json")

    @property
    def jobs(self) -> frozenset[str]:
        """The ids of the jobs whose results the panels show."""
        return frozenset(panel.job for panel in self.panels)


def parse_document(value: Any) -> DashboardDocument:
    """The document of a request.

    Args:
        value: parsed JSON.

    Raises:
        ServiceError: DASHBOARD_INVALID with all problems, each with its path and what to do;
            DASHBOARD_TOO_LARGE above 64 KiB.
    """
    size = len(json.dumps(value, separators=(",", ":")).encode("utf-8", "replace"))
    if size > MAX_BYTES:
        raise ServiceError(
            "DASHBOARD_TOO_LARGE",
            f"The document has {size:,} bytes; the limit is {MAX_BYTES:,}. Remove panels.",
        )
    try:
        document = DashboardDocument.model_validate_json(json.dumps(value))
    except ValidationError as error:
        raise invalid(_problems(error)) from error
    twice = _repeated_ids(document)
    if twice:
        raise invalid(twice)
    return document


def invalid(problems: list[Problem]) -> ServiceError:
    """The error of a document with these problems."""
    first = problems[0]
    count = f"{len(problems)} problems; the first: " if len(problems) > 1 else ""
    text = f"{count}{'.'.join(first.path)}: {first.message} {first.hint}".strip()
    return ServiceError("DASHBOARD_INVALID", text, tuple(problems))


def _repeated_ids(document: DashboardDocument) -> list[Problem]:
    seen: set[str] = set()
    found = []
    for at, panel in enumerate(document.panels):
        if panel.id in seen:
            path = ("panels", str(at), "id")
            found.append(
                problem("NAME_TAKEN", path, f"Two panels have the ID {panel.id}.", "Choose another.")
            )
        seen.add(panel.id)
    return found


def _problems(error: ValidationError) -> list[Problem]:
    found: list[Any] = list(error.errors(include_url=False, include_input=False))
    return [_problem(one) for one in found[:_MAX_PROBLEMS]]


def _problem(found: dict[str, Any]) -> Problem:
    # Pydantic puts the kind of a panel into the path, between the panel's index and its member.
    path = tuple(str(part) for at, part in enumerate(found["loc"]) if not (at == 2 and part in KINDS))
    kind: str = found["type"]
    if kind == "extra_forbidden":
        where = f"a panel of kind {found['loc'][2]}" if _in_panel(found["loc"]) else "this place"
        return problem("PARAMETER_RANGE", path, f"{path[-1]!r} is not a member of {where}.", "Remove it.")
    if kind == "missing":
        return problem("PARAMETER_MISSING", path, "Required.", f"Add {path[-1]}.")
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        return problem("PARAMETER_RANGE", (*path, "kind"), "Not a kind of panel.", f"Use {', '.join(KINDS)}.")
    message = str(found["msg"]).removeprefix("Value error, ")
    return problem("PARAMETER_RANGE", path, f"{message}.", _remedy(kind))


def _in_panel(place: tuple[Any, ...]) -> bool:
    return len(place) == 4 and place[0] == "panels"


def _remedy(kind: str) -> str:
    if kind.endswith("_type"):
        return "Change its type."
    return "Remove some." if kind == "too_long" else "Change the value."
