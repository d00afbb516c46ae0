"""Documents are drawn by a seed, and in shares the same ones."""

from hypothesis import strategies as st

from tests.oracle.drawing import drawn

NUMBERS = st.lists(st.integers(0, 10**9), min_size=2, max_size=2).filter(lambda pair: pair[0] % 2 == 0)


def test_shares_together_are_the_whole() -> None:
    whole = [*drawn(11, 7, NUMBERS)]
    shares = [[*drawn(11, 7, NUMBERS, share, 3)] for share in range(3)]
    assert shares == [whole[share::3] for share in range(3)]
    assert whole == [*drawn(11, 7, NUMBERS)] != [*drawn(11, 8, NUMBERS)]
