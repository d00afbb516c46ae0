"""Long passes over everything must not take all threads of a worker."""

import threading

import pytest

from weir.runs.one_thread import one_thread, taken


def test_another_thread_returns_at_once() -> None:
    begun, goes_on, done = threading.Event(), threading.Event(), []

    @one_thread
    def work() -> None:
        begun.set()
        assert goes_on.wait(30)
        done.append(threading.current_thread().name)

    first = threading.Thread(target=work, name="first")
    first.start()
    assert begun.wait(30)
    work()  # would wait for `goes_on` otherwise
    assert done == []
    goes_on.set()
    first.join(30)
    assert done == ["first"]
    work()
    assert len(done) == 2


def test_of_one_name_the_first_has_it_until_it_leaves() -> None:
    with taken("a") as first:
        with taken("a") as second, taken("b") as other:
            assert (first, second, other) == (True, False, True)
        with taken("a") as third:
            assert not third
    with pytest.raises(ValueError, match="of the work"), taken("a"):
        raise ValueError("of the work")
    with taken("a") as again:
        assert again


def test_after_an_error_it_is_done_again() -> None:
    runs = []

    @one_thread
    def work() -> None:
        runs.append(1)
        raise ValueError("of the work")

    for _ in range(2):
        with pytest.raises(ValueError, match="of the work"):
            work()
    assert len(runs) == 2
