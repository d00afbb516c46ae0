"""Doubles as text, as Java prints them."""

import pytest

from tests.oracle.casts import java_text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.1, "0.1"),
        (-0.0, "-0.0"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (0.001, "0.001"),
        (0.00099, "9.9E-4"),
        (-2147483648.0, "-2.147483648E9"),
        (2.0**63, "9.223372036854776E18"),
        (1e300, "1.0E300"),
        (5e-324, "4.9E-324"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
    ],
)
def test_a_double_as_text(value: float, expected: str) -> None:
    assert java_text(value) == expected
