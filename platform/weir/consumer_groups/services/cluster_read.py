"""What a pass reads of a cluster's consumer groups. Pure."""

from dataclasses import dataclass, field

from weir.consumer_groups.services.group_reading import Partition


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a group and the partitions that it has."""

    client_id: str
    host: str
    instance_id: str | None
    partitions: tuple[Partition, ...]


@dataclass(slots=True)
class GroupRead:
    """A group as it was read.

    Attributes:
        name: of the group.
        state: as Kafka names it; empty where the broker is too old to list it.
        protocol: classic or consumer (KIP-848).
        committed: offset by partition.
        members: None where they are not known (yet).
        denied: the connection's user may not read the group's offsets.
    """

    name: str
    state: str
    protocol: str
    committed: dict[Partition, int] = field(default_factory=dict)
    members: tuple[Member, ...] | None = None
    denied: bool = False


@dataclass(frozen=True, slots=True)
class ClusterRead:
    """A pass over a cluster.

    Attributes:
        at_us: when commits were read.
        groups: by name.
        ends: end offset by partition.
        starts: log start offset by partition; some seconds older.
        left_out: how many groups there are beyond what is watched.
        requests: how many were sent.
        left_out_names: of the groups that were left out; they are not deleted.
    """

    at_us: int
    groups: dict[str, GroupRead]
    ends: dict[Partition, int]
    starts: dict[Partition, int]
    left_out: int
    requests: int
    left_out_names: frozenset[str] = frozenset()
