"""Windows of local days, weeks and months (`docs/semantics/windows.md#calendar`)."""

import re
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import Field, WithJsonSchema

from jobs.base.durations import Duration
from jobs.base.problems import DocumentPath, Problem, problem
from jobs.base.time_units import DAY_US
from jobs.base.time_zones import is_zone
from jobs.operators.parameters import NameText, Parameters, parameter

Unit = Literal["day", "week", "month"]
Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
WEEKDAYS: Final[tuple[str, ...]] = get_args(Weekday)

_CLOCK: Final = re.compile(r"([01]\d|2[0-3]):([0-5]\d)")


class CalendarWindow(Parameters):
    """Local days, weeks or months of a time zone; each begins at `day_start` of its first day, weeks on
    `week_start`."""

    unit: Annotated[Unit, parameter("Unit", "Length of a window")]
    zone: Annotated[
        NameText,
        parameter(
            "Time zone", "IANA time zone of the local days", example="Europe/Berlin", input="time_zone"
        ),
    ]
    day_start: Annotated[
        str,
        Field(max_length=100),
        WithJsonSchema({"type": "string", "pattern": f"^{_CLOCK.pattern}$"}),
        parameter("Day starts at", "Local time at which a day begins (HH:MM)", example="06:00"),
    ] = "00:00"
    week_start: Annotated[Weekday, parameter("Week starts on", "First day of a week")] = "monday"


@dataclass(frozen=True, slots=True)
class CalendarSpec:
    """Windows ``[bound(d), bound(next d))`` with ``bound(d)`` = local time `day_start` of day d in `zone`.

    `day_start` is in minutes after midnight, `week_start` in days after Monday. A skipped local time is
    shifted forward by the gap; of two instants with the same local time the earlier one counts.
    """

    unit: Unit
    zone: str
    day_start: int = 0
    week_start: int = 0

    @property
    def fanout(self) -> int:
        """A row falls into one window."""
        return 1

    @property
    def longest(self) -> Duration:
        """How long a window can be: a day more where the zone goes back by hours, or across the date line."""
        return Duration(({"day": 1, "week": 7, "month": 31}[self.unit] + 1) * DAY_US)

    def as_json(self) -> dict[str, Any]:
        """What the window means, for the state fingerprint; `week_start` matters for weeks only."""
        meaning = {"calendar": self.unit, "zone": self.zone, "day_start": self.day_start}
        return {**meaning, "week_start": self.week_start} if self.unit == "week" else meaning


def check_calendar(written: CalendarWindow, path: DocumentPath) -> tuple[CalendarSpec | None, list[Problem]]:
    """Check a calendar window. Problems: ZONE_UNKNOWN (an offset is no zone), WINDOW_RANGE for a `day_start`
    that is no time of day.
    """
    problems: list[Problem] = []
    zone = written.zone.strip()
    if not is_zone(zone):
        hint = "Use an IANA name such as Europe/Berlin, or UTC. Offsets don't follow daylight saving time."
        problems.append(problem("ZONE_UNKNOWN", (*path, "zone"), f"Unknown time zone {zone[:80]!r}.", hint))
    clock = _CLOCK.fullmatch(written.day_start.strip())
    if clock is None:
        message = f"{written.day_start[:80]!r} isn't a time of day."
        problems.append(
            problem("WINDOW_RANGE", (*path, "day_start"), message, "Use HH:MM, from 00:00 to 23:59.")
        )
    if problems or clock is None:
        return None, problems
    return CalendarSpec(
        written.unit, zone, int(clock[1]) * 60 + int(clock[2]), WEEKDAYS.index(written.week_start)
    ), []
