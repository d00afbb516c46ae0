"""When two contents are the same answer."""

import pytest

from tests.oracle.cases import differences


def row(value: float, delta: float, name: str) -> dict[str, dict[str, float]]:
    return {"k": {name: value, f"{name}_delta": delta}}


@pytest.mark.parametrize(
    ("name", "delta", "same"),
    [
        ("near1", 4.76837158203125e-07, True),  # the last digits of 1.8e9
        ("xnear1", 4.76837158203125e-07, True),
        ("near1", 1e-4, False),
        ("m1", 4.76837158203125e-07, False),
    ],
)
def test_a_change_of_doubles_is_as_exact_as_they_are(name: str, delta: float, same: bool) -> None:
    expected = row(1_775_012_400.0, 0.0, name)
    assert (differences(expected, row(1_775_012_400.0, delta, name), {}) == []) is same


def test_doubles_are_the_same_within_a_billionth() -> None:
    assert differences({"k": {"m": 1.0}}, {"k": {"m": 1.0 + 1e-10}}, {}) == []
    assert differences({"k": {"m": 1.0}}, {"k": {"m": 1.0 + 1e-8}}, {}) == [
        "k: m is 1.00000001 instead of 1.0"
    ]
