"""A run that moves to another engine stops at the end of a batch, or when that takes too long."""

from jobs.engine.batch_end import BatchEnd


class Run:
    """Batches and a clock, moved by hand."""

    def __init__(self) -> None:
        self.batches, self.now = 7, 0.0
        self.end = BatchEnd(lambda: self.batches, lambda: self.now)


def test_until_it_is_asked_for_batches_end_without_consequence() -> None:
    run = Run()
    run.batches, run.now = 8, 1e6
    assert (run.end.reached, run.end.overdue) == (False, False)


def test_it_is_the_first_end_after_it_was_asked_for() -> None:
    run = Run()
    run.end.ask(10)
    assert not run.end.reached
    run.batches += 1
    assert (run.end.reached, run.end.overdue) == (True, False)


def test_a_batch_that_takes_too_long_is_not_waited_for_however_often_that_is_asked() -> None:
    run = Run()
    run.end.ask(10)
    run.now = 9
    run.end.ask(10)
    assert not run.end.overdue
    run.now = 10.1
    assert (run.end.reached, run.end.overdue) == (False, True)
