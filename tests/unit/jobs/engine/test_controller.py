"""The controller gives the runs of an ending engine one deadline together."""

from typing import Any

from jobs.engine.controller import Controller
from tests.support.desired_runs import desired_run


class Supervisor:
    """A supervisor as the controller sees it; it notes how long the end of its run may take."""

    def __init__(self) -> None:
        self.granted_s = -1.0

    def start(self) -> None:
        pass

    def stop(self) -> None:
        pass

    def join(self, seconds: float) -> None:
        self.granted_s = seconds


def granted_s(runs: int, total_s: float) -> list[float]:
    """What each run was granted when all were stopped; every run has ended already."""
    made: list[Supervisor] = []

    def make(*_: object) -> Any:
        made.append(Supervisor())
        return made[-1]

    controller = Controller("tests", make)
    for number in range(runs):
        run = desired_run({}, run_id=f"{number}.1")
        controller.apply(run.run_id, run)
    controller.stop_all(total_s)
    return [each.granted_s for each in made]


def test_runs_that_have_ended_take_no_time_from_one_that_stops_slowly() -> None:
    found = granted_s(200, 3_600.0)
    assert len(found) == 200
    assert all(1_800 < each <= 3_600 for each in found)


def test_no_run_is_granted_more_than_is_left() -> None:
    assert granted_s(2, 0.0) == [0.0, 0.0]
