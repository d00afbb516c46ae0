import json

from hypothesis import given
from hypothesis import strategies as st

from weir.live.changes import Change, PendingChanges

LOG = st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 99) | st.none()), max_size=60)


def change(offset: int, key: str, value: int | None) -> Change:
    return Change(key, json.dumps({"k": key, "v": value, "o": offset}), 0, offset)


def applied(rows: list[str], content: dict[str, int]) -> dict[str, int]:
    for row in map(json.loads, rows):
        content.pop(row["k"], None)
        if row["v"] is not None:
            content[row["k"]] = row["v"]
    return content


@given(LOG, st.booleans(), st.integers(1, 400), st.lists(st.integers(0, 60), max_size=5))
def test_whatever_is_folded_the_client_ends_with_the_content(log, every, cap, flushes) -> None:
    slots, content, client = PendingChanges(every=every, cap=cap), {}, {}
    for at, (key, value) in enumerate(log):
        slots.add([change(at, key, value)])
        applied([change(at, key, value).text], content)
        if at in flushes:
            applied(slots.take()[0], client)
    applied(slots.take()[0], client)
    assert client == content
    assert slots.size == 0
    assert len(slots) == 0


@given(LOG)
def test_every_change_is_sent_or_counted_as_folded(log) -> None:
    slots = PendingChanges(every=False, cap=0)
    slots.add(change(at, key, value) for at, (key, value) in enumerate(log))
    rows, conflated = slots.take()
    assert len(rows) + conflated == len(log)
    assert len(rows) == len({key for key, _ in log})


def test_interval_zero_sends_every_change_until_the_cap_and_then_says_so() -> None:
    slots = PendingChanges(every=True, cap=100)
    slots.add([change(0, "a", 1), change(1, "a", 2)])
    assert slots.take() == ([change(0, "a", 1).text, change(1, "a", 2).text], 0)
    slots.add(change(at, "a", at) for at in range(50))
    rows, conflated = slots.take()
    assert rows == [change(49, "a", 49).text]
    assert conflated == 49
    slots.add([change(50, "a", 1), change(51, "a", 2)])
    assert len(slots.take()[0]) == 2, "after a flush every change counts again"


def test_size_is_what_waits() -> None:
    slots = PendingChanges(every=False, cap=0)
    slots.add([change(0, "a", 1), change(1, "b", 1), change(2, "a", 10_000)])
    assert slots.size == change(1, "b", 1).size + change(2, "a", 10_000).size


@given(LOG, st.integers(0, 60), st.booleans(), st.integers(1, 400))
def test_changes_that_come_late_go_in_front(log, at, every, cap) -> None:
    changes = [change(offset, key, value) for offset, (key, value) in enumerate(log)]
    in_order, late = PendingChanges(every=every, cap=cap), PendingChanges(every=every, cap=cap)
    in_order.add(changes)
    late.add(changes[at:])
    late.add_before(changes[:at])
    # What is conflated before the others come leaves room for each of these.
    assert late.size <= max(cap, in_order.size) if every else late.size == in_order.size
    assert applied(late.take()[0], {}) == applied(in_order.take()[0], {})
