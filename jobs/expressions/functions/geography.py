"""Functions of places on the earth, taken as a sphere of 6,371,008.8 m radius. Degrees; north and east are positive."""

from typing import Final

from jobs.base.types import DOUBLE
from jobs.expressions.functions.function import Function, Nulls, Signature

_ON_EARTH: Final = "abs({0}) <= 90D AND abs({1}) <= 180D AND abs({2}) <= 90D AND abs({3}) <= 180D"
_HALF_CHORD: Final = (
    "sqrt(power(sin(radians({2} - {0}) / 2D), 2D) + cos(radians({0})) * cos(radians({2})) * power(sin(radians({3} - {1}) / 2D), 2D))"
)
_NORTH: Final = "cos(radians({0})) * sin(radians({2})) - sin(radians({0})) * cos(radians({2})) * cos(radians({3} - {1}))"
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


GEOGRAPHY: Final = (
    _f(
        "geo_distance",
        "Metres along the great circle from (latitude, longitude) to (latitude, longitude); null, and counted, beyond 90 or 180 degrees.",
        f"(2D * 6371008.8D * asin(least(1D, {_HALF_CHORD})))",
        "geo_distance(0, 0, 0, 180)",
        20015114.442035925,
    ),
    _f(
        "geo_bearing",
        "Degrees clockwise from north, 0 to 360, in which the way from the first place to the second begins.",
        f"pmod(degrees(atan2(sin(radians({{3}} - {{1}})) * cos(radians({{2}})), {_NORTH})), 360D)",
        "geo_bearing(0, 0, 0, 90)",
        90.0,
    ),
)
