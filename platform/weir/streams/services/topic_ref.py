"""References to topics: cluster, name and, if the topic is registered as a stream, its contract."""

from dataclasses import dataclass

from jobs.connections import ClusterProfile
from jobs.formats.avro_records import SchemaOf
from jobs.formats.contract import StreamContract
from weir.clusters.services.clusters import profile_of
from weir.schemas.services.contract_schemas import writer_schemas
from weir.streams.models import Stream
from weir.streams.services.ownership import TopicReading


@dataclass(frozen=True)
class TopicRef:
    """A topic; `contract` is None unless it is a stream. `schema_of` finds writer schemas by id. `reading` is
    what it rests on that somebody may read it; None: Weir reads it.
    """

    profile: ClusterProfile
    topic: str
    partitions: int
    contract: StreamContract | None = None
    schema_of: SchemaOf | None = None
    reading: TopicReading | None = None


def stream_ref(stream: Stream) -> TopicRef:
    """The topic of a stream."""
    schemas = writer_schemas(stream.workspace)
    return TopicRef(
        profile_of(stream.cluster),
        stream.topic,
        stream.partitions,
        stream.stream_contract,
        schemas,
        TopicReading.of_stream(stream),
    )
