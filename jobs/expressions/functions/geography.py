"""Functions of points on the earth, taken as a sphere of 6,371,008.8 m radius.

Degrees; north and east are positive.
"""

from typing import Final

from jobs.base.types import BOOLEAN, DOUBLE
from jobs.expressions.functions.function import Function, Nulls, Signature

_ON_EARTH: Final = "abs({0}) <= 90D AND abs({1}) <= 180D AND abs({2}) <= 90D AND abs({3}) <= 180D"
_HALF_CHORD: Final = (
    "sqrt(power(sin(radians({2} - {0}) / 2D), 2D) + cos(radians({0})) * cos(radians({2})) * "
    "power(sin(radians({3} - {1}) / 2D), 2D))"
)
_NORTH: Final = (
    "cos(radians({0})) * sin(radians({2})) - sin(radians({0})) * cos(radians({2})) * cos(radians({3} - {1}))"
)
_PLACES: Final = (DOUBLE, DOUBLE, DOUBLE, DOUBLE)


def _f(name: str, doc: str, sql: str, example: str, value: float) -> Function:
    return Function(
        name=name,
        theme="geography",
        doc=doc,
        nulls=Nulls.ERROR,
        sql=f"CASE WHEN {_ON_EARTH} THEN {sql} END",
        signatures=(Signature(_PLACES, DOUBLE, ((example, value),)),),
    )


_DISTANCE: Final = f"(2D * 6371008.8D * asin(least(1D, {_HALF_CHORD})))"
_EAST: Final = "CASE WHEN {3} <= {5} THEN {1} BETWEEN {3} AND {5} ELSE {1} >= {3} OR {1} <= {5} END"
_LATITUDES: Final = " AND ".join(f"abs({{{index}}}) <= 90D" for index in (0, 2, 4))
_LONGITUDES: Final = " AND ".join(f"abs({{{index}}}) <= 180D" for index in (1, 3, 5))

GEOGRAPHY: Final = (
    _f(
        "geo_distance",
        (
            "Great-circle distance in meters from (latitude, longitude) to (latitude, longitude); null, "
            "and counted, beyond 90 or 180 degrees."
        ),
        _DISTANCE,
        "geo_distance(0, 0, 0, 180)",
        20015114.442035925,
    ),
    _f(
        "geo_bearing",
        "Initial bearing from the first point to the second, in degrees clockwise from north, 0 to 360.",
        f"pmod(degrees(atan2(sin(radians({{3}} - {{1}})) * cos(radians({{2}})), {_NORTH})), 360D)",
        "geo_bearing(0, 0, 0, 90)",
        90.0,
    ),
    Function(
        name="geo_within",
        theme="geography",
        doc=(
            "True if (latitude, longitude) is within the fifth argument in meters, along the great "
            "circle, of (latitude, longitude); null, and counted, beyond 90 or 180 degrees or if the "
            "meters are below 0."
        ),
        nulls=Nulls.ERROR,
        sql=f"CASE WHEN {_ON_EARTH} AND {{4}} >= 0D AND {{4}} < CAST('NaN' AS DOUBLE) "
        f"THEN {_DISTANCE} <= {{4}} END",
        signatures=(
            Signature(
                (*_PLACES, DOUBLE),
                BOOLEAN,
                (
                    ("geo_within(52.52, 13.405, 52.50, 13.40, 5000)", True),
                    ("geo_within(48.14, 11.58, 52.52, 13.405, 5000)", False),
                ),
            ),
        ),
    ),
    Function(
        name="geo_in_box",
        theme="geography",
        doc=(
            "True if (latitude, longitude) is in the box (south, west, north, east), including its "
            "borders; west > east crosses 180 degrees; null, and counted, beyond 90 or 180 degrees or if "
            "south > north."
        ),
        nulls=Nulls.ERROR,
        sql=f"CASE WHEN {_LATITUDES} AND {_LONGITUDES} AND {{2}} <= {{4}} THEN ({{0}} BETWEEN {{2}} "
        f"AND {{4}}) AND ({_EAST}) END",
        signatures=(
            Signature(
                (*_PLACES, DOUBLE, DOUBLE),
                BOOLEAN,
                (
                    ("geo_in_box(52.52, 13.405, 47, 6, 55, 15)", True),
                    ("geo_in_box(-17.8, 178, -20, 177, -16, -179)", True),
                ),
            ),
        ),
    ),
)
