"""Whether a value is the expected one, by the declared type of its field."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal as Number
from typing import Any, Final

from jobs.base.instants import Instant
from jobs.base.iso_times import read_instant
from jobs.base.types import DOUBLE, TIMESTAMP, Array, DataType, Decimal, Map, Struct
from jobs.document_text import rounded_number
from jobs.job_tests.times import TimeTextError, read_time

_EXACT: Final = re.compile(r"[+-]?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_SPECIAL: Final = {"NaN", "Infinity", "-Infinity"}


@dataclass(frozen=True, slots=True)
class Comparison:
    """How expected values are read.

    Attributes:
        start: of the test: a duration expected of a timestamp is an instant after it.
        tolerance: by which fraction doubles may differ.
    """

    start: Instant
    tolerance: float

    def equal(self, expected: Any, got: Any, declared: DataType | None) -> bool:
        """True when a row's value is the expected one.

        Args:
            expected: as the test says it.
            got: as output records hold it (`docs/semantics/records-and-formats.md#output-records`).
            declared: the field's type; None: not known, then a number is a double where one of both has a
                point.
        """
        if expected is None or got is None:
            return expected is None and got is None
        match declared:
            case Array(element=element):
                return self._arrays(expected, got, element)
            case Map(value=inner):
                return self._objects(expected, got, {}, inner)
            case Struct(members=members):
                return self._objects(expected, got, {member.name: member.type for member in members}, None)
            case Decimal():
                return _number(expected) is not None and _number(expected) == _number(got)
            case None:
                return self._untyped(expected, got)
            case _ if declared == TIMESTAMP:
                instant = self._instant(expected)
                return instant is not None and instant == read_instant(str(got))
            case _ if declared == DOUBLE:
                return self._doubles(expected, got)
            case _:
                return _same(expected, got)

    def _untyped(self, expected: Any, got: Any) -> bool:
        if isinstance(expected, list):
            return self._arrays(expected, got, None)
        if isinstance(expected, dict):
            return self._objects(expected, got, {}, None)
        if isinstance(expected, float) or isinstance(got, float):
            return self._doubles(expected, got)
        return _same(expected, got)

    def _arrays(self, expected: Any, got: Any, element: DataType | None) -> bool:
        if not isinstance(expected, list) or not isinstance(got, list) or len(expected) != len(got):
            return False
        return all(self.equal(wanted, found, element) for wanted, found in zip(expected, got, strict=True))

    def _objects(
        self, expected: Any, got: Any, types: Mapping[str, DataType], other: DataType | None
    ) -> bool:
        """Structs and maps are compared whole; a member that is left out is null."""
        if not isinstance(expected, dict) or not isinstance(got, dict):
            return False
        if types:
            return set(expected) <= set(types) and all(
                self.equal(expected.get(name), got.get(name), declared) for name, declared in types.items()
            )
        return expected.keys() == got.keys() and all(
            self.equal(wanted, got[name], other) for name, wanted in expected.items()
        )

    def _instant(self, expected: Any) -> Instant | None:
        try:
            return read_time(expected, self.start) if isinstance(expected, str) else None
        except TimeTextError:
            return None

    def _doubles(self, expected: Any, got: Any) -> bool:
        if isinstance(expected, str):
            expected = rounded_number(expected)
        if isinstance(got, str):
            return got in _SPECIAL and _same(expected, got)
        if not _is_number(expected) or not _is_number(got):
            return False
        try:
            return math.isclose(expected, got, rel_tol=self.tolerance, abs_tol=0.0)
        except OverflowError:  # an expected whole number that no double is
            return False


def _same(expected: Any, got: Any) -> bool:
    """Equal and of one type: 1 is not true."""
    return type(expected) is type(got) and bool(expected == got)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: Any) -> Number | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and not _EXACT.fullmatch(value):
        return None
    return Number(repr(value) if isinstance(value, float) else value)
