"""What is left out of garbage collection."""

import gc
from collections.abc import Iterator

import pytest

from jobs.base.garbage import keep_loaded, load_first


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """What the tests' process leaves out of collection stays out: later tests would pay for it."""
    before, left_out = gc.get_threshold(), gc.get_freeze_count()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)
    if left_out:
        gc.freeze()


def test_what_is_loaded_is_not_looked_through_any_more() -> None:
    loaded = [[] for _ in range(1_000)]
    keep_loaded()
    assert not any(each is kept for each in gc.get_objects() for kept in loaded[:3])


def test_garbage_that_comes_later_is_still_collected() -> None:
    keep_loaded()
    ring: list[object] = []
    ring.append(ring)
    del ring
    assert gc.collect() > 0


def test_loading_is_not_interrupted() -> None:
    load_first()
    before = gc.get_stats()[0]["collections"]
    loaded = [[] for _ in range(100_000)]
    assert gc.get_stats()[0]["collections"] == before
    keep_loaded()
    assert gc.get_threshold()[0] < len(loaded)
