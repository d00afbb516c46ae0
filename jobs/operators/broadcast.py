"""Copies of a small table, sent everywhere: how large they may be, and when they are taken anew.

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
        max_rows: greatest number of rows.
        refresh: after which time it is loaded again; None: only when the query starts.
        by_key: the join names exactly the table's key, so that a row finds at most one.
    """

    max_rows: int
    refresh: Duration | None
    by_key: bool


def check_broadcast(
    choice: BroadcastChoice | None, version: str, path: DocumentPath, *, by_key: bool
) -> tuple[Broadcast | None, list[Problem]]:
    """Read the parameter; None without problems where there is none. PARAMETER_RANGE for `refresh`, and
    beside versions.
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
