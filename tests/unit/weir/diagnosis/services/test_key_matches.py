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
        ("-", "?", None),  # nothing is left of either
        ("", "0", None),
        ("''", '""', None),
        ("00", "0", "leading zeros"),
    ],
)
def test_numbers_meet_with_all_their_digits(left: str, right: str, difference: str | None) -> None:
    found = key_matches(
        (KeyPair("a", "b", STRING),), [SampledRow({"a": left}, 0)], [SampledRow({"b": right}, 0)]
    )
    assert found.common == 0
    assert (found.near.difference if found.near is not None else None) == difference


@pytest.mark.parametrize(
    ("limits", "nearest"),
    [(None, -15), ((-10, 60), 40), ((-10, 30), -15), ((-20, 60), -15), ((100, 200), 40), ((-200, -100), -15)],
)
def test_the_nearest_pair_is_the_one_nearest_to_the_limits(
    limits: tuple[int, int] | None, nearest: int
) -> None:
    """A pair outside them may be nearer in time than one within."""
    left, right = [SampledRow({"a": "k"}, -100)], [SampledRow({"b": "k"}, at) for at in (-115, -60)]
    assert key_matches((KeyPair("a", "b", STRING),), left, right, limits).nearest_us == nearest
