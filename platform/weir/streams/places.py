"""Where records lie: a topic of a cluster, and what they should be where it is registered as a stream."""

from dataclasses import dataclass

from jobs.connections import ClusterProfile
from jobs.formats.avro_records import SchemaOf
from jobs.formats.contract import StreamContract
from weir.clusters.services import profile_of
from weir.schemas.resolving import writer_schemas
from weir.streams.models import Stream


@dataclass(frozen=True)
class Place:
    """A topic; `contract` is None where nobody said what its records are. `schema_of`: schemas of its writers by id."""

    profile: ClusterProfile
    topic: str
    partitions: int
    contract: StreamContract | None = None
    schema_of: SchemaOf | None = None


def place_of(stream: Stream) -> Place:
    """Where a stream's records lie."""
    schemas = writer_schemas(stream.workspace)
    return Place(profile_of(stream.cluster), stream.topic, stream.partitions, stream.stream_contract, schemas)
