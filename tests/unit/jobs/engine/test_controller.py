"""The controller stops runs as asked: all of an ending engine within one deadline, those that move to another
engine at the end of a batch.
"""

from typing import Any

from jobs.engine.controller import Controller
from jobs.kafka_messages import DesiredRun, RunHeartbeat
from jobs.run_states import RunState
from tests.support.desired_runs import desired_run


class Supervisor:
    """A supervisor as the controller sees it; it notes how long the end of its run may take."""

    def __init__(self, run: DesiredRun | None = None) -> None:
        self.granted_s = -1.0
        self.stops: list[str] = []
        self.run = run or desired_run({})
        self.should_run = True
        self.alive = True

    def start(self) -> None:
        pass

    def stop(self) -> None:
        self.should_run = False
        self.stops.append("now")

    def heartbeat(self) -> RunHeartbeat:
        state: RunState = "running" if self.alive else "stopped"
        return RunHeartbeat(epoch=self.run.epoch, revision=self.run.revision, state=state)

    def stop_at_batch_end(self) -> None:
        self.stops.append("at the end of a batch")

    def revise(self, run: DesiredRun) -> None:
        self.run = self.run.model_copy(update={"revision": run.revision})

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


def test_a_run_that_moves_stops_at_the_end_of_a_batch_and_is_prepared_by_its_successor_alone() -> None:
    supervisor, prepared = Supervisor(), list[tuple[str, str]]()

    def engine(name: str) -> Controller:
        make: Any = lambda *_: supervisor  # noqa: E731
        return Controller(name, make, lambda run: prepared.append((name, run.run_id)))

    engines = {name: engine(name) for name in ("old", "new", "third")}
    run = desired_run({}, engine_id="old")
    moves = run.model_copy(update={"state": "stopped", "revision": 2, "successor_id": "new"})
    for message in (run, moves):
        for each in engines.values():
            each.apply(run.run_id, message)
    assert supervisor.stops == ["at the end of a batch"]
    assert prepared == [("new", "r")]
    stopped = moves.model_copy(update={"revision": 3, "successor_id": None})  # by a person, meanwhile
    engines["old"].apply(run.run_id, stopped)
    assert supervisor.stops == ["at the end of a batch", "now"]


def test_what_a_successor_has_prepared_is_dropped_when_the_hand_over_is_given_up() -> None:
    prepared, discarded = list[str](), list[str]()
    make: Any = lambda *_: Supervisor()  # noqa: E731
    new = Controller("new", make, lambda run: prepared.append(run.run_id), discarded.append)
    moves = desired_run({}, engine_id="old", state="stopped", successor_id="new")
    new.apply("r", moves)
    assert (prepared, discarded) == (["r"], [])
    new.apply("r", moves.model_copy(update={"epoch": 2, "state": "running", "successor_id": None}))
    assert discarded == ["r"], "it goes on at the old engine"
    new.apply("r", moves.model_copy(update={"epoch": 2, "revision": 2}))
    new.apply("r", None)
    assert discarded == ["r", "r"], "it was deleted"
    new.apply("r", moves)
    new.apply("r", moves.model_copy(update={"epoch": 2, "engine_id": "new", "state": "running"}))
    assert discarded == ["r", "r"], "its start takes it"


def engine_of_supervisors() -> tuple[Controller, list[Supervisor]]:
    """A controller, and the supervisors that it has made."""
    made: list[Supervisor] = []

    def make(run: DesiredRun, _: object) -> Any:
        made.append(Supervisor(run))
        return made[-1]

    return Controller("tests", make), made


def test_an_epoch_that_was_stopped_before_it_was_published_is_told_as_stopped() -> None:
    controller, made = engine_of_supervisors()
    controller.apply("r", desired_run({}))
    controller.apply("r", desired_run({}, revision=2, state="stopped"))
    (first,) = made
    # A person started the job and stopped it again: only the latter was published.
    controller.apply("r", desired_run({}, epoch=2, revision=4, state="stopped"))
    assert controller.heartbeats()["r"].epoch == 1, "it has not ended yet"
    first.alive = False
    assert controller.heartbeats()["r"] == RunHeartbeat(epoch=2, revision=4, state="stopped")
    controller.apply("r", desired_run({}, epoch=3, revision=5))
    assert controller.heartbeats()["r"] == RunHeartbeat(epoch=3, revision=5, state="running")


def test_a_record_that_was_published_too_late_does_not_start_a_stopped_run_again() -> None:
    controller, made = engine_of_supervisors()
    running, stopped = desired_run({}, revision=3), desired_run({}, revision=4, state="stopped")
    for record in (running, stopped, running):
        controller.apply("r", record)
    assert [supervisor.stops for supervisor in made] == [["now"]]
    controller.apply("r", desired_run({}, epoch=2, revision=1))
    assert len(made) == 2, "a new epoch is newer, whatever its revision"


def test_a_run_that_comes_back_waits_for_its_queries_that_still_end_here() -> None:
    """Two epochs would write at once."""
    given: list[Any] = []

    def make(run: DesiredRun, predecessor: object) -> Any:
        given.append(predecessor)
        return Supervisor(run)

    controller = Controller("tests", make)
    controller.apply("r", desired_run({}))
    (first,) = controller.supervisors()
    controller.apply("r", desired_run({}, epoch=2, engine_id="other"))
    assert controller.alive() == 1, "no standby plays tests beside it"
    controller.apply("r", desired_run({}, epoch=3))
    assert given == [None, first]
    controller.apply("r", desired_run({}, epoch=4, engine_id="other"))
    for ended in (first, *controller._released.values()):
        ended.alive = False  # type: ignore[misc]  # a stand-in
    controller.apply("r", desired_run({}, epoch=5))
    assert given[-1] is None
    assert controller.alive() == 1


def test_an_engine_that_was_cut_off_leaves_its_runs_to_the_host_that_has_its_id_now() -> None:
    """Its host was declared gone. Both would write at once."""
    made: list[Supervisor] = []

    def make(run: DesiredRun, _: object) -> Any:
        made.append(Supervisor(run))
        return made[-1]

    controller = Controller("tests", make, host="engines.there")
    controller.apply("r", desired_run({}, host="engines.there"))
    controller.apply("r", desired_run({}, host="engines.here", epoch=2))
    assert [(each.run.epoch, each.stops) for each in made] == [(1, ["now"])]
    assert controller.heartbeats() == {}
    controller.apply("r", desired_run({}, host="engines.there", epoch=3))
    assert made[-1].run.epoch == 3


def test_a_run_that_names_no_host_is_executed_on_any() -> None:
    """An older version of Weir has written it, or has started the engine."""
    made: list[str] = []

    def make(run: DesiredRun, _: object) -> Any:
        made.append(run.run_id)
        return Supervisor(run)

    Controller("tests", make, host="engines.there").apply("a", desired_run({}, run_id="a"))
    Controller("tests", make).apply("b", desired_run({}, run_id="b", host="engines.here"))
    assert made == ["a", "b"]
