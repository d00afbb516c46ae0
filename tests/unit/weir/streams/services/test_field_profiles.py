"""What the values of fields are, in a sample."""

from decimal import Decimal
from typing import Any

from jobs.base.instants import Instant
from jobs.base.schemas import Field
from jobs.base.types import DOUBLE, LONG, STRING, Array
from jobs.base.types import Decimal as DecimalType
from jobs.formats.records import Row
from weir.streams.services.field_profiles import MAX_TEXT, field_profiles, shown
from weir.streams.services.row_sample import RowSample, SampledRecord


def profile(data_type: Any, *values: Any, deleted: bool = False) -> dict[str, Any]:
    rows = tuple(
        SampledRecord(Row({"x": value}, Instant(0), deleted), 0, number, 0)
        for number, value in enumerate(values)
    )
    (found,) = field_profiles([Field("x", data_type)], RowSample(len(rows), rows, (), 0, 0))
    return found.as_json()


def test_values_that_repeat() -> None:
    found = profile(STRING, "OK", "OK", None, "FAILED")
    assert (found["nulls"], found["distinct"], found["lowest"], found["highest"]) == (1, 2, "FAILED", "OK")
    assert found["top"] == [{"value": "OK", "records": 2}, {"value": "FAILED", "records": 1}]
    assert found["example"] == "FAILED"


def test_values_that_all_differ_have_no_most_frequent_one() -> None:
    assert profile(LONG, 3, 1, 2)["top"] == []


def test_a_field_without_a_value() -> None:
    found = profile(LONG, None, None)
    assert (found["nulls"], found["distinct"], found["lowest"], found["example"]) == (2, 0, None, None)


def test_numbers_without_an_order_and_exact_ones() -> None:
    found = profile(DOUBLE, float("nan"), 1.5, float("inf"))
    assert (found["lowest"], found["highest"]) == (1.5, "Infinity")
    assert profile(DecimalType(9, 2), Decimal("1.50"))["highest"] == "1.50"


def test_arrays_have_nulls_and_an_example() -> None:
    found = profile(Array(STRING), ["a", "b"], None)
    assert (found["nulls"], found["distinct"], found["top"], found["example"]) == (1, None, [], "['a', 'b']")


def test_deletions_of_a_table_are_no_rows() -> None:
    assert profile(STRING, None, deleted=True)["nulls"] == 0


def test_long_values_are_cut() -> None:
    assert len(shown("x" * 5_000)) == MAX_TEXT


def test_not_a_number_is_one_value() -> None:
    found = profile(DOUBLE, float("nan"), float("nan"), 1.5)
    assert found["distinct"] == 2
    assert found["top"][0] == {"value": "NaN", "records": 2}
