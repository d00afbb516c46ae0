from hypothesis import given
from hypothesis import strategies as st

from weir.live.changes import Change
from weir.live.recent_changes import RecentChanges


def change(partition: int, offset: int) -> Change:
    return Change("k", "x" * 10, partition, offset)


@given(
    st.lists(st.integers(0, 2), max_size=80),
    st.integers(10, 300),
    st.lists(st.integers(0, 40), min_size=3, max_size=3),
)
def test_what_is_covered_is_complete(partitions, cap, offsets) -> None:
    tail, log, nexts = RecentChanges({0: 0, 1: 0, 2: 0}, cap), [], [0, 0, 0]
    for partition in partitions:
        log.append(change(partition, nexts[partition]))
        nexts[partition] += 1
        tail.add([log[-1]])
    wanted = dict(enumerate(offsets))
    if tail.covers(wanted):
        assert tail.since(wanted) == [c for c in log if c.offset >= wanted[c.partition]]
    assert tail.size <= cap
    assert tail.ends == dict(enumerate(nexts))


def test_a_position_before_the_tail_is_not_covered() -> None:
    tail = RecentChanges({0: 100, 1: 0})
    assert not tail.covers({0: 99, 1: 0})
    assert not tail.covers({1: 0}), "a partition that is missing counts from 0"
    assert tail.covers({0: 100, 1: 5})
