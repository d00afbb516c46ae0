"""A row without its entry, or with another's, is counted."""

from bench.table_join_latency import Joined, entry


def test_rows_without_their_entry() -> None:
    joined = Joined()
    assert joined.row({"k": "k3", "g": 13, **entry(3)}) == 13
    assert joined.without_entry == 0
    joined.row({"k": "k3", "g": 23, "name": None})
    joined.row({"k": "k3", "g": 33, **entry(4)})
    assert (joined.rows, joined.without_entry) == (3, 2)
