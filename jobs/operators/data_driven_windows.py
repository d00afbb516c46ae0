"""Windows whose bounds depend on the rows: session and sliding windows (`docs/semantics/windows.md`)."""

from dataclasses import dataclass
from typing import Annotated, Any, Final

from jobs.base.durations import MAX_SPAN, Duration
from jobs.base.problems import DocumentPath, Problem
from jobs.operators.parameters import DurationText, Parameters, check_duration, parameter

MIN_SPAN: Final = Duration(1_000)
MAX_GAP: Final = Duration(7 * 86_400_000_000)


class SessionWindow(Parameters):
    """Rows of a group that follow each other within `gap`; the session ends `gap` after its last row."""

    gap: Annotated[
        DurationText,
        parameter(
            "Session gap", "Time without a row of the group after which the session ends", example="10m"
        ),
    ]


class SlidingWindow(Parameters):
    """For every row the rows of its group in the `size` up to and including it; rows of one time share a
    window."""

    size: Annotated[
        DurationText, parameter("Size", "Time before each row that its window covers", example="10m")
    ]


@dataclass(frozen=True, slots=True)
class SessionSpec:
    """Sessions ``[t_first, t_last + gap)``; sessions that touch are merged."""

    gap: Duration

    @property
    def fanout(self) -> int:
        """A row falls into one session."""
        return 1

    def as_json(self) -> dict[str, Any]:
        """What the window means, for the state fingerprint."""
        return {"session": self.gap.us}


@dataclass(frozen=True, slots=True)
class SlidingSpec:
    """One window ``[t + 1 µs − size, t + 1 µs)`` for each distinct time t of a group."""

    size: Duration

    @property
    def fanout(self) -> int:
        """1: a row creates one window; how many others contain it depends on the rows after it."""
        return 1

    def as_json(self) -> dict[str, Any]:
        """What the window means, for the state fingerprint."""
        return {"sliding": self.size.us}


def check_session(written: SessionWindow, path: DocumentPath) -> tuple[SessionSpec | None, list[Problem]]:
    """Check a session's gap: 1 ms to 7 d (`WINDOW_RANGE`)."""
    gap, problems = check_duration(
        written.gap, (*path, "gap"), min=MIN_SPAN, max=MAX_GAP, code="WINDOW_RANGE"
    )
    return (None if gap is None else SessionSpec(gap)), problems


def check_sliding(written: SlidingWindow, path: DocumentPath) -> tuple[SlidingSpec | None, list[Problem]]:
    """Check a sliding window's size: 1 ms to 366 d (`WINDOW_RANGE`)."""
    size, problems = check_duration(
        written.size, (*path, "size"), min=MIN_SPAN, max=MAX_SPAN, code="WINDOW_RANGE"
    )
    return (None if size is None else SlidingSpec(size)), problems
