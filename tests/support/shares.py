"""A long test cut into shares, so that all workers of a run end at about the same time."""

import pytest

SHARE = 50  # documents: some minutes


def in_shares(name: str, documents: int, size: int = SHARE) -> pytest.MarkDecorator:
    """Run a test once for each share, as ``share`` (from 0) of ``shares``.

    Args:
        name: no other test's; with --dist loadgroup each share goes to the process that is free.
        documents: that all shares have together; at least one.
        size: about how many one share has.
    """
    shares = -(-documents // size)
    cut = [
        pytest.param(
            at, shares, id=f"{at + 1} of {shares}", marks=pytest.mark.xdist_group(f"{name} {at + 1}")
        )
        for at in range(shares)
    ]
    return pytest.mark.parametrize(("share", "shares"), cut)
