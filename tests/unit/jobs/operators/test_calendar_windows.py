from typing import Any

import pytest

from jobs.operators.aggregate_bound import AggregateBound
from jobs.operators.calendar_windows import CalendarSpec
from tests.support.plan_helpers import found, step_plan


def calendar_plan(**calendar: Any) -> Any:
    return step_plan(op="aggregate", window={"calendar": calendar}, measures={"c": "count()"})


def spec(**calendar: Any) -> CalendarSpec:
    bound = calendar_plan(**calendar).node("step").bound
    assert isinstance(bound, AggregateBound)
    assert isinstance(bound.window, CalendarSpec)
    return bound.window


def test_a_local_day() -> None:
    assert spec(unit="day", zone="Europe/Berlin") == CalendarSpec("day", "Europe/Berlin")
    assert spec(unit="day", zone="Europe/Berlin", day_start="02:30").day_start == 150


def test_weeks_begin_on_monday_unless_said_otherwise() -> None:
    assert spec(unit="week", zone="UTC").week_start == 0
    assert spec(unit="week", zone="UTC", week_start="sunday").week_start == 6


def test_the_start_of_weeks_means_nothing_for_days() -> None:
    assert (
        spec(unit="day", zone="UTC", week_start="sunday").as_json() == spec(unit="day", zone="UTC").as_json()
    )
    assert (
        spec(unit="week", zone="UTC", week_start="sunday").as_json()
        != spec(unit="week", zone="UTC").as_json()
    )


@pytest.mark.parametrize(
    ("calendar", "code", "place"),
    [
        ({"unit": "day"}, "PARAMETER_MISSING", "zone"),
        ({"unit": "day", "zone": "+02:00"}, "ZONE_UNKNOWN", "zone"),
        ({"unit": "day", "zone": "Mars/Base"}, "ZONE_UNKNOWN", "zone"),
        ({"unit": "year", "zone": "UTC"}, "PARAMETER_RANGE", "unit"),
        ({"unit": "day", "zone": "UTC", "day_start": "24:00"}, "WINDOW_RANGE", "day_start"),
        ({"unit": "day", "zone": "UTC", "day_start": "noon"}, "WINDOW_RANGE", "day_start"),
        ({"unit": "week", "zone": "UTC", "week_start": "someday"}, "PARAMETER_RANGE", "week_start"),
    ],
)
def test_problems(calendar: dict[str, Any], code: str, place: str) -> None:
    assert (code, f"steps.step.window.calendar.{place}") in found(calendar_plan(**calendar))
