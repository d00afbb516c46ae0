"""How far a drain is: its pace counts up to its last batch, its end with what arrives meanwhile."""

from jobs.engine.catching_up import CatchUp
from jobs.kafka_messages import CatchingUp

SECOND = 1_000_000


class Clock:
    """A clock that is moved by hand, in seconds."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> int:
        return int(self.now * SECOND)


def test_before_the_first_batch_there_is_no_pace_and_no_estimate() -> None:
    clock = Clock()
    drain = CatchUp(1_000, clock)
    clock.now += 5
    assert drain.report(1_000, 1_000) == CatchingUp(since_us=100 * SECOND, read=0, left=1_000)


def test_the_pace_is_that_of_its_batches_and_does_not_shrink_between_them() -> None:
    clock = Clock()
    drain = CatchUp(1_000, clock)
    clock.now += 4
    drain.batch(400)
    clock.now += 2
    at = drain.report(600, 1_000)
    assert (at.read, at.left, at.records_per_second) == (400, 600, 100.0)
    assert at.done_us == (104 + 6) * SECOND, "counted from the end of the last batch"
    clock.now += 20
    assert drain.report(600, 1_000).done_us == 126 * SECOND, "never in the past"


def test_what_arrives_meanwhile_delays_the_end() -> None:
    clock = Clock()
    drain = CatchUp(1_000, clock)
    clock.now += 4
    drain.batch(400)
    assert drain.report(800, 1_200).done_us == (104 + 16) * SECOND, "100 are read and 50 arrive, a second"


def test_where_records_arrive_as_fast_there_is_no_end() -> None:
    clock = Clock()
    drain = CatchUp(1_000, clock)
    clock.now += 4
    drain.batch(400)
    assert drain.report(1_000, 1_400).done_us is None


def test_nothing_is_estimated_from_what_is_not_known() -> None:
    clock = Clock()
    drain = CatchUp(None, clock)
    clock.now += 4
    drain.batch(400)
    assert drain.report(None, None) == CatchingUp(
        since_us=100 * SECOND, read=400, left=None, records_per_second=100.0
    )
