"""Windows of aggregates: the choice of a kind, and tumbling and hopping windows
(`docs/semantics/windows.md`).
"""

from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, model_validator
from pydantic_core import PydanticCustomError

from jobs.base.durations import MAX_SPAN, ZERO, Duration
from jobs.base.problems import DocumentPath, Problem, problem, warning
from jobs.operators.calendar_windows import CalendarSpec, CalendarWindow, check_calendar
from jobs.operators.data_driven_windows import (
    SessionSpec,
    SessionWindow,
    SlidingSpec,
    SlidingWindow,
    check_session,
    check_sliding,
)
from jobs.operators.parameters import DurationText, Parameters, check_duration, parameter

MIN_ADVANCE: Final = Duration(1_000)
MAX_FANOUT: Final = 1_000
WIDE_FANOUT: Final = 100
KINDS: Final = ("tumbling", "hopping", "sliding", "session", "calendar")


WindowOffset = Annotated[
    DurationText,
    parameter("Offset", "Shifts window starts relative to 1970-01-01 00:00 UTC", example="4d"),
]


class TumblingWindow(Parameters):
    """Windows of `size`, one after the other, aligned to the epoch plus `offset`."""

    size: Annotated[DurationText, parameter("Size", "Length of a window", example="1m")]
    offset: WindowOffset = "0s"


class HoppingWindow(Parameters):
    """Windows of `size` that begin every `advance`, aligned to the epoch plus `offset`."""

    size: Annotated[DurationText, parameter("Size", "Length of a window", example="1m")]
    advance: Annotated[
        DurationText, parameter("Advance", "Time between the starts of two windows", example="10s")
    ]
    offset: WindowOffset = "0s"


class Window(Parameters):
    """Exactly one kind of window."""

    tumbling: Annotated[
        TumblingWindow | None,
        parameter("Tumbling (fixed)", "Windows of one length, one after the other", example={"size": "1m"}),
    ] = None
    hopping: Annotated[
        HoppingWindow | None,
        parameter(
            "Hopping (overlapping)",
            "Windows of one length that overlap",
            example={"size": "1m", "advance": "10s"},
        ),
    ] = None
    sliding: Annotated[
        SlidingWindow | None,
        parameter("Sliding (per row)", "A window per row, which ends with it", example={"size": "10m"}),
    ] = None
    session: Annotated[
        SessionWindow | None,
        parameter("Session (gap)", "Rows that follow each other closely", example={"gap": "10m"}),
    ] = None
    calendar: Annotated[
        CalendarWindow | None,
        parameter(
            "Calendar (day, week, month)",
            "Local days, weeks or months of a time zone",
            example={"unit": "day", "zone": "UTC"},
        ),
    ] = None

    @model_validator(mode="after")
    def _one_kind(self) -> "Window":
        if sum(getattr(self, kind) is not None for kind in KINDS) != 1:
            raise PydanticCustomError("one_window", "Use exactly one kind of window.")
        return self


def _none_text(value: Any) -> Any:
    return None if value == "none" else value


WindowChoice = Annotated[Window | None, BeforeValidator(_none_text)]


@dataclass(frozen=True, slots=True)
class WindowSpec:
    """Windows ``[start, start + size)`` with ``start = offset + k · advance``; tumbling when advance equals
    size.
    """

    size: Duration
    advance: Duration
    offset: Duration = ZERO

    @property
    def fanout(self) -> int:
        """The maximum number of windows that one row falls into: ⌈size / advance⌉."""
        return -(-self.size.us // self.advance.us)

    @property
    def is_tumbling(self) -> bool:
        """True when windows follow each other without overlap."""
        return self.size == self.advance

    def as_json(self) -> list[int]:
        """What the window means, for the state fingerprint: size, advance and offset in µs."""
        return [self.size.us, self.advance.us, self.offset.us]


AnyWindow = WindowSpec | SlidingSpec | SessionSpec | CalendarSpec


def longest_window(window: AnyWindow) -> Duration:
    """How long a window can be; of a session, which has no end of its own, its gap."""
    match window:
        case SessionSpec():
            return window.gap
        case CalendarSpec():
            return window.longest
        case _:
            return window.size


def check_window(window: Window, path: DocumentPath) -> tuple[AnyWindow | None, list[Problem]]:
    """Check a window of any kind.

    Problems: WINDOW_RANGE, WINDOW_FANOUT (a warning above 100 windows per row, an error above 1000),
        ZONE_UNKNOWN.
    """
    if window.session:
        return check_session(window.session, (*path, "session"))
    if window.sliding:
        return check_sliding(window.sliding, (*path, "sliding"))
    if window.calendar:
        return check_calendar(window.calendar, (*path, "calendar"))
    if window.hopping:
        return _check_hopping(window.hopping, (*path, "hopping"))
    return _check_hopping(window.tumbling, (*path, "tumbling")) if window.tumbling else (None, [])


def _check_hopping(
    written: HoppingWindow | TumblingWindow, path: DocumentPath
) -> tuple[WindowSpec | None, list[Problem]]:
    """Check that 1 ms ≤ advance ≤ size ≤ 366 d, 0 ≤ offset < advance, and at most 1000 windows per row."""
    size, problems = check_duration(
        written.size, (*path, "size"), min=MIN_ADVANCE, max=MAX_SPAN, code="WINDOW_RANGE"
    )
    advance = size
    if isinstance(written, HoppingWindow):
        most = size or MAX_SPAN
        advance, found = check_duration(
            written.advance, (*path, "advance"), min=MIN_ADVANCE, max=most, code="WINDOW_RANGE"
        )
        problems += found
    last = Duration(advance.us - 1) if advance else MAX_SPAN
    offset, found = check_duration(written.offset, (*path, "offset"), max=last, code="WINDOW_RANGE")
    problems += found
    if size is None or advance is None or offset is None:
        return None, problems
    spec = WindowSpec(size, advance, offset)
    return spec, problems + _check_fanout(spec, (*path, "advance"))


def _check_fanout(spec: WindowSpec, path: DocumentPath) -> list[Problem]:
    message = f"Every row belongs to {spec.fanout} windows."
    if spec.fanout > MAX_FANOUT:
        return [
            problem(
                "WINDOW_FANOUT",
                path,
                message,
                f"The limit is {MAX_FANOUT}. Use a longer advance or a shorter size.",
            )
        ]
    if spec.fanout > WIDE_FANOUT:
        return [
            warning(
                "WINDOW_FANOUT", path, message, "Work and state grow with each window. Use a longer advance."
            )
        ]
    return []
