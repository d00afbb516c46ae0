"""A consumer group on a virtual clock: records come and are read at given rates, and passes of the watch
see it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from weir.consumer_groups.services.group_reading import Membership, judge_partitions, worst_of
from weir.consumer_groups.services.health import Health
from weir.consumer_groups.services.partition_track import PartitionTrack

PASS_S = 3.0
STEP_S = 0.5
Rate = Callable[[float], float]


@dataclass
class SimulatedPartition:
    """A partition, its topic's writer and its reader.

    Attributes:
        in_rate: records per second at a time in s.
        capacity: records per second that the reader reads at most; 0 while it is away.
        commit_s: the reader commits what it has read this often.
    """

    in_rate: Rate
    capacity: Rate
    commit_s: float = 5.0
    end: float = 1_000.0
    position: float = 1_000.0
    committed: int = 1_000
    next_commit_s: float = 0.0
    track: PartitionTrack = field(default_factory=PartitionTrack)

    def step(self, now_s: float) -> None:
        """Half a second goes by."""
        self.end += self.in_rate(now_s) * STEP_S
        can_read = self.capacity(now_s)
        self.position = min(self.end, self.position + can_read * STEP_S)
        if can_read and now_s >= self.next_commit_s:
            self.committed, self.next_commit_s = int(self.position), now_s + self.commit_s

    def observe(self, now_s: float, start: int = 0) -> None:
        """A pass of the watch."""
        self.track.observe(round(now_s * 1e6), self.committed, int(self.end), start)


@dataclass(frozen=True)
class Seen:
    """What a pass concluded."""

    at_s: float
    judged: dict[tuple[str, int], Health]

    @property
    def worst(self) -> Health:
        """Of the group."""
        return worst_of(list(self.judged.values()))


def simulate(
    partitions: list[SimulatedPartition],
    until_s: float,
    membership: Callable[[float], Membership] = lambda _: Membership("Stable"),
    pass_s: float = PASS_S,
) -> Iterator[Seen]:
    """Play a group from 0 s on, and yield its health at each pass.

    Args:
        partitions: of the one topic ``t``.
        until_s: when it ends.
        membership: of the group at a time.
        pass_s: between two passes.
    """
    next_pass_s = 0.0
    for step in range(int(until_s / STEP_S)):
        now_s = step * STEP_S
        for partition in partitions:
            partition.step(now_s)
        if now_s < next_pass_s:
            continue
        next_pass_s = now_s + pass_s
        for partition in partitions:
            partition.observe(now_s)
        tracks = {("t", number): partition.track for number, partition in enumerate(partitions)}
        yield Seen(now_s, judge_partitions(tracks, membership(now_s), round(now_s * 1e6)))
