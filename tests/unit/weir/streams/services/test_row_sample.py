"""Since when the newest records are malformed."""

import pytest

from weir.streams.services.row_sample import RowSample


@pytest.mark.parametrize(
    ("malformed", "share", "since"),
    [
        ("", 0.95, None),
        ("....", 0.95, None),
        ("xxxx", 0.95, 0),
        ("..xx", 0.95, 2),
        ("xx..", 0.95, None),
        ("x.xx", 0.95, 2),
        ("x.xx", 0.7, 0),
    ],
)
def test_malformed_since(malformed: str, share: float, since: int | None) -> None:
    outcomes = tuple((at, one == "x") for at, one in enumerate(malformed))
    assert RowSample(len(outcomes), (), (), 0, 0, outcomes=outcomes).malformed_since_us(share) == since
