"""The schemas of rows that jobs write in Avro: registered when a job starts, kept with its run."""

from jobs.formats.avro_row_schema import row_schema, value_subject
from jobs.kafka_messages import AvroTarget
from jobs.plan import Plan
from weir.runs.services.planning import output_topics
from weir.schemas.errors import RegistryError
from weir.schemas.services.drafts import SchemaDraft
from weir.schemas.services.registration import register
from weir.workspaces.errors import ConflictError, UnreachableError
from weir.workspaces.models import Workspace


def register_written(workspace: Workspace, plan: Plan, actor: str) -> dict[str, AvroTarget]:
    """Register the schemas by which a job writes Avro; one that its subject has already is found again.

    Args:
        workspace: whose registry.
        plan: of the document, without errors.
        actor: who starts it.

    Returns:
        By name of the output, what its engine needs to write it; empty for most jobs.

    Raises:
        ConflictError: SCHEMA_CONFLICT, a schema does not fit the versions before it, or breaks
            jobs that read the topic.
        UnreachableError: engines could not be told of it.
    """
    sinks = [(sink, sink.topic) for sink in plan.sinks if sink.format == "avro" and sink.topic is not None]
    topics = output_topics(workspace) if sinks else {}
    made = {}
    for sink, named in sinks:
        topic = topics[named]
        subject, text = (
            value_subject(topic),
            row_schema(plan.relation(sink.reference).schema, topic, sink.names),
        )
        try:
            version = register(workspace, subject, SchemaDraft("AVRO", text, []), actor)
        except RegistryError as error:
            kind = UnreachableError if error.status == 500 else ConflictError
            message = f"Schema registry rejected subject {subject} for output {sink.name} (topic {topic}): "
            raise kind("SCHEMA_CONFLICT", message + error.message) from error
        made[sink.name] = AvroTarget(text=text, schema_id=version.schema.schema_id)
    return made
