"""A value is the expected one or is not, whatever a test says: comparing never fails."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.base.instants import Instant
from jobs.base.types import parse_type
from jobs.job_tests.row_values import Comparison

LOOK = Comparison(Instant(0), 1e-9)
TYPES = (
    "boolean", "int", "long", "double", "decimal(10,2)", "string", "bytes", "date", "timestamp",
    "array<double>", "map<string,decimal(10,2)>", "struct<a:double,b:timestamp>",
)  # fmt: skip
ODD = (
    10**400, 10**4000, -(10**400), 1e300, "sNaN", "NaN", "1_0", "9" * 5000, "9" * 5000 + "s", "1e999999999",
    "Infinity", "2026-01-01T00:00:00Z", "99999999d", "٣", "", True, None,
)  # fmt: skip
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5))
    | st.sampled_from(ODD),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(("a", "b", "c")), inner, max_size=2)
    ),
    max_leaves=5,
)


@given(VALUES, VALUES, st.sampled_from((None, *TYPES)))
def test_comparing_never_fails(expected: Any, got: Any, declared: str | None) -> None:
    """A member's test would stand in the way of all others."""
    LOOK.equal(expected, got, parse_type(declared) if declared is not None else None)


@pytest.mark.parametrize(
    ("declared", "got", "right", "wrong"),
    [
        ("double", 1.0, [1, 1.0, 1.0000000000001], ["1", True, [1], {}, 1.1, None, "NaN", 10**400]),
        ("double", "NaN", ["NaN"], ["nan", 0, None, ["NaN"]]),
        (
            "double",
            1234567890123456.78,
            ["1234567890123456.78", 1234567890123456.8],
            ["1234567890123456.8", "1234567990123456.78", "12345678901234567x.8"],
        ),
        ("double", -0.0, [0, 0.0], ["-0.0"]),
        ("int", 1, [1], [1.0, True, "1"]),
        ("boolean", True, [True], [1, "true"]),
        ("decimal(10,2)", "1.50", [1.5, "1.5", "1.50", "+1.5e0"], ["1.500001", "sNaN", "1_5", " 1.5", True]),
        ("timestamp", "1970-01-01T00:00:05Z", ["5s", "1970-01-01T01:00:05+01:00"], [5, "x", None, "5"]),
        ("array<int>", [1, None], [[1, None]], [[None, 1], [1], "1"]),
        (
            "struct<a:int,b:int>",
            {"a": 1, "b": None},
            [{"a": 1}, {"a": 1, "b": None}],
            [{"b": None}, {"c": 1}],
        ),
        ("map<string,int>", {"a": None}, [{"a": None}], [{}, {"b": None}]),
        ("decimal(18,2)", "1234567890123456.78", ["1234567890123456.78"], ["1234567890123456.77"]),
        ("array<double>", [0.3], [["0.30000000000000001"]], [["0.3"]]),
        (None, True, [True], [1, 1.0, "true"]),
        (None, 1, [1, 1.0], [True, 1.1]),
        (None, 0.3, [0.3, "0.30000000000000001"], ["0.3"]),
        (None, "0.30000000000000001", ["0.30000000000000001"], [0.3]),
        (None, 10**10, [10**10], [10**10 + 1]),
        (None, [1, {"a": 1.5}], [[1, {"a": 1.5}]], [[1, {"a": 1.5, "b": None}]]),
    ],
)
def test_what_is_equal(declared: str | None, got: Any, right: list[Any], wrong: list[Any]) -> None:
    known = parse_type(declared) if declared is not None else None
    assert [one for one in right if not LOOK.equal(one, got, known)] == []
    assert [one for one in wrong if LOOK.equal(one, got, known)] == []
