"""Which groups a pass concludes on."""

from weir.consumer_groups.services.cluster_read import ClusterRead, GroupRead
from weir.consumer_groups.services.cluster_state import PartitionLag, TopicLag
from weir.consumer_groups.services.conclusion_queue import SETTLES_AFTER_US, ConclusionQueue
from weir.consumer_groups.services.forecast import Forecast
from weir.consumer_groups.services.health import Health
from weir.runs.services.lag_health import Kind

S = 1_000_000
PARTITIONS = 10
NOT_KNOWN = Forecast(None, None, None, None)


class Cluster:
    """Groups by name with their health; every pass is ten seconds later."""

    def __init__(self, budget: int, **groups: Kind) -> None:
        self.queue, self.groups, self.at_us = ConclusionQueue(budget), groups, 0

    def step(self, moved: set[str] | None = None) -> set[str]:
        self.at_us += 10 * S
        committed = {("t", number): 1 for number in range(PARTITIONS)}
        read = ClusterRead(
            self.at_us,
            {name: GroupRead(name, "Stable", "classic", committed) for name in self.groups},
            {}, {}, 0, 1,
        )  # fmt: skip
        behind = {name for name, kind in self.groups.items() if kind != Kind.FINE}
        chosen = self.queue.choose(read, behind | (moved or set()), moved or set())
        self.queue.concluded({name: [self.topic(name)] for name in chosen}, self.at_us)
        return chosen

    def topic(self, name: str) -> TopicLag:
        kind = self.groups[name]
        end = 1 if kind == Kind.FINE else 9
        part = PartitionLag(0, 1, end, 0, end - 1, Health(kind), NOT_KNOWN, None)
        return TopicLag(name, "t", Health(kind), {}, None, (part,))


def test_where_there_are_few_groups_every_pass_concludes_on_all_that_are_behind() -> None:
    cluster = Cluster(100, a=Kind.BEHIND, b=Kind.STOPPED, c=Kind.FINE)
    assert cluster.step() == {"a", "b", "c"}
    assert "c" in cluster.step(), "its rates are not zero yet"
    turns = [cluster.step() for _ in range(SETTLES_AFTER_US // (10 * S))]
    assert turns[-1] == {"a", "b"}
    assert cluster.step({"c"}) == {"a", "b", "c"}


def test_a_group_that_has_read_all_does_not_keep_others_waiting() -> None:
    cluster = Cluster(PARTITIONS, reads=Kind.BEHIND, done=Kind.FINE)
    turns = [cluster.step() for _ in range(9)]
    assert turns[1:5] == [{"reads"}] * 4
    assert {"done"} in turns


def test_many_groups_have_their_turns() -> None:
    names = [f"g{number}" for number in range(10)]
    cluster = Cluster(3 * PARTITIONS, **dict.fromkeys(names, Kind.BEHIND))
    assert cluster.step() == set(names)  # never concluded on
    turns = [cluster.step() for _ in range(4)]
    assert [len(turn) for turn in turns] == [3] * 4
    assert set().union(*turns) == set(names)


def test_a_group_that_stands_lets_those_that_move_go_first_but_has_its_turn() -> None:
    cluster = Cluster(PARTITIONS, stands=Kind.STOPPED, moves=Kind.BEHIND)
    cluster.step()
    turns = [cluster.step() for _ in range(8)]
    assert turns[:4] == [{"moves"}] * 4
    assert {"stands"} in turns


def test_a_group_that_stood_and_commits_again_waits_no_longer_than_others() -> None:
    cluster = Cluster(PARTITIONS, stands=Kind.STOPPED, moves=Kind.BEHIND)
    cluster.step()
    cluster.step()
    assert cluster.step({"stands"}) == {"stands"}


def test_a_group_that_was_caught_up_and_is_behind_now_is_not_forgotten_when_its_turn_is_later() -> None:
    cluster = Cluster(PARTITIONS, a=Kind.BEHIND, b=Kind.FINE)
    cluster.step()
    # Both were concluded on at the same time: either may come first.
    turns = [cluster.step({"b"}), cluster.step(), cluster.step()]
    assert {"b"} in turns


def test_deleted_groups_are_forgotten_and_one_larger_than_the_budget_still_has_its_turn() -> None:
    cluster = Cluster(1, a=Kind.BEHIND, b=Kind.BEHIND)
    cluster.step()
    assert len(cluster.step()) == 1
    del cluster.groups["a"]
    assert [cluster.step() for _ in range(2)] == [{"b"}] * 2
    cluster.groups["a"] = Kind.FINE
    assert cluster.step() >= {"a"}
