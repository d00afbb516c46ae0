"""Broadcast tables: how large they may be, and when they are loaded again.

See `docs/semantics/table-join.md#broadcast`.
"""

from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import Field

from jobs.base.durations import Duration
from jobs.base.problems import DocumentPath, Problem, problem
from jobs.operators.parameters import DurationText, Parameters, check_duration, parameter

MAX_ROWS: Final = 100_000
MIN_REFRESH: Final = Duration(10_000_000)  # a query that reloads its table pauses for a second or two


class BroadcastChoice(Parameters):
    """The whole table, loaded when the query starts and again every `refresh`; the run fails above `max_rows`
    rows."""

    max_rows: Annotated[
        int,
        Field(ge=1, le=MAX_ROWS),
        parameter("Max rows", "A larger table fails the run", unit="rows", example=5_000, inline=True),
    ] = MAX_ROWS
    refresh: Annotated[
        DurationText | None,
        parameter(
            "Refresh interval",
            "Min 10s; leave empty to load only at start",
            example="10m",
            inline=True,
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class Broadcast:
    """How a table is broadcast.

    Attributes:
        max_rows: maximum number of rows.
        refresh: time after which the table is loaded again; None: it is loaded only when the query starts.
        by_key: the join uses exactly the table's key fields, so that a row has at most one match.
    """

    max_rows: int
    refresh: Duration | None
    by_key: bool


def check_broadcast(
    choice: BroadcastChoice | None, version: str, path: DocumentPath, *, by_key: bool
) -> tuple[Broadcast | None, list[Problem]]:
    """Check the `broadcast` parameter; None without problems if it is not set. PARAMETER_RANGE for a
    `refresh` out of range, and for a `version` other than current.
    """
    if choice is None:
        return None, []
    found: list[Problem] = []
    if version != "current":
        message = "A broadcast table has no versions, so it can't be joined as of event time."
        found.append(problem("PARAMETER_RANGE", path, message, "Remove broadcast, or use version: current."))
    refresh = None
    if choice.refresh is not None:
        refresh, more = check_duration(choice.refresh, (*path, "refresh"), min=MIN_REFRESH)
        found += more
    return Broadcast(choice.max_rows, refresh, by_key), found
