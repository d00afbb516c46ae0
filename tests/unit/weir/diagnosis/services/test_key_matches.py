"""Keys that do not meet, and by what they nearly would."""

import pytest

from jobs.base.types import STRING
from jobs.operators.join_fields import KeyPair
from weir.diagnosis.services.key_matches import key_matches
from weir.diagnosis.services.source_facts import SampledRow


@pytest.mark.parametrize(
    ("left", "right", "difference"),
    [
        ("7", "7.0", "the form of the number"),
        ("1e3", "1000", "the form of the number"),
        ("1234567890123456789012345678901.0", "1234567890123456789012345678901", "the form of the number"),
        ("1234567890123456789012345678901.0", "1234567890123456789012345678902", None),
    ],
)
def test_numbers_meet_with_all_their_digits(left: str, right: str, difference: str | None) -> None:
    found = key_matches(
        (KeyPair("a", "b", STRING),), [SampledRow({"a": left}, 0)], [SampledRow({"b": right}, 0)]
    )
    assert found.common == 0
    assert (found.near.difference if found.near is not None else None) == difference
